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
    struct PressureStanding {
        let name: String
        let isRunning: Bool
        /// It could be evicted now.
        let canEvict: Bool
        /// It could be warned now.
        let canWarn: Bool
    }

    /// How a worker stands now; nil when there is none of that number.
    func pressureStanding(of id: WorkerID) -> PressureStanding? {
        guard let worker = workers[id] else { return nil }
        let life = worker.life
        let isRunning = life.pid != nil
        return PressureStanding(
            name: worker.blueprint.name, isRunning: isRunning,
            canEvict: isRunning && life.policy.evictable != .no,
            canWarn: isRunning && life.state != .suspended)
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
