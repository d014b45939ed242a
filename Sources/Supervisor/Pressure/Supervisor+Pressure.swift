internal import Lifecycle
internal import Pressure

/// What the policy of memory asks of the supervisor, and what it has done.
extension Supervisor {
    /// Every worker with a process, as the policy sees it, and what it holds now.
    func pressureCandidates() -> [PressureCandidate] {
        let running = workers.values.filter { $0.life.pid != nil }
        let memory = host.memory(of: running.map(\.id))
        return running.compactMap { worker in
            PressureCandidate(
                worker.life, name: worker.blueprint.name, priority: worker.blueprint.priority,
                lastActive: worker.lastActive, wasUsed: worker.wasUsed,
                memory: memory[worker.id] ?? WorkerMemory(resident: 0),
                hearsBytes: host.hearsOfMemory(worker.id))
        }
    }

    /// What the policy has to know of a worker that has changed.
    struct PressureStanding: Equatable {
        let name: String
        let isRunning: Bool
        /// It could be evicted now.
        let canEvict: Bool
        /// It could be warned now.
        let canWarn: Bool
    }

    /// Tells `listener` of each worker that stands elsewhere than it was told last.
    func tellStandings(to listener: @escaping (WorkerID, PressureStanding) -> Void) {
        standingChanged = listener
        for worker in workers.values { worker.pressureStanding = nil }
    }

    /// Most changes of a worker mean nothing to the policy, and somebody waits until all have been heard: it is told of the others.
    func tellStanding(of worker: Worker) {
        let before = worker.pressureStanding
        let standing = standing(of: worker)
        if standing != before { standingChanged(worker.id, standing) }
    }

    /// How a worker stands now; nil when there is none of that number.
    func pressureStanding(of worker: WorkerID) -> PressureStanding? {
        workers[worker].map(standing)
    }

    private func standing(of worker: Worker) -> PressureStanding {
        let life = worker.life
        let isRunning = life.pid != nil
        let standing = PressureStanding(
            name: worker.blueprint.name, isRunning: isRunning,
            canEvict: isRunning && life.policy.evictable != .no,
            canWarn: isRunning && life.state != .suspended)
        worker.pressureStanding = standing
        return standing
    }

    /// Those that hold more than `MemoryMax=` allows, of those of which nobody but us sees to that.
    func workersOverLimit() -> [String] {
        let limited = workers.values.filter { $0.life.pid != nil && $0.blueprint.memory.maximum != nil }
        guard !limited.isEmpty else { return [] }
        let memory = host.memory(of: limited.map(\.id))
        return limited.filter { worker in
            guard let maximum = worker.blueprint.memory.maximum, let held = memory[worker.id] else {
                return false
            }
            return held.resident > maximum
        }.map(\.blueprint.name).sorted()
    }

    /// Tells a running worker that memory is short, by whatever it hears.
    func warnOfMemory(_ worker: WorkerID) {
        guard let life = workers[worker]?.life else { return }
        if life.receivedCallbacks.contains(.didReceiveMemoryWarning) {
            submit(.announced(.didReceiveMemoryWarning), to: worker)
        }
        host.warnOfMemory(worker)
    }
}
