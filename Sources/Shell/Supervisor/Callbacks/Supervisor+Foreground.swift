internal import Foreground
internal import Lifecycle
internal import SupervisorPorts

/// Exclusive foreground (1.7): what `ForegroundGroup` decides, carried out.
extension Supervisor {
    /// Tells the worker's group how it stands after an event, and gives others what follows from that, before anything else.
    func settleForeground(of worker: Worker, after event: Event? = nil) -> [(Worker, Event)] {
        carryOut(foregroundGroups.settle(worker.id, worker.life.foregroundEligibility, after: event))
    }

    /// Puts a worker into a group, or into none.
    func setForegroundGroup(of worker: Worker, to name: String?) -> [(Worker, Event)] {
        carryOut(foregroundGroups.join(worker.id, name, worker.life.foregroundEligibility))
    }

    /// Takes a worker out of its group.
    func leaveForegroundGroup(_ worker: Worker) -> [(Worker, Event)] {
        carryOut(foregroundGroups.leave(worker.id))
    }

    /// The worker that holds the foreground for which another one waits; nil where that does not wait.
    func foregroundHolder(before worker: Worker) -> (name: String, isLaunching: Bool)? {
        guard worker.life.awaitsForeground,
            let holder = foregroundGroups.holder(before: worker.id).flatMap({ workers[$0] })
        else { return nil }
        return (holder.configuration.name, holder.life.isLaunching)
    }

    private func carryOut(_ orders: [ForegroundGroup<WorkerID>.Order]) -> [(Worker, Event)] {
        for case .leave(let member) in orders {
            let rival = foregroundGroups.rival(of: member).flatMap { workers[$0] }
            workers[member]?.goalOrigin = rival.map {
                GoalOrigin(
                    worker: $0.configuration.name, tie: .foregroundGroup, goal: .suspended,
                    requester: .handOver)
            }
        }
        return orders.map(\.event).compactMap { id, event in workers[id].map { ($0, event) } }
    }
}
