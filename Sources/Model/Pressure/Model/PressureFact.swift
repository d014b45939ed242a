/// A past fact of memory, as a source tells it.
package enum PressureFact: Hashable, Sendable {
    /// A trigger fired.
    case triggered(PressureTrigger.Kind, PressurePlace)
    /// A task has waited for memory, for far less than would be a warning: without swap little time is left from there.
    case stirred
    /// The machine's figures were read.
    case sampled(MemorySample)
    /// A worker's `memory.events` reads so now; the first time is where counting begins.
    case eventsChanged(worker: String, MemoryEvents)
    /// A worker is over its own `MemoryMax=`.
    case overLimit(worker: String)
    /// A worker's processes have ended, and their memory is back: its pidfd is readable and its cgroup empty.
    case released(worker: String)
    /// A pressure file has gone, or can no longer be heard.
    case sourceLost(PressurePlace)
}

/// Where pressure was seen.
package enum PressurePlace: Hashable, Sendable {
    /// On the whole machine: `/proc/pressure/memory`.
    case machine
    /// In the group that all our workers are in.
    case subtree
    /// In one worker's group.
    case worker(String)
}

/// The machine's figures at one moment.
package struct MemorySample: Hashable, Sendable {
    /// What it has and could give.
    package let memory: MachineMemory
    /// What the shortage has cost; nil where the kernel does not count it.
    package let stall: PressureStall?
    /// The same of the group that all our workers are in; nil where there is none.
    package let subtree: PressureStall?
    /// Of 100 swapped bytes, how many lie in memory all the same (``SwapAreas/compressedPercent``).
    package let compressedSwapPercent: Int64

    /// These figures together.
    package init(
        memory: MachineMemory, stall: PressureStall?, subtree: PressureStall? = nil,
        compressedSwapPercent: Int64 = 0
    ) {
        self.memory = memory
        self.stall = stall
        self.subtree = subtree
        self.compressedSwapPercent = min(max(0, compressedSwapPercent), 100)
    }
}

/// What of the kernel's accounting works here, best first.
package enum PressureSupport: String, Hashable, Sendable, CaseIterable {
    /// cgroup v2 with the memory controller.
    case unified
    /// cgroup v2 without it: pressure of each group, but no figures and limits of its own.
    case hybrid
    /// No cgroups of the supervisor's own: `/proc/pressure/memory` only.
    case machine
    /// The kernel does not count pressure: MemAvailable is all there is.
    case none
}
