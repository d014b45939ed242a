/// What one worker holds, with all its processes, in bytes.
///
/// From `memory.current` and `memory.swap.current` of its cgroup, or else from VmRSS and VmSwap of its processes.
package struct WorkerMemory: Hashable, Sendable {
    package let resident: Int64
    package let swapped: Int64

    /// These figures; negative ones are none.
    package init(resident: Int64, swapped: Int64 = 0) {
        self.resident = max(0, resident)
        self.swapped = max(0, swapped)
    }

    /// Reads `/proc/PID/status` (proc_pid_status(5)): pages that several processes share count for each; nil when it tells
    /// of no memory, as of a zombie.
    package init?(status text: String) {
        let table = KernelTable(text)
        guard let resident = table.bytes("VmRSS") else { return nil }
        self.init(resident: resident, swapped: table.bytes("VmSwap") ?? 0)
    }

    /// Reads `/proc/PID/smaps_rollup` (proc_pid_smaps(5)): a page of three processes counts a third for each; nil when it is
    /// none.
    package init?(rollup text: String) {
        let table = KernelTable(text)
        guard let resident = table.bytes("Pss") else { return nil }
        self.init(resident: resident, swapped: table.bytes("SwapPss") ?? table.bytes("Swap") ?? 0)
    }
}
