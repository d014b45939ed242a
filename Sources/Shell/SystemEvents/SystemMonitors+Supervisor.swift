internal import Interrupting
package import Lifecycle
internal import Linux
package import Notifications
package import Supervisor
package import SupervisorPorts
internal import Varlink

/// What happens on the machine, on its way to the workers that want to hear of it.
extension SystemMonitors: TopicStateSource {
    /// Has `supervisor` told of everything; to be called before there are subscriptions.
    package func connect(to supervisor: Supervisor) {
        receiver = supervisor
        supervisor.topicStates = self
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

extension Supervisor: SystemEventReceiver {
    package func receive(_ post: Post, for worker: WorkerID) {
        // A worker that does not run, or does not want it, reads the present state itself when it does.
        _ = self.post(post, to: worker)
        refreshTopicState(of: worker)
    }

    package func receive(_ event: Event, for worker: WorkerID) {
        submit(event, to: worker)
        if case .announced = event { refreshTopicState(of: worker) }
    }

    package func receive(lockedSessions: Set<String>, for worker: WorkerID) {
        // Most have heard of none, and there is none.
        guard self.lockedSessions(of: worker) != lockedSessions else { return }
        settleInterruptions(of: worker, .locked(lockedSessions))
    }

    package func wake(_ worker: WorkerID, for reason: LaunchReason, _ place: String) {
        wake(worker, for: reason, options: [reason == .device ? "device" : "path": .string(place)])
    }

    package func clockWasSet() { wallClockSet(to: KernelClock.wall) }

    package func pathWasLookedAt(for worker: WorkerID) { refreshTopicState(of: worker) }

    package func pathWasUnseen(_ path: String, for worker: WorkerID) {
        refreshTopicState(of: worker, unseen: path)
    }

    package func dataWasUnlocked(for worker: WorkerID) { unlocked(worker) }

    package func awaits(_ callback: Callback, _ worker: WorkerID) -> Bool {
        life(of: worker)?.awaitsAnnouncement(of: callback) ?? false
    }

    package func currentState(of worker: WorkerID) -> State { life(of: worker)?.state ?? .notRunning }
}
