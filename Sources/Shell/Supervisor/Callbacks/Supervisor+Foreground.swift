internal import Foreground
internal import Lifecycle
internal import SupervisorPorts

/// Exclusive foreground (1.7): what `ForegroundGroup` decides, carried out.
extension Supervisor {
    /// Tells the worker's group how it stands after an event, and gives others what follows from that, before anything else.
    func settleForeground(of worker: Worker) -> [(Worker, Event)] {
        guard let name = worker.foregroundGroup else { return [] }
        let eligibility = worker.life.foregroundEligibility
        guard eligibility != worker.foregroundEligibility else { return [] }
        worker.foregroundEligibility = eligibility
        let orders = foregroundGroups[name, default: .init()].update(worker.id, eligibility)
        return carryOut(orders, in: name)
    }

    /// Puts a worker into a group, or into none.
    func setForegroundGroup(of worker: Worker, to name: String?) -> [(Worker, Event)] {
        guard worker.foregroundGroup != name else { return [] }
        var followers = leaveForegroundGroup(worker)
        worker.foregroundGroup = name
        worker.foregroundEligibility = nil
        followers += settleForeground(of: worker)
        return followers
    }

    /// Takes a worker out of its group.
    func leaveForegroundGroup(_ worker: Worker) -> [(Worker, Event)] {
        guard let name = worker.foregroundGroup, var group = foregroundGroups[name] else { return [] }
        let orders = group.remove(worker.id)
        foregroundGroups[name] = group.isEmpty ? nil : group
        return carryOut(orders, in: name)
    }

    /// The worker that holds the foreground for which another one waits; nil where that does not wait.
    func foregroundHolder(before worker: Worker) -> (name: String, isLaunching: Bool)? {
        guard worker.life.awaitsForeground, let group = worker.foregroundGroup,
            let holder = foregroundGroups[group]?.holder.flatMap({ workers[$0] }), holder !== worker
        else { return nil }
        return (holder.configuration.name, holder.life.isLaunching)
    }

    private func carryOut(
        _ orders: [ForegroundGroup<WorkerID>.Order], in group: String
    ) -> [(Worker, Event)] {
        for case .leave(let member) in orders {
            let successor = foregroundGroups[group]?.successor.flatMap { workers[$0]?.configuration.name }
            workers[member]?.goalOrigin = successor.map {
                GoalOrigin(worker: $0, tie: .foregroundGroup, goal: .suspended, requester: .handOver)
            }
        }
        return orders.map(\.event).compactMap { id, event in workers[id].map { ($0, event) } }
    }
}
