package import Pressure

/// What the kernel knew of a worker whose process has ended, besides how it ended.
package struct ExitDetails {
    /// The most memory it held, in bytes.
    package var peakMemory: Int64?
    /// How short the machine was of memory.
    package var pressure: PressureStall?
    /// What its end freed, where it was ended for memory, and what was reclaimed in its sleep before, in bytes.
    package var freedMemory: Int64?
    package var givenBack: Int64?
    /// Notifications that are kept for it.
    package var queueLength: Int64 = 0
    /// The last lines it printed, where they pass through the supervisor.
    package var lastOutput: [String] = []

    package init(
        peakMemory: Int64? = nil, pressure: PressureStall? = nil, freedMemory: Int64? = nil,
        givenBack: Int64? = nil, queueLength: Int64 = 0, lastOutput: [String] = []
    ) {
        self.peakMemory = peakMemory
        self.pressure = pressure
        self.freedMemory = freedMemory
        self.givenBack = givenBack
        self.queueLength = queueLength
        self.lastOutput = lastOutput
    }
}
