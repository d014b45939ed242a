package import Lifecycle
package import SnapshotCoding

/// The other worker for whose sake a goal was set, and how the two are tied.
package struct GoalOrigin: Hashable, Sendable {
    /// What ties the worker to the other one.
    package enum Tie: Int, CodingKey, SnapshotKind {
        /// The other one requires or wants it (`Requires=`, `Subscriptions=`).
        case isNeeded = 0
        /// It requires the other one (`Requires=`).
        case requires = 1
        /// It is for the failure of the other one (`OnFailure=`).
        case onFailure = 2
        /// Both are of one foreground group (`ForegroundGroup=`).
        case foregroundGroup = 3
    }

    /// The other worker.
    package let worker: String
    package let tie: Tie
    /// The goal that was set; nil where that was the one from before its sleep.
    package let goal: Goal?
    /// As whose the goal was set.
    package let requester: Requester

    /// The origin of a goal, by its parts.
    package init(worker: String, tie: Tie, goal: Goal?, requester: Requester) {
        self.worker = worker
        self.tie = tie
        self.goal = goal
        self.requester = requester
    }

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

extension GoalOrigin: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: GoalOrigin?) throws(C.Failure) {
        worker = try c.required("worker", 1, value?.worker)
        tie = try c.required("tie", 2, value?.tie)
        goal = try c.optional("goal", 3, value?.goal)
        requester = try c.required("requester", 4, value?.requester)
    }
}
