package import Lifecycle

/// How short memory is, by everything that tells of it, with hysteresis.
package struct PressureGauge: Hashable, Sendable {
    private var some = StallMeter()
    private var full = StallMeter()
    private var warningMemory = Threshold()
    private var criticalMemory = Threshold()
    /// Whether available memory is low enough for stall to mean a shortage of the machine.
    private var early = false
    /// Whether it is so low that stall makes it critical.
    private var scarce = false
    /// The machine's memory as it was looked at last, and when that was.
    package private(set) var memory: MachineMemory?
    private var lookedAt: Instant?
    /// How fast available memory goes down, in bytes per second: as between the last two looks, or faster lately.
    private(set) var decline = 0.0
    /// For so long decline is remembered: the memory of a victim hides for a moment that another program takes it.
    private static let memorySpan = TimeSpan.seconds(5)

    /// A machine of which nothing is known.
    package init() {}

    /// The level that all of it comes to.
    ///
    /// The machine is short only when its available memory says so: stall with much of it left is that of a worker or a foreign
    /// group at its own limit. Under a quarter of all memory stall is an early sign, and it makes a level critical only under the
    /// critical threshold plus a quarter.
    package var level: PressureLevel {
        if criticalMemory.isPassed || (full.isHigh && scarce) { return .critical }
        return warningMemory.isPassed || (early && (some.isHigh || full.isHigh))
            ? .warning : .normal
    }

    /// Whether available memory alone is critical.
    package var isCriticalByMemory: Bool { criticalMemory.isPassed }

    /// Whether available memory alone is a warning.
    var isWarningByMemory: Bool { warningMemory.isPassed }

    /// When some were last known to wait for memory that is scarce; nil when they do not.
    ///
    /// Stall alone makes no victim while there is more than the critical threshold and a quarter.
    var lastStall: Instant? {
        guard scarce else { return nil }
        return [some, full].filter(\.isHigh).compactMap(\.lastHigh).max()
    }

    /// Whether it is critical only because it was: there is no full stall, and there is more than what is too little.
    func isJustClearing(_ settings: PressureSettings) -> Bool {
        guard let memory, isCriticalByMemory, !full.isHigh else { return false }
        return memory.availablePercent >= settings.criticalAvailable
    }

    /// When all were last known to stand still for want of the machine's memory; nil when they do not.
    package var lastFullStall: Instant? { full.isHigh && scarce ? full.lastHigh : nil }

    /// Takes in that a trigger fired, on the machine or in the group of all workers.
    package mutating func fired(_ kind: PressureTrigger.Kind, at now: Instant) {
        if kind == .full { full.fired(at: now) }
        // Where all stand still, some do.
        some.fired(at: now)
    }

    /// Takes in the machine's figures.
    package mutating func take(_ sample: MemorySample, _ settings: PressureSettings, at now: Instant) {
        let percent = sample.memory.availablePercent
        warningMemory.take(percent, lowBelow: settings.warningAvailable)
        criticalMemory.take(percent, lowBelow: settings.criticalAvailable)
        early = percent < settings.earlyAvailable
        scarce = percent < settings.criticalAvailable * 1.25
        some.take(
            machine: sample.stall?.some.total, subtree: sample.subtree?.some.total,
            highAt: settings.warningStall, window: settings.window, at: now)
        full.take(
            machine: sample.stall?.full.total, subtree: sample.subtree?.full.total,
            highAt: settings.criticalStall, window: settings.window, at: now)
        // Figures of another total are those of another group: how fast that was is not known.
        if let memory, let lookedAt, now > lookedAt, memory.total == sample.memory.total {
            let gone = Double(memory.available - sample.memory.available)
            let passed = Double((now - lookedAt).microseconds)
            let left = max(0, 1 - passed / Double(Self.memorySpan.microseconds))
            decline = max(gone / passed * 1e6, decline * left)
        }
        if memory == nil || lookedAt.map({ now > $0 }) ?? true {
            lookedAt = now
        }
        memory = sample.memory
    }

    /// The bytes that are missing until available memory alone is no longer critical.
    package func shortage(_ settings: PressureSettings) -> Int64 {
        shortage(below: settings.criticalAvailable)
    }

    /// The bytes that are missing until available memory has left this threshold, in percent, a quarter behind.
    func shortage(below threshold: Double) -> Int64 {
        guard let memory else { return 0 }
        let line = Double(memory.total) * min(threshold * 1.25, 100) / 100
        return max(0, Int64(line) - memory.available)
    }
}
