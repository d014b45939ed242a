/// What a running worker is told of memory: how short it is, and how much more the worker may take.
package struct MemoryWarning: Hashable, Sendable {
    package let worker: String
    /// How short memory is, for the machine or for this worker alone; `normal` tells those that were warned that it is over.
    package let level: PressureLevel
    /// What the worker may still take, in bytes.
    package let available: Int64

    /// A warning, by its parts; less than nothing is nothing.
    package init(worker: String, level: PressureLevel, available: Int64) {
        self.worker = worker
        self.level = level
        self.available = max(0, available)
    }
}

extension PressureCandidate {
    /// What it may still take, in bytes: what the machine has above what is critical, or what its own limit leaves where that is less.
    ///
    /// The counterpart of os_proc_available_memory().
    package func available(of memory: MachineMemory, _ settings: PressureSettings) -> Int64 {
        let critical = Double(memory.total) * min(max(0, settings.criticalAvailable), 100) / 100
        let ofMachine = max(0, memory.available - Int64(critical))
        guard let limit else { return ofMachine }
        return min(ofMachine, max(0, limit - self.memory.resident))
    }
}
