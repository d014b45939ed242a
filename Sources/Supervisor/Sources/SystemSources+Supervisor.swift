internal import Lifecycle
internal import Notifications

/// What happens on the machine, on its way to the workers that want to hear of it.
extension SystemSources {
    /// Has `supervisor` told of everything; before anybody wants something.
    func connect(to supervisor: Supervisor) {
        let post: @Sendable (WorkerID, Post) -> Void = { worker, post in
            // A worker that does not run, or does not want it, reads the present state itself when it does.
            supervisor.assumeIsolated { _ = $0.post(post, to: worker) }
        }
        self.post = post
        let announce: @Sendable (WorkerID, Event) -> Void = { worker, event in
            supervisor.assumeIsolated { $0.submit(event, to: worker) }
        }
        self.announce = announce
        let state: @Sendable (WorkerID) -> State = { worker in
            supervisor.assumeIsolated { $0.life(of: worker)?.state } ?? .notRunning
        }
        self.state = state
    }

    /// Has `supervisor` take note of what a process finds that begins now: what becomes of it is told against that.
    func tellPresent(to worker: WorkerID, of supervisor: Supervisor) {
        for topic in [SystemTopic.networkChanged, .protectedDataChanged] {
            guard let value = present(of: topic, for: worker) else { continue }
            supervisor.assumeIsolated { $0.learn(value, of: topic, worker) }
        }
    }
}
