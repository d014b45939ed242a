internal import Glibc
internal import Lifecycle
package import Linux
package import Pressure
package import SupervisorPorts
internal import WorkerIO

/// A worker's memory: its limits, what it holds, and giving that back.
extension LinuxHost {
    /// Gives a worker these limits from now on, where its group has the memory controller.
    ///
    /// Where it holds more already the kernel reclaims before it answers, which is waited for elsewhere.
    package func limitMemory(_ worker: WorkerID, to limits: MemoryLimits) {
        guard let hosted = workers[worker] else { return }
        noteLegacyGroup(of: hosted)
        guard let group = hosted.group, hosted.hasMemoryController else { return }
        guard limits != hosted.limits else { return }
        hosted.limits = limits
        let held = group.memoryCurrent() ?? 0
        let isRoomy = [limits.high, limits.maximum].allSatisfy { $0.map { held <= $0 } ?? true }
        guard !isRoomy else { return limitRefused(worker, group.write(limits)) }
        memoryWork.write(limits, for: group) { [weak self] refusal in
            guard let self, let hosted = workers[worker], hosted.group == group else { return }
            limitRefused(worker, refusal)
            // Something else may have been wanted, and written, while that was on its way.
            if hosted.limits != limits { _ = group.write(hosted.limits) }
        }
    }

    private func limitRefused(_ worker: WorkerID, _ refusal: LinuxError?) {
        if let refusal { facts(worker, .memory(.limitRefused("\(refusal)"))) }
    }

    /// Gives its group the limits that it is to begin with; an empty one has nothing that could be waited for.
    func setFirstLimits(of hosted: HostedWorker, _ launch: Launch) {
        limitTasks(of: hosted)
        guard let group = beginCounting(for: hosted) else { return }
        hosted.limits = hosted.blueprint.memory.limits(in: launch.intoForeground ? .inactive : .background)
        // One of an earlier life may have others.
        if let refusal = group.write(hosted.limits), hosted.limits != .none {
            facts(hosted.id, .memory(.limitRefused("\(refusal)")))
        }
    }

    /// Takes over the limits that a predecessor has set; the next change of state has those that are wanted now.
    func adoptLimits(of hosted: HostedWorker) {
        // What others have counted before we came is nothing that we have seen.
        hosted.launchedAt = now
        guard let group = beginCounting(for: hosted) else { return }
        hosted.limits = MemoryLimits(maximum: group.memoryMaximum(), high: group.memoryHigh())
    }

    /// Hears of the limits that it meets from now on; returns its group where that has the memory controller.
    private func beginCounting(for hosted: HostedWorker) -> Cgroup? {
        guard let group = hosted.group, group.hasMemoryController else { return nil }
        hosted.hasMemoryController = true
        let events = group.memoryEventsText().flatMap { MemoryEvents(parsing: $0) }
        hosted.memoryEvents = events ?? MemoryEvents()
        hosted.firstMemoryEvents = hosted.memoryEvents
        if memoryWatches == nil { watchMemory() }
        hosted.memoryWatch = memoryWatches?.add(group.memoryEventsPath, of: hosted.id)
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
        guard let hosted = workers[worker], let text = hosted.group?.memoryEventsText(),
            let events = MemoryEvents(parsing: text), events != hosted.memoryEvents
        else { return }
        if events.oomKill > hosted.memoryEvents.oomKill { hosted.oomKilledAt = now }
        tell(events, of: hosted)
    }

    /// Tells what a worker's group has counted; before the first news of it, where counting began.
    func tell(_ events: MemoryEvents, of hosted: HostedWorker) {
        if !hosted.hasToldMemoryEvents {
            hosted.hasToldMemoryEvents = true
            facts(hosted.id, .memory(.eventsChanged(hosted.memoryEvents)))
        }
        hosted.memoryEvents = events
        facts(hosted.id, .memory(.eventsChanged(events)))
    }

    // MARK: giving back

    /// Gives back what a sleeping worker holds, as far as that can be; answered by `reclaimed`, unless it is thawed or ends
    /// before.
    package func reclaim(_ worker: WorkerID) {
        guard let hosted = workers[worker], hosted.burial == nil else { return }
        hosted.reclaim?.cancel()
        let identities =
            hosted.group == nil ? processes(of: hosted).compactMap(ProcessIdentity.init(pid:)) : []
        let holder = MemoryHolder(group: hosted.group, processes: identities)
        hosted.reclaim = memoryWork.reclaim(holder) { [weak self] reclaim in
            guard let self, let hosted = workers[worker] else { return }
            hosted.reclaim = nil
            hosted.heldAsleep = nil
            facts(worker, .memory(.reclaimed(reclaim)))
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
            guard let hosted = workers[id] else { continue }
            memory[id] = self.memory(of: hosted, &tree)
        }
        return memory
    }

    private func memory(of hosted: HostedWorker, _ tree: inout ProcessTree?) -> WorkerMemory {
        if hosted.hasMemoryController, let group = hosted.group, let memory = WorkerMemory(of: group) {
            return memory
        }
        if hosted.freeze == .ours, let held = hosted.heldAsleep { return held }
        let memory = WorkerMemory(processes(of: hosted, in: &tree).compactMap(WorkerMemory.init(of:)))
        hosted.heldAsleep = hosted.freeze == .ours ? memory : nil
        return memory
    }
}

extension HostedWorker {
    /// Nothing is given back any more, and what was found out of its sleep is not so any more.
    func endReclaim() {
        reclaim?.cancel()
        reclaim = nil
        heldAsleep = nil
    }
}
