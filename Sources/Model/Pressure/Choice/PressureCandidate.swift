package import Lifecycle

/// The order in which workers die, first to die first.
package enum PressureBand: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Asleep.
    case suspended
    /// In the background, and nothing keeps it there.
    case background
    /// In the background, with a task, an activity or a mode.
    case keptInBackground
    /// In the foreground, without input.
    case inactive
    /// In use.
    case active

    /// Whether `a` dies before `b`.
    package static func < (a: PressureBand, b: PressureBand) -> Bool { a.rank < b.rank }

    /// Whether it runs code, so that it can be told something.
    package var isRunning: Bool { self != .suspended }

    private var rank: Int {
        switch self {
        case .suspended: 0
        case .background: 1
        case .keptInBackground: 2
        case .inactive: 3
        case .active: 4
        }
    }
}

/// One worker that has a process, as the policy sees it.
package struct PressureCandidate: Hashable, Sendable {
    package let name: String
    package var band: PressureBand
    /// It comes from the warm pool, and has not been used yet.
    package var isPrelaunched: Bool
    /// Whether no connection is lost with it.
    package var isUnconnected: Bool
    /// Whether its clients can go on connecting when it is gone: its sockets stay open, or it has none.
    package var keepsDoors: Bool
    /// How it may be shed: silently when suspended, with willTerminate, or not at all.
    package var evictable: Policy.Evictable
    /// `Priority=`: the lower, the sooner.
    package var priority: Int
    /// When it was last in use; nil has never been.
    package var lastActive: Instant?
    /// When it fell asleep; nil while it runs, or where that is not known.
    package var asleepSince: Instant?
    /// What it holds.
    package var memory: WorkerMemory
    /// The most that it may hold (`MemoryMax=`), in bytes; nil where nothing limits it.
    package var limit: Int64?
    /// Its end has begun.
    package var isEnding: Bool
    /// It has something that takes a warning.
    package var hearsWarnings: Bool
    /// What takes a warning is told its level, too, and so can be told that it is over: a signal, a line or a byte of systemd's
    /// protocol is the same for all of them.
    package var hearsLevels: Bool

    /// A candidate, by its parts.
    package init(
        name: String, band: PressureBand, isPrelaunched: Bool = false, evictable: Policy.Evictable = .silent,
        priority: Int = 0, lastActive: Instant? = nil, asleepSince: Instant? = nil, memory: WorkerMemory,
        limit: Int64? = nil, isEnding: Bool = false, hearsWarnings: Bool = true,
        hearsLevels: Bool = true, isUnconnected: Bool = false, keepsDoors: Bool = false
    ) {
        self.name = name
        self.band = band
        self.isPrelaunched = isPrelaunched
        self.evictable = evictable
        self.priority = priority
        self.lastActive = lastActive
        self.asleepSince = asleepSince
        self.memory = memory
        self.limit = limit
        self.isEnding = isEnding
        self.hearsWarnings = hearsWarnings
        self.hearsLevels = hearsLevels
        self.isUnconnected = isUnconnected
        self.keepsDoors = keepsDoors
    }

    /// Whether it dies without being told.
    var diesSilently: Bool { band == .suspended && evictable == .silent }

    /// What its end would bring, in bytes: what it has in memory, what of it lies compressed in memory, and all that it has in
    /// swap where swap is what is short.
    package func benefit(_ sample: MemorySample) -> Int64 {
        let swap = sample.memory
        if swap.swapTotal > 0, swap.swapFree < swap.swapTotal / 10 {
            return Self.sum(memory.resident, memory.swapped)
        }
        // Compressed to a third is what zram commonly achieves.
        let (product, overflow) = memory.swapped.multipliedReportingOverflow(by: sample.compressedSwapPercent)
        let compressed = overflow ? memory.swapped / 100 * sample.compressedSwapPercent : product / 100
        return Self.sum(memory.resident, compressed / 3)
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}

/// The figures of the machine and of all workers with a process, taken together: what one decision rests on.
package struct PressureSnapshot: Hashable, Sendable {
    package let sample: MemorySample
    package let candidates: [PressureCandidate]

    /// A snapshot of these.
    package init(_ sample: MemorySample, _ candidates: [PressureCandidate]) {
        self.sample = sample
        self.candidates = candidates
    }
}
