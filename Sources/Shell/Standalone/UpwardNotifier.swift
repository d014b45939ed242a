internal import Lifecycle
internal import Linux
internal import Supervisor
internal import SupervisorPorts
internal import Systemd

/// Stands in for the child before the service manager that started `torpor run`: it passes on what the child says, except which process it
/// is (3.5).
final class UpwardNotifier {
    private let sender: NotifySender
    private var hasLaunched = false
    /// What the child has said last of how it does.
    private var status: String?

    /// Nil when no service manager listens.
    init?(_ passed: PassedEnvironment) {
        guard let text = passed.notifySocket, let address = try? UnixSocketAddress(text),
            let sender = try? NotifySender(to: address)
        else { return nil }
        self.sender = sender
    }

    /// Passes on what concerns the service manager.
    func pass(_ notice: Notice) {
        switch notice {
        case .launchCompleted:
            hasLaunched = true
            send([.ready])
        case .said(let report): pass(report)
        case .changed(let transition): tellSleep(transition)
        case .ended, .launchFailed, .warned, .refused, .surprised, .hookFailed, .hookPrinted,
            .ignored, .remarked, .commandFailed, .commandPrinted, .notificationSetAside,
            .notificationRemoved, .woken, .watched, .opened, .interrupted, .interruptionOver, .completed,
            .budget, .processing, .handoff:
            break
        }
    }

    /// While the child sleeps its status is that; then it is again what it said itself.
    private func tellSleep(_ transition: Transition) {
        if transition.to == .suspended {
            send([.status("asleep since \(LocalZone.text)")])
        } else if transition.from == .suspended, transition.to != .notRunning {
            send([.status(status ?? "awake since \(LocalZone.text)")])
        }
    }

    private func pass(_ report: NotifyReport) {
        var fields: [NotifyField] = []
        switch report.phase {
        case .reloading, .reloaded: fields.append(.reloading(since: KernelClock.monotonic))
        case .stopping: fields.append(.stopping)
        // The first READY is the launch's completion, which has a notice of its own.
        case .ready: if hasLaunched { fields.append(.ready) }
        case nil: break
        }
        if let status = report.status {
            self.status = status
            fields.append(.status(status))
        }
        if let errno = report.errno { fields.append(.errno(errno)) }
        if let span = report.extendTimeout { fields.append(.extendTimeout(span.microseconds)) }
        if let period = report.watchdogPeriod { fields.append(.watchdogPeriod(period.microseconds)) }
        if report.isAlive { fields.append(.watchdog(.alive)) }
        if report.triggersWatchdog { fields.append(.watchdog(.trigger)) }
        if !fields.isEmpty { send(fields) }
        if report.phase == .reloaded, hasLaunched { send([.ready]) }
    }

    /// Passes on what the child stores above, with the descriptors themselves, or takes back.
    func store(_ storage: NotifyMessage.Storage, _ descriptors: [Int32]) {
        // Ignoring a refusal: the child is told as little by the manager itself.
        _ = try? sender.send([.storage(storage)], descriptors: descriptors)
    }

    /// Says that all is well.
    func answerWatchdog() {
        send([.watchdog(.alive)])
    }

    /// Says that we are about to end, for those whose child has not.
    func stopped() {
        send([.stopping])
    }

    private func send(_ fields: [NotifyField]) {
        // A manager that does not take it must not hold up the child.
        _ = try? sender.send(fields)
    }
}
