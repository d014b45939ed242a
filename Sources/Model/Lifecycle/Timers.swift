/// The timers that are armed.
///
/// Their numbers never repeat, so that one which ran out while it was replaced is known.
struct Timers: Hashable, Sendable {
    struct Armed: Hashable, Sendable {
        let timer: Timer
        var due: Instant
        var generation: UInt32
    }

    private(set) var armed: [Armed] = []
    private var generation: UInt32 = 0

    init() {}

    /// The timers that were armed, with numbers that go on after `generation`.
    init(restoring armed: [Armed], after generation: UInt32) {
        self.armed = armed
        self.generation = generation
    }

    /// The number that was given out last.
    var lastGeneration: UInt32 { generation }

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
        guard let index = armed.firstIndex(where: { $0.timer == timer && $0.generation == generation }) else {
            return false
        }
        armed.remove(at: index)
        return true
    }

    /// Moves every deadline by `gap`, because nobody could have met it (1.4).
    mutating func shift(by gap: TimeSpan, _ effects: inout [Effect]) {
        for index in armed.indices {
            generation &+= 1
            armed[index].due = armed[index].due + gap
            armed[index].generation = generation
            effects.append(.arm(armed[index].timer, at: armed[index].due, generation: generation))
        }
    }

    /// The same timers with dues and numbers that no longer tell when they were armed: for exploring the model.
    func normalized(renaming names: [UInt32: UInt32]) -> Timers {
        var result = self
        result.generation = 0
        result.armed = armed.map { entry in
            var timer = entry.timer
            if case .activity(let id) = timer { timer = .activity(names[id] ?? id) }
            return Armed(timer: timer, due: .zero, generation: 0)
        }
        if result.armed.count > 1 { result.armed.sort { $0.timer.rank < $1.timer.rank } }
        return result
    }
}

extension Timer {
    /// An order of no meaning but that it is always the same.
    fileprivate var rank: UInt64 {
        switch self {
        case .launch: 0
        case .callback: 1
        case .backgroundTasks: 2
        case .grace: 3
        case .watchdog: 4
        case .idle: 5
        case .ending: 6
        case .backoff: 7
        case .quiet: 8
        case .freeze: 9
        case .activity(let id): 10 + UInt64(id)
        case .hold(let token): 1 << 40 + UInt64(token)
        }
    }
}
