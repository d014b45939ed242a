internal import ControlAPI
internal import Lifecycle
internal import Notifications

/// What happens on the machine, on its way to the workers that want to hear of it.
extension Daemon {
    /// Connects the sources with the workers; before any is defined.
    func listenToTheMachine() {
        system.report = { [unowned self] in log.log(LogEntry(.warned, .warning, $0)) }
        system.post = { [unowned self] worker, post in
            log.log(
                LogEntry(
                    .ignored, .debug, worker: service.roster[worker]?.name,
                    "\(post.topic) is not delivered yet"))
        }
        let announce: @Sendable (WorkerID, Event) -> Void = { [supervisor] worker, event in
            supervisor.assumeIsolated { $0.submit(event, to: worker) }
        }
        system.announce = announce
        let state: @Sendable (WorkerID) -> Lifecycle.State = { [supervisor] worker in
            supervisor.assumeIsolated { $0.life(of: worker)?.state } ?? .notRunning
        }
        system.state = state
    }
}
