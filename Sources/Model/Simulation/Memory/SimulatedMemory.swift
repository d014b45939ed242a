package import Lifecycle
package import Pressure

/// What the policy of memory has decided in a simulated world, and when.
package struct MemoryDecision: Hashable, Sendable {
    /// When, from the beginning of the world.
    package let at: Instant
    /// What it wants told or done.
    package let effect: PressureEffect
    /// What was available then, in bytes.
    package let available: Int64
}

/// The policy of memory in a world, and what it has to know besides the models.
struct SimulatedMemory: Sendable {
    var model: MemoryPressure
    var book: MemoryBook
    /// When each worker was in use last, and whether its present process has been.
    var lastActive: [Instant?]
    var wasUsed: [Bool]
    /// When each worker entered its state.
    var since: [Instant?]
    /// At which level each worker was told of memory by the callback that it has not taken yet.
    var told: [PressureLevel?]
    /// Decisions that belong before the next step, and those that belong after it.
    var decisions: [MemoryDecision] = []
    /// The next tick of the machine, by its number.
    var tick: UInt32 = 0
    var isTicking = false
    /// The policy's timers that are armed, by their generations.
    var timers: [PressureTimer: UInt32] = [:]
    /// The triggers that the policy has set.
    var some = SimulatedTrigger()
    var full = SimulatedTrigger()

    init(_ settings: MachineSettings, _ policy: PressureSettings, workers: Int) {
        model = MemoryPressure(policy)
        book = MemoryBook(settings, workers: workers)
        lastActive = Array(repeating: nil, count: workers)
        wasUsed = Array(repeating: false, count: workers)
        since = Array(repeating: nil, count: workers)
        told = Array(repeating: nil, count: workers)
    }
}

/// A trigger of the kernel: it fires as soon as a window has cost more than its share, and once in a window.
struct SimulatedTrigger: Sendable {
    private var since = Instant.zero
    private(set) var base = 0.0
    private var firedAt: Instant?

    /// Takes in what waiting has cost in all, in seconds; whether that makes it fire.
    mutating func fires(_ trigger: PressureTrigger, total: Double, at now: Instant) -> Bool {
        let growth = total - base
        if now - since >= trigger.window {
            since = now
            base = total
        }
        guard growth * 1e6 >= Double(trigger.stall.microseconds),
            firedAt.map({ now - $0 >= trigger.window }) ?? true
        else { return false }
        firedAt = now
        return true
    }
}
