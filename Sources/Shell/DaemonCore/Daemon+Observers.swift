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
            (.log, LogObserver(self, .all)), (.history, HistoryObserver(self, .all)),
            (.departures, DepartureObserver(self, [.changes, .ends, .others])),
            (.priorities, PriorityObserver(self)),
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
    let interest: NoticeKinds

    init(_ daemon: Daemon, _ interest: NoticeKinds = .changes) {
        self.daemon = daemon
        self.interest = interest
    }

    func hear(_ notice: Notice, of worker: WorkerID) {}

    /// A worker that is defined.
    ///
    /// To be asked when something is to be done for it: most notices mean nothing to most observers.
    final func entry(_ worker: WorkerID) -> RegisteredWorker? { daemon.service.registry[worker] }
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
    override func hear(_ notice: Notice, of worker: WorkerID) {
        daemon.log.log(notice, of: entry(worker)?.name)
    }
}

private final class HistoryObserver: DaemonObserver {
    override func hear(_ notice: Notice, of worker: WorkerID) {
        if let entry = entry(worker) { daemon.keep(notice, of: entry) }
    }
}

private final class DepartureObserver: DaemonObserver {
    override func hear(_ notice: Notice, of worker: WorkerID) {
        // What happens most often, and no worker leaves by.
        if case .changed(let transition) = notice, transition.to != .notRunning { return }
        guard let entry = entry(worker) else { return }
        let isLeft =
            switch notice {
            // A launch that fails while all are ending changes no state: it was not running, and is not.
            case .ended: daemon.isShuttingDown || entry.isTransient
            case .warned(.startLimitHit, _): entry.isTransient
            case .changed: entry.isTransient || entry.isOrphaned || daemon.isShuttingDown
            default: false
            }
        if isLeft { daemon.depart(worker) }
    }
}

private final class PriorityObserver: DaemonObserver {
    override func hear(_ notice: Notice, of worker: WorkerID) {
        if case .changed(let transition) = notice { daemon.prioritize(transition, of: worker) }
    }
}

private final class BackgroundCPUObserver: DaemonObserver {
    override func hear(_ notice: Notice, of worker: WorkerID) {
        guard case .changed(let transition) = notice else { return }
        daemon.cpu.changed(worker, to: transition.to, entry(worker)?.cpuAllowance)
    }
}
