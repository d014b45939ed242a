internal import BackgroundWork
internal import History
internal import Lifecycle
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts

/// What the daemon does about what happens to workers, each part at its place (``ObserverPlace``).
extension Daemon {
    /// Begins to observe the workers; before any is defined.
    func observeWorkers() {
        let all: [(ObserverPlace, DaemonObserver)] = [
            (.systemSubscriptions, SubscriptionObserver(self)), (.serviceManager, ManagerObserver(self)),
            (.log, LogObserver(self)), (.history, HistoryObserver(self)),
            (.departures, DepartureObserver(self)), (.priorities, PriorityObserver(self)),
            (.backgroundCPU, BackgroundCPUObserver(self)),
        ]
        supervisor.observe(as: .heldSockets, held)
        supervisor.observe(as: .relays, relays)
        supervisor.observe(as: .transfers, transfers)
        supervisor.observe(as: .fetches, fetches)
        supervisor.observe(as: .processing, processing)
        for (place, observer) in all { supervisor.observe(as: place, observer) }
        observers = all.map(\.1)
    }
}

/// A part of the daemon that hears of what happens to workers.
class DaemonObserver: NoticeObserver {
    unowned let daemon: Daemon

    init(_ daemon: Daemon) {
        self.daemon = daemon
    }

    /// Hears of any worker.
    func hear(_ notice: Notice, of worker: WorkerID) {
        if let entry = daemon.service.registry[worker] { hear(notice, of: entry) }
    }

    /// Hears of a worker that is defined.
    func hear(_ notice: Notice, of entry: RegisteredWorker) {}
}

private final class SubscriptionObserver: DaemonObserver {
    override func hear(_ notice: Notice, of worker: WorkerID) {
        if case .changed(let transition) = notice { daemon.followOnTheMachine(transition, of: worker) }
    }
}

private final class ManagerObserver: DaemonObserver {
    override func hear(_ notice: Notice, of worker: WorkerID) {
        if case .changed = notice { daemon.manager?.workerChanged() }
    }
}

private final class LogObserver: DaemonObserver {
    override func hear(_ notice: Notice, of entry: RegisteredWorker) {
        daemon.log.log(notice, of: entry.name)
    }
}

private final class HistoryObserver: DaemonObserver {
    override func hear(_ notice: Notice, of entry: RegisteredWorker) { daemon.keep(notice, of: entry) }
}

private final class DepartureObserver: DaemonObserver {
    override func hear(_ notice: Notice, of entry: RegisteredWorker) {
        let isLeft =
            switch notice {
            // A launch that fails while all are ending changes no state: it was not running, and is not.
            case .ended: daemon.isShuttingDown || entry.isTransient
            case .warned(.startLimitHit, _): entry.isTransient
            case .changed(let transition):
                transition.to == .notRunning
                    && (entry.isTransient || entry.isOrphaned || daemon.isShuttingDown)
            default: false
            }
        if isLeft { daemon.depart(entry.id) }
    }
}

private final class PriorityObserver: DaemonObserver {
    override func hear(_ notice: Notice, of entry: RegisteredWorker) {
        if case .changed(let transition) = notice { daemon.prioritize(transition, of: entry) }
    }
}

private final class BackgroundCPUObserver: DaemonObserver {
    override func hear(_ notice: Notice, of entry: RegisteredWorker) {
        guard case .changed(let transition) = notice else { return }
        daemon.cpu.changed(entry.id, to: transition.to, entry.cpuAllowance)
    }
}
