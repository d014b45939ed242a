internal import Lifecycle
internal import Notifications
package import Supervisor
package import SupervisorPorts

/// What happens on the machine, on its way to the workers that want to hear of it.
extension SystemMonitors {
    /// Has `supervisor` told of everything; before anybody wants something.
    package func connect(to supervisor: Supervisor) {
        let post: (WorkerID, Post) -> Void = { worker, post in
            // A worker that does not run, or does not want it, reads the present state itself when it does.
            _ = supervisor.post(post, to: worker)
            supervisor.refreshTopicState(of: worker)
        }
        self.post = post
        let announce: (WorkerID, Event) -> Void = { worker, event in
            supervisor.submit(event, to: worker)
            if case .announced = event { supervisor.refreshTopicState(of: worker) }
        }
        self.announce = announce
        let topicState: (WorkerID) -> TopicState = { [unowned self] in self.topicState(of: $0) }
        supervisor.presentTopicState = topicState
        let looked: (WorkerID) -> Void = { worker in
            supervisor.refreshTopicState(of: worker)
        }
        self.looked = looked
        let compared: (WorkerID) -> Void = { worker in
            supervisor.comparisonEnded(for: worker)
        }
        self.compared = compared
        let awaits: (WorkerID, Callback) -> Bool = { worker, callback in
            supervisor.life(of: worker)?.awaitsAnnouncement(of: callback) ?? false
        }
        self.awaits = awaits
        let inherit: ([UInt8], SystemTopic, WorkerID) -> Void = { value, topic, worker in
            supervisor.inherit(value, of: topic, worker)
        }
        self.inherit = inherit
        let state: (WorkerID) -> State = { worker in
            supervisor.life(of: worker)?.state ?? .notRunning
        }
        self.state = state
    }

    /// Has `supervisor` take note of what a process finds that begins now: what becomes of it is told against that.
    ///
    /// A worker that makes its connection anew after a takeover has run on: it is told against what it knew before.
    package func tellPresent(to worker: WorkerID, of supervisor: Supervisor) {
        guard !(supervisor.workers[worker]?.awaitsReattachment ?? false) else { return }
        for topic in [SystemTopic.networkChanged, .protectedDataChanged] {
            guard let value = present(of: topic, for: worker) else { continue }
            supervisor.learn(value, of: topic, worker)
        }
    }
}
