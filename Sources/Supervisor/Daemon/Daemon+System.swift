internal import ControlAPI
internal import Lifecycle
internal import Notifications

/// What happens on the machine, on its way to the workers that want to hear of it.
extension Daemon {
    /// Connects the sources with the workers; before any is defined.
    func listenToTheMachine() {
        system.report = { [unowned self] in log.log(LogEntry(.warned, .warning, $0)) }
        let post: @Sendable (WorkerID, Post) -> Void = { [supervisor] worker, post in
            // A worker that does not run, or does not want it, reads the present state itself when it does.
            supervisor.assumeIsolated { _ = $0.post(post, to: worker) }
        }
        system.post = post
        let announce: @Sendable (WorkerID, Event) -> Void = { [supervisor] worker, event in
            supervisor.assumeIsolated { $0.submit(event, to: worker) }
        }
        system.announce = announce
        let state: @Sendable (WorkerID) -> Lifecycle.State = { [supervisor] worker in
            supervisor.assumeIsolated { $0.life(of: worker)?.state } ?? .notRunning
        }
        system.state = state
    }

    /// Takes note of what a process finds that begins now: what becomes of it is told against that.
    func tellPresent(to worker: WorkerID) {
        for topic in [SystemTopic.networkChanged, .protectedDataChanged] {
            guard let value = system.present(of: topic, for: worker) else { continue }
            supervisor.assumeIsolated { $0.learn(value, of: topic, worker) }
        }
    }
}
