/// What a worker uses of the machine, as far as that can be seen.
package struct WorkerUsage {
    /// Bytes of memory.
    package var memory: Int64?
    /// The most it held.
    package var peakMemory: Int64?
    /// The most it may hold.
    package var memoryLimit: Int64?
    /// How often it has met limits of its own since it was launched.
    package var throttles: Int64?
    /// Processor time in microseconds.
    package var cpu: Int64?
    /// How many processes it has.
    package var processes: Int
    /// Their ids.
    package var members: [Int32]

    package init(
        memory: Int64? = nil, peakMemory: Int64? = nil, memoryLimit: Int64? = nil, throttles: Int64? = nil,
        cpu: Int64? = nil, processes: Int, members: [Int32] = []
    ) {
        self.memory = memory
        self.peakMemory = peakMemory
        self.memoryLimit = memoryLimit
        self.throttles = throttles
        self.cpu = cpu
        self.processes = processes
        self.members = members
    }
}
