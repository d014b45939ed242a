internal import Cgroups
internal import Linux
internal import Pressure

extension MemoryBound {
    /// The most that it may have, in bytes; nil where there is none.
    fileprivate var maximum: Int64? { limit.flatMap { GroupMemory.limit(parsing: $0) } }

    /// From where on its processes stand still for memory, in bytes: the smaller of both its limits; nil where there is none.
    fileprivate var bytes: Int64? {
        let throttled = high.flatMap { GroupMemory.limit(parsing: $0) }
        return [maximum, throttled].compactMap(\.self).min()
    }

    /// What it has of its limit; nil where there is none.
    fileprivate var memory: GroupMemory? {
        // Most have no limit, and are asked for nothing more.
        guard let bytes, let usage, let stat else { return nil }
        return GroupMemory(limit: String(bytes), usage: usage, stat: stat)
    }
}

extension [MemoryBound] {
    /// The smallest limit that is smaller than the machine's memory, and whose it is.
    var narrowest: (bound: MemoryBound, limit: Int64)? {
        guard !isEmpty, let total = MachineMemory.read()?.total else { return nil }
        let limits = compactMap { bound in bound.bytes.map { (bound: bound, limit: $0) } }
        return limits.filter { $0.limit < total }.min { $0.limit < $1.limit }
    }

    /// What each that has a limit has of it, now.
    var memory: [GroupMemory] { compactMap(\.memory) }
}

extension MachineMemory {
    /// All memory that the supervisor's groups can have, in bytes: the machine's, or what the outermost group that can be seen may have, as
    /// systemd counts it for a container.
    static var totalForUs: Int64? {
        guard let total = read()?.total else { return nil }
        return MemoryBound.all().last?.maximum.map { Swift.min($0, total) } ?? total
    }
}
