package import Lifecycle
package import SupervisorPorts

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
