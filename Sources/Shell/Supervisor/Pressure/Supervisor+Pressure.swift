internal import Idleness
internal import Lifecycle
package import Pressure
package import SupervisorPorts

/// What the policy of memory asks of the supervisor, and what it has done.
extension Supervisor {
    /// Every worker with a process, as the policy sees it, and what it holds now.
    package func pressureCandidates() -> [PressureCandidate] {
        let running = workers.values.filter { $0.life.pid != nil }
        let memory = host.memory(of: running.map(\.id))
        return running.compactMap { worker in
            let sight = host.watching(worker.id)
            return PressureCandidate(
                worker.life, name: worker.configuration.name, priority: worker.configuration.priority,
                lastActive: worker.lastActive, wasUsed: worker.wasUsed, since: worker.since,
                memory: memory[worker.id] ?? WorkerMemory(resident: 0),
                limit: worker.configuration.memory.maximum,
                hearsBytes: host.hearsOfMemory(worker.id), hearsLevels: hearsLevelsOfMemory(worker),
                isUnconnected: sight?.connections == 0,
                keepsDoors: sight.map { worker.configuration.holdsSockets || $0.listening.isEmpty } ?? false)
        }
    }

    /// Whether the callback reaches it with what it carries: by its own connection, or by a command.
    private func hearsLevelsOfMemory(_ worker: Worker) -> Bool {
        connection(of: worker.id).contains(.didReceiveMemoryWarning)
            || worker.configuration.hooks[.didReceiveMemoryWarning]?.action == .command
    }

    /// A worker stands elsewhere than was told last.
    package struct EligibilityChange {
        package let worker: WorkerID
        package let name: String
        let before: EvictionEligibility
        package let now: EvictionEligibility

        /// 1 where `what` has come to be so, -1 where it is so no longer, else 0.
        package func count(_ what: EvictionEligibility) -> Int {
            (now.contains(what) ? 1 : 0) - (before.contains(what) ? 1 : 0)
        }
    }

    /// Tells `observer` what becomes of workers' memory, and of each that stands elsewhere than it was told last; at first none stands
    /// anywhere.
    package func observeMemory(_ observer: any MemoryObserver) {
        memoryObserver = observer
        for worker in workers.values { worker.evictionEligibility = [] }
    }

    /// Most changes of a worker mean nothing to the policy, and each report takes time that callers wait for: only the others are reported.
    func publishEligibility(of worker: Worker) {
        let (before, now) = (worker.evictionEligibility, eligibility(of: worker))
        guard now != before else { return }
        worker.evictionEligibility = now
        memoryObserver?.hear(
            EligibilityChange(worker: worker.id, name: worker.configuration.name, before: before, now: now))
    }

    /// A worker has been taken over, or its definition is another one: the policy is told if it stands elsewhere.
    package func publishEligibility(of worker: WorkerID) {
        if let worker = workers[worker] { publishEligibility(of: worker) }
    }

    private func eligibility(of worker: Worker) -> EvictionEligibility {
        let (memory, life) = (worker.configuration.memory, worker.life)
        return EvictionEligibility(
            life, hasLimit: memory.limits(in: life.state) != .none,
            hasMaximum: memory.maximum != nil)
    }

    /// Those with a process and a `MemoryMax=`, and what they hold; asleep they cannot come to hold more.
    package func limitedWorkers() -> [LimitedWorker] {
        let limited = workers.values.filter { $0.configuration.memory.maximum != nil && $0.life.pid != nil }
        guard !limited.isEmpty else { return [] }
        let memory = host.memory(of: limited.map(\.id))
        return limited.compactMap { worker in
            guard let maximum = worker.configuration.memory.maximum, let held = memory[worker.id] else {
                return nil
            }
            return LimitedWorker(
                name: worker.configuration.name, limit: maximum, held: held.resident,
                isAwake: worker.life.state != .suspended)
        }
    }

    /// Tells a running worker how short memory is, by whatever it hears.
    ///
    /// A callback that waits behind another one tells what was said last. A byte of systemd's protocol says that memory is short.
    package func tell(_ id: WorkerID, _ warning: MemoryWarning) {
        guard let worker = workers[id] else { return }
        worker.memoryWarning = warning
        if worker.life.receivedCallbacks.contains(.didReceiveMemoryWarning) {
            submit(.announced(.didReceiveMemoryWarning), to: id)
        }
        if warning.level != .normal { host.warnOfMemory(id) }
    }
}
