internal import Lifecycle
internal import SupervisorPorts

/// What a change of state means for a worker's memory.
extension Supervisor {
    /// How long a worker sleeps before its memory is given back: who is woken at once again had better kept it.
    static let settledSleep = TimeSpan.seconds(1)

    /// Gives it the limits of its state, and has what it holds given back when it has slept for a while.
    func settleMemory(of worker: Worker, after transition: Transition) {
        if transition.from == .suspended { worker.reclaim = nil }
        guard transition.to.isRunning else { return }
        host.limitMemory(worker.id, to: worker.configuration.memory.limits(in: transition.to))
        if transition.to == .suspended { reclaimLater(worker) }
    }

    private func reclaimLater(_ worker: Worker) {
        // Whoever stopped it may want to look at it.
        guard worker.configuration.memory.reclaimsOnSuspend, !worker.life.isHeld, !worker.awaitsReclaim else {
            return
        }
        worker.awaitsReclaim = true
        sleepers.append(worker.id, due: host.now + Self.settledSleep)
        resetAlarm()
    }

    /// Has given back what those hold that have slept for long enough.
    func reclaimSleepers(at now: Instant) {
        while let id = sleepers.popDue(at: now) {
            guard let worker = workers[id] else { continue }
            worker.awaitsReclaim = false
            guard worker.life.state == .suspended, !worker.life.isHeld else { continue }
            // One that was awake meanwhile has its time once more.
            if now - worker.since < Self.settledSleep { reclaimLater(worker) } else { host.reclaim(id) }
        }
    }

    func receive(_ fact: MemoryFact, of worker: Worker) {
        switch fact {
        case .reclaimed(let reclaim): if worker.life.state == .suspended { worker.reclaim = reclaim }
        case .limitRefused(let reason):
            notify(worker, .ignored("a memory limit is not in effect: \(reason)"))
        case .eventsChanged, .released: break
        }
        memoryFacts(worker.id, fact)
    }
}
