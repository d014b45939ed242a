package import Lifecycle
internal import SupervisorPorts

/// The other worker for whose sake a goal was set, and how the two are tied.
package struct GoalOrigin: Hashable, Sendable {
    /// What ties the worker to the other one.
    package enum Tie: Hashable, Sendable {
        /// The other one requires or wants it (`Requires=`, `Subscriptions=`).
        case isNeeded
        /// It requires the other one (`Requires=`).
        case requires
        /// It is for the failure of the other one (`OnFailure=`).
        case onFailure
        /// Both are of one foreground group (`ForegroundGroup=`, 1.7).
        case foregroundGroup
    }

    /// The other worker.
    package let worker: String
    package let tie: Tie
    /// The goal that was set; nil where that was the one from before its sleep.
    package let goal: Goal?
    /// As whose the goal was set.
    package let requester: Requester

    /// Whether it is behind the goal that a worker has now: another one may have been set since.
    package func isBehind(_ life: WorkerLifecycle) -> Bool {
        life.goalRequester == requester && goal ?? life.goal == life.goal
    }

    /// Why the worker is where it is wanted, in a clause about it.
    package func words(requester: String) -> String {
        switch tie {
        case .isNeeded where goal == .suspended:
            "\(worker), which depends on it, sleeps, and nothing else keeps it awake"
        case .isNeeded: "\(worker), which depends on it, is in use"
        case .requires where goal == .suspended:
            "\(requester) suspended \(worker), which it requires"
        case .requires: "\(requester) stopped \(worker), which it requires"
        case .onFailure: "\(worker), which names it in OnFailure=, failed"
        case .foregroundGroup: "\(worker), of the same foreground group, took the foreground"
        }
    }
}

extension Supervisor {
    /// Gives a worker an event for another one's sake, as `requester`'s.
    package func enqueue(
        _ event: Event, to worker: Worker, because tie: GoalOrigin.Tie, of other: Worker, goal: Goal? = nil,
        as requester: Requester = .dependency
    ) {
        worker.goalOrigin = GoalOrigin(
            worker: other.configuration.name, tie: tie, goal: goal, requester: requester)
        enqueue(event, to: worker)
    }
}
