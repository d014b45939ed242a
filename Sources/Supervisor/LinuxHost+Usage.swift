internal import Glibc
internal import Lifecycle
internal import Linux

extension LinuxHost {
    /// What a worker uses now; nil when it has no process.
    func usage(of worker: WorkerID) -> WorkerUsage? {
        guard let hosted = workers[worker] else { return nil }
        let members = processes(of: hosted)
        return WorkerUsage(
            memory: hosted.group?.memoryCurrent()
                ?? members.compactMap(ProcessMemory.resident(of:)).reduce(0, +),
            peakMemory: hosted.group?.memoryPeak(),
            memoryLimit: hosted.hasMemoryController ? hosted.limits.maximum : nil,
            cpu: hosted.group?.cpuTime().map(Int64.init) ?? cpuTime(of: members), processes: members.count)
    }

    /// The processor time that the worker has used; nil when it has no process.
    func cpuUsed(by worker: WorkerID) -> TimeSpan? {
        guard let hosted = workers[worker] else { return nil }
        let used = hosted.group?.cpuTime().map(Int64.init) ?? cpuTime(of: processes(of: hosted))
        return TimeSpan(microseconds: used)
    }

    /// Processor time of these processes in microseconds.
    private func cpuTime(of members: [Int32]) -> Int64 {
        let ticks = members.compactMap { ProcessStat.read(pid: $0)?.cpuTicks }.reduce(0, +)
        return Int64(ticks) * 1_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))
    }
}
