/// How much memory the machine has, and how much of it could be had: `/proc/meminfo` (proc_meminfo(5)), in bytes.
package struct MachineMemory: Hashable, Sendable {
    /// All of it.
    package let total: Int64
    /// What a new program could have without swapping.
    package let available: Int64
    /// All of the swap; 0 without any.
    package let swapTotal: Int64
    package let swapFree: Int64

    /// These figures; what cannot be, such as more available than there is, is brought to what can.
    package init(total: Int64, available: Int64, swapTotal: Int64 = 0, swapFree: Int64 = 0) {
        self.total = max(0, total)
        self.available = min(max(0, available), self.total)
        self.swapTotal = max(0, swapTotal)
        self.swapFree = min(max(0, swapFree), self.swapTotal)
    }

    /// Reads `/proc/meminfo`; nil when it does not tell MemTotal and MemAvailable.
    package init?(parsing text: String) {
        let table = KernelTable(text)
        guard let total = table.bytes("MemTotal"), total > 0, let available = table.bytes("MemAvailable")
        else { return nil }
        self.init(
            total: total, available: available, swapTotal: table.bytes("SwapTotal") ?? 0,
            swapFree: table.bytes("SwapFree") ?? 0)
    }

    /// The available share of all memory, in percent.
    package var availablePercent: Double { total == 0 ? 0 : Double(available) / Double(total) * 100 }

    /// The swap in use.
    package var swapUsed: Int64 { swapTotal - swapFree }
}
