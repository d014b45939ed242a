/// What one worker holds, with all its processes, in bytes.
///
/// From `memory.current` and `memory.swap.current` of its cgroup, or else from VmRSS and VmSwap of its processes.
public struct WorkerMemory: Hashable, Sendable {
    /// In memory.
    public let resident: Int64
    /// In swap.
    public let swapped: Int64

    /// These figures; negative ones are none.
    public init(resident: Int64, swapped: Int64 = 0) {
        self.resident = max(0, resident)
        self.swapped = max(0, swapped)
    }
}
