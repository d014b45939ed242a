internal import Lifecycle
internal import Scheduling
internal import SupervisorPorts

/// What a change of state means for a worker's memory.
extension Supervisor {
    /// Gives it the limits of its state, and has its memory reclaimed when it has slept for a while.
    func settleMemory(of worker: Worker, after transition: Transition) {
        if transition.from == .suspended { worker.reclaim = nil }
        guard transition.to.isRunning else { return }
        host.limitMemory(worker.id, to: worker.configuration.memory.limits(in: transition.to))
        if transition.to == .suspended { reclaimLater(worker) }
    }

    private func reclaimLater(_ worker: Worker) {
        // The program that stopped it may want to look at its memory.
        guard worker.configuration.memory.reclaimsOnSuspend, !worker.life.isHeld else { return }
        // One that waits already keeps its place.
        guard due.due(of: .reclaim(worker.id)) == nil else { return }
        arm(.reclaim(worker.id), at: host.now + ReclaimRule.settling)
    }

    /// Has the memory of a worker reclaimed that has slept for long enough.
    func reclaimIfAsleep(_ id: WorkerID, at now: Instant) {
        switch ReclaimRule.verdict(asleepSince: asleepSince(id), at: now) {
        case .reclaim: host.reclaim(id)
        case .wait(let moment): arm(.reclaim(id), at: moment)
        case .drop: break
        }
    }

    private func asleepSince(_ id: WorkerID) -> Instant? {
        guard let worker = workers[id], worker.life.state == .suspended, !worker.life.isHeld else {
            return nil
        }
        return worker.since
    }

    func receive(_ fact: MemoryFact, of worker: Worker) {
        switch fact {
        case .reclaimed(let reclaim): if worker.life.state == .suspended { worker.reclaim = reclaim }
        case .limitRefused(let reason):
            notify(worker, .ignored("a memory limit is not in effect: \(reason)"))
        case .eventsChanged, .released: break
        }
        memoryObserver?.hear(fact, of: worker.id)
    }
}
