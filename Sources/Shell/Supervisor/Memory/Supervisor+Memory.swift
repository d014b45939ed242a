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

/// Workers in the order in which they went to sleep, which is the order in which they are due.
struct SleeperQueue {
    private var sleepers: [(worker: WorkerID, due: Instant)] = []
    private var first = 0

    /// When the next one is due.
    var nextDue: Instant? { first < sleepers.count ? sleepers[first].due : nil }

    mutating func append(_ worker: WorkerID, due: Instant) { sleepers.append((worker, due)) }

    /// Takes the next one that is due.
    mutating func popDue(at now: Instant) -> WorkerID? {
        guard let nextDue, nextDue <= now else { return nil }
        let worker = sleepers[first].worker
        first += 1
        if first == sleepers.count || first >= 1024 {
            sleepers.removeFirst(first)
            first = 0
        }
        return worker
    }
}
