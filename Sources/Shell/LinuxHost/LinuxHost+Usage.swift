internal import Cgroups
package import Lifecycle
internal import Linux
internal import Pressure
internal import Processes
package import SupervisorPorts

extension LinuxHost {
    /// What a worker uses now; nil when it has no process.
    package func usage(of worker: WorkerID) -> WorkerUsage? {
        guard let running = workers[worker] else { return nil }
        let members = processes(of: running)
        return WorkerUsage(
            memory: running.group?.memoryCurrent()
                ?? members.compactMap(ProcessMemory.resident(of:)).reduce(0, +),
            peakMemory: running.group?.memoryPeak(),
            memoryLimit: running.hasMemoryController ? running.limits.maximum : nil,
            throttles: throttles(of: running),
            cpu: running.group?.cpuTime().map(Int64.init) ?? cpuTime(of: members), processes: members.count,
            members: members.sorted())
    }

    /// How often the worker has been throttled at its `MemoryHigh=`, or held at its `MemoryMax=`, since it was launched.
    private func throttles(of running: RunningWorker) -> Int64? {
        guard running.hasMemoryController, let text = running.group?.memoryEventsText(),
            let events = MemoryEvents(parsing: text)
        else { return nil }
        let met = events.since(running.firstMemoryEvents)
        return met.high &+ met.max
    }

    /// The processor time that the worker has used; nil when it has no process.
    package func cpuUsed(by worker: WorkerID) -> TimeSpan? {
        guard let running = workers[worker] else { return nil }
        let used = running.group?.cpuTime().map(Int64.init) ?? cpuTime(of: processes(of: running))
        return TimeSpan(microseconds: used)
    }

    /// Looks at what the worker has used of the processors, and whether it wants more at this moment.
    package func readCPU(_ worker: WorkerID) {
        // One that ends says so soon.
        guard let running = workers[worker], running.reaping == nil else { return }
        let stats = processes(of: running).prefix(Self.mostLookedAt).compactMap { ProcessStat.read(pid: $0) }
        let ofGroup = running.isOutsideGroup ? nil : running.group?.cpuTime()
        // Without a group what ended meanwhile counts with its parent.
        let ticks = stats.map { $0.cpuTicks &+ $0.childrenTicks }.reduce(0, &+)
        let reading = CPUReading(
            used: TimeSpan(
                microseconds: ofGroup.map { Int64(clamping: $0) }
                    ?? ProcessStat.microseconds(ofTicks: ticks)),
            isRunnable: stats.contains { $0.state == .running })
        inform(worker, .cpuRead(stats.isEmpty ? nil : reading))
    }

    /// More processes than this are not looked at one by one: the loop has others to serve.
    private static let mostLookedAt = 256

    /// Processor time of these processes in microseconds.
    private func cpuTime(of members: [Int32]) -> Int64 {
        ProcessStat.microseconds(
            ofTicks: members.compactMap { ProcessStat.read(pid: $0)?.cpuTicks }.reduce(0, &+))
    }
}
