internal import Lifecycle
internal import Notifications
package import Supervisor
package import SupervisorPorts

/// What happens on the machine, on its way to the workers that want to hear of it.
extension SystemMonitors {
    /// Has `supervisor` told of everything; before anybody wants something.
    package func connect(to supervisor: Supervisor) {
        self.post = { worker, post in
            // A worker that does not run, or does not want it, reads the present state itself when it does.
            _ = supervisor.post(post, to: worker)
            supervisor.refreshTopicState(of: worker)
        }
        self.announce = { worker, event in
            supervisor.submit(event, to: worker)
            if case .announced = event { supervisor.refreshTopicState(of: worker) }
        }
        supervisor.presentTopicState = { [unowned self] in self.topicState(of: $0) }
        self.looked = { worker in
            supervisor.refreshTopicState(of: worker)
        }
        self.compared = { worker in
            supervisor.comparisonEnded(for: worker)
        }
        self.awaits = { worker, callback in
            supervisor.life(of: worker)?.awaitsAnnouncement(of: callback) ?? false
        }
        self.inherit = { value, topic, worker in
            supervisor.inherit(value, of: topic, worker)
        }
        self.state = { worker in
            supervisor.life(of: worker)?.state ?? .notRunning
        }
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
