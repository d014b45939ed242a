internal import Lifecycle

/// The timers that the model has armed.
struct PressureTimers: Hashable, Sendable {
    private struct Armed: Hashable {
        let due: Instant
        let generation: UInt32
    }

    private var armed: [PressureTimer: Armed] = [:]
    private var lastGeneration: UInt32 = 0

    func due(_ timer: PressureTimer) -> Instant? { armed[timer]?.due }

    mutating func arm(
        _ timer: PressureTimer, at due: Instant, slack: TimeSpan = .zero, _ effects: inout [PressureEffect]
    ) {
        guard armed[timer]?.due != due else { return }
        lastGeneration &+= 1
        armed[timer] = Armed(due: due, generation: lastGeneration)
        effects.append(.arm(timer, at: due, slack: slack, generation: lastGeneration))
    }

    mutating func disarm(_ timer: PressureTimer, _ effects: inout [PressureEffect]) {
        if armed.removeValue(forKey: timer) != nil { effects.append(.disarm(timer)) }
    }

    /// Whether what ran out is what was armed last; then it is armed no longer.
    mutating func take(_ timer: PressureTimer, generation: UInt32) -> Bool {
        guard armed[timer]?.generation == generation else { return false }
        armed[timer] = nil
        return true
    }
}
