package import Cgroups
internal import Glibc
internal import Lifecycle
internal import Linux
package import Pressure
internal import Processes
package import SupervisorPorts
internal import WorkerIO

/// A worker's memory: its limits, what it holds, and giving that back.
extension LinuxHost {
    /// Gives a worker these limits from now on, where its group has the memory controller.
    ///
    /// Where it holds more already the kernel reclaims before it answers, which is waited for elsewhere.
    package func limitMemory(_ worker: WorkerID, to limits: MemoryLimits) {
        guard let running = workers[worker] else { return }
        noteLegacyGroup(of: running)
        guard let group = running.group, running.hasMemoryController else { return }
        guard limits != running.limits else { return }
        running.limits = limits
        let held = group.memoryCurrent() ?? 0
        let isRoomy = [limits.high, limits.maximum].allSatisfy { $0.map { held <= $0 } ?? true }
        guard !isRoomy else { return limitRefused(worker, group.write(limits)) }
        memoryWork.write(limits, for: group) { [weak self] refusal in
            guard let self, let running = workers[worker], running.group == group else { return }
            limitRefused(worker, refusal)
            // Something else may have been wanted, and written, while that was on its way.
            if running.limits != limits { _ = group.write(running.limits) }
        }
    }

    private func limitRefused(_ worker: WorkerID, _ refusal: LinuxError?) {
        if let refusal { inform(worker, .memory(.limitRefused("\(refusal)"))) }
    }

    /// Gives its group the limits that it is to begin with; an empty one has nothing that could be waited for.
    func setFirstLimits(of running: RunningWorker, _ launch: Launch) {
        limitTasks(of: running)
        guard let group = beginCounting(for: running) else { return }
        running.limits = running.configuration.memory.limits(
            in: launch.intoForeground ? .inactive : .background)
        // One of an earlier life may have others.
        if let refusal = group.write(running.limits), running.limits != .none {
            inform(running.id, .memory(.limitRefused("\(refusal)")))
        }
    }

    /// Takes over the limits that a predecessor has set; the next change of state has those that are wanted now.
    func adoptLimits(of running: RunningWorker) {
        // What others have counted before we came is nothing that we have seen.
        running.launchedAt = now
        guard let group = beginCounting(for: running) else { return }
        running.limits = MemoryLimits(maximum: group.memoryMaximum(), high: group.memoryHigh())
    }

    /// Hears of the limits that it meets from now on; returns its group where that has the memory controller.
    private func beginCounting(for running: RunningWorker) -> Cgroup? {
        guard let group = running.group, group.hasMemoryController else { return nil }
        running.hasMemoryController = true
        let events = group.memoryEventsText().flatMap { MemoryEvents(parsing: $0) }
        running.memoryEvents = events ?? MemoryEvents()
        running.firstMemoryEvents = running.memoryEvents
        if memoryWatches == nil { watchMemory() }
        running.memoryWatch = memoryWatches?.add(group.memoryEventsPath, of: running.id)
        return group
    }

    /// Begins to watch the memory of groups, or goes on where a predecessor in this process did.
    func watchMemory(inheriting inherited: Int32? = nil) {
        // A worker at its limit changes them a hundred times a second.
        memoryWatches = try? WorkerWatches(on: loop, inheriting: inherited, pause: 100_000) {
            [unowned self] id in memoryEventsChanged(of: id)
        }
    }

    /// Looks at the counts of a worker, and tells what is news.
    private func memoryEventsChanged(of worker: WorkerID) {
        guard let running = workers[worker], let text = running.group?.memoryEventsText(),
            let events = MemoryEvents(parsing: text), events != running.memoryEvents
        else { return }
        if events.oomKill > running.memoryEvents.oomKill { running.oomKilledAt = now }
        tell(events, of: running)
    }

    /// Tells what a worker's group has counted; before the first news of it, where counting began.
    func tell(_ events: MemoryEvents, of running: RunningWorker) {
        if !running.hasToldMemoryEvents {
            running.hasToldMemoryEvents = true
            inform(running.id, .memory(.eventsChanged(running.memoryEvents)))
        }
        running.memoryEvents = events
        inform(running.id, .memory(.eventsChanged(events)))
    }

    // MARK: reclaiming

    /// Reclaims what a sleeping worker holds, as far as possible; answered by `reclaimed`, unless it is thawed or ends
    /// before.
    package func reclaim(_ worker: WorkerID) {
        guard let running = workers[worker], running.reaping == nil else { return }
        running.reclaim?.cancel()
        let identities =
            running.group == nil ? processes(of: running).compactMap(ProcessIdentity.init(pid:)) : []
        let holder = MemoryHolder(group: running.group, processes: identities)
        running.reclaim = memoryWork.reclaim(holder) { [weak self] reclaim in
            guard let self, let running = workers[worker] else { return }
            running.reclaim = nil
            running.heldAsleep = nil
            inform(worker, .memory(.reclaimed(reclaim)))
        }
    }

    // MARK: figures

    /// The group of a worker; nil where it has none, or no process.
    package func group(of worker: WorkerID) -> Cgroup? { workers[worker]?.group }

    /// What each of these workers holds now; those that have no process are left out.
    ///
    /// By the figures of its group, else by those of its processes, which cost more: those of a sleeper are asked once.
    package func memory(of ids: [WorkerID]) -> [WorkerID: WorkerMemory] {
        var memory: [WorkerID: WorkerMemory] = [:]
        var tree: ProcessTree?
        for id in ids {
            guard let running = workers[id] else { continue }
            memory[id] = self.memory(of: running, &tree)
        }
        return memory
    }

    private func memory(of running: RunningWorker, _ tree: inout ProcessTree?) -> WorkerMemory {
        if running.hasMemoryController, let group = running.group, let memory = WorkerMemory(of: group) {
            return memory
        }
        if running.freeze.isOurs, let held = running.heldAsleep { return held }
        let memory = WorkerMemory(processes(of: running, in: &tree).compactMap(WorkerMemory.init(of:)))
        running.heldAsleep = running.freeze.isOurs ? memory : nil
        return memory
    }
}

extension RunningWorker {
    /// Nothing is reclaimed any more, and what was found in its sleep no longer holds.
    func endReclaim() {
        reclaim?.cancel()
        reclaim = nil
        heldAsleep = nil
    }
}
