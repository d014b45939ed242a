/// The timers that are armed.
///
/// Their numbers never repeat, so that one which ran out while it was replaced is known.
struct Timers: Hashable, Sendable {
    struct Armed: Hashable, Sendable {
        let timer: Timer
        var due: Instant
        var generation: UInt32
    }

    var armed: [Armed] = []
    /// The number that was given out last.
    var generation: UInt32 = 0

    subscript(_ timer: Timer) -> Armed? { armed.first { $0.timer == timer } }

    mutating func arm(_ timer: Timer, at due: Instant, _ effects: inout [Effect]) {
        generation &+= 1
        let entry = Armed(timer: timer, due: due, generation: generation)
        if let index = armed.firstIndex(where: { $0.timer == timer }) {
            armed[index] = entry
        } else {
            armed.append(entry)
        }
        effects.append(.arm(timer, at: due, generation: generation))
    }

    mutating func disarm(_ timer: Timer, _ effects: inout [Effect]) {
        guard let index = armed.firstIndex(where: { $0.timer == timer }) else { return }
        armed.remove(at: index)
        effects.append(.disarm(timer))
    }

    mutating func disarmAll(except kept: Timer? = nil, _ effects: inout [Effect]) {
        for entry in armed where entry.timer != kept { effects.append(.disarm(entry.timer)) }
        armed.removeAll { $0.timer != kept }
    }

    /// Takes the timer off if it is the one that ran out.
    mutating func take(_ timer: Timer, generation: UInt32) -> Bool {
        let count = armed.count
        armed.removeAll { $0.timer == timer && $0.generation == generation }
        return armed.count < count
    }

    /// Moves every deadline by `gap`, because no worker could have met it.
    mutating func shift(by gap: TimeSpan, _ effects: inout [Effect]) {
        for index in armed.indices {
            generation &+= 1
            armed[index].due = armed[index].due + gap
            armed[index].generation = generation
            effects.append(.arm(armed[index].timer, at: armed[index].due, generation: generation))
        }
    }
}
