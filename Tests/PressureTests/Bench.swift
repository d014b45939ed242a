import Lifecycle
import Pressure

/// A machine for the model: figures that a test sets, victims that end as the test says, timers in virtual time.
struct Bench {
    var model: MemoryPressure
    var now = Instant.zero
    var workers: [PressureCandidate] = []
    var memory = MachineMemory(total: 1000 << 20, available: 500 << 20)
    var compressedSwapPercent: Int64 = 0
    /// What the machine has lost to memory so far; nil where the kernel does not count it.
    var stalled: (some: TimeSpan, full: TimeSpan)? = (.zero, .zero)
    /// From an eviction until its memory is back; nil never comes.
    var dying: TimeSpan? = .milliseconds(10)
    /// Whether what a victim held becomes available.
    var givesBack = true
    /// Everything that the model wanted, in order.
    private(set) var effects: [PressureEffect] = []
    private(set) var looks = 0
    private(set) var samples = 0
    private(set) var limitLooks = 0
    /// The limit of every worker, which the supervisor alone enforces; nil is none.
    var limit: Int64?
    private var timers: [PressureTimer: (due: Instant, generation: UInt32)] = [:]
    private var deaths: [(name: String, due: Instant)] = []

    init(_ workers: [PressureCandidate] = [], _ settings: PressureSettings = .init()) {
        model = MemoryPressure(settings)
        self.workers = workers
    }

    var sample: MemorySample {
        func share(_ total: TimeSpan) -> PressureStall.Share {
            .init(average10: 0, average60: 0, average300: 0, total: total)
        }
        return MemorySample(
            memory: memory, stall: stalled.map { PressureStall(some: share($0.some), full: share($0.full)) },
            compressedSwapPercent: compressedSwapPercent)
    }

    /// Sets how much is available, in percent.
    mutating func setAvailable(_ percent: Int64) {
        memory = MachineMemory(
            total: memory.total, available: memory.total / 100 * percent, swapTotal: memory.swapTotal,
            swapFree: memory.swapFree)
    }

    /// Some have waited for so long more.
    mutating func lose(_ span: TimeSpan) {
        stalled = stalled.map { ($0.some + span, $0.full) }
    }

    /// Says what there is to do, as a shell would.
    @discardableResult
    mutating func start() -> [PressureEffect] {
        give(
            .workersChanged(
                canEvict: workers.contains { $0.evictable != .no },
                canWarn: workers.contains { $0.band.isRunning && $0.hearsWarnings }))
    }

    /// Gives the model an event, and answers what it asks; returns all that came of it.
    @discardableResult
    mutating func give(_ event: PressureEvent) -> [PressureEffect] {
        let before = effects.count
        var waiting = [event]
        while !waiting.isEmpty {
            for effect in model.handle(waiting.removeFirst(), at: now) {
                effects.append(effect)
                switch effect {
                case .sample:
                    samples += 1
                    waiting.append(.fact(.sampled(sample)))
                case .look:
                    looks += 1
                    waiting.append(.looked(PressureSnapshot(sample, workers)))
                case .lookAtLimits:
                    limitLooks += 1
                    waiting.append(.lookedAtLimits(limited))
                case .evict(let victim):
                    if let index = workers.firstIndex(where: { $0.name == victim.name }) {
                        workers[index].isEnding = true
                        if let dying { deaths.append((victim.name, now + dying)) }
                    } else {
                        waiting.append(.refused(worker: victim.name))
                    }
                case .arm(let timer, let due, _, let generation): timers[timer] = (due, generation)
                case .disarm(let timer): timers[timer] = nil
                case .warn, .levelChanged, .report: break
                }
            }
        }
        return Array(effects[before...])
    }

    private var limited: [LimitedWorker] {
        guard let limit else { return [] }
        return workers.map {
            LimitedWorker(
                name: $0.name, limit: limit, held: $0.memory.resident, isAwake: $0.band.isRunning)
        }
    }

    /// Lets time go on until then, with all that comes due.
    mutating func run(for span: TimeSpan) {
        let end = now + span
        while true {
            let death = deaths.min { $0.due < $1.due }
            let timer = timers.min { ($0.value.due, $0.key.rawValue) < ($1.value.due, $1.key.rawValue) }
            guard let next = [death?.due, timer?.value.due].compactMap(\.self).min(), next <= end else {
                break
            }
            now = max(now, next)
            if let death, death.due == next {
                die(death.name)
            } else if let timer {
                timers[timer.key] = nil
                give(.expired(timer.key, generation: timer.value.generation))
            }
        }
        now = end
    }

    private mutating func die(_ name: String) {
        deaths.removeAll { $0.name == name }
        if let index = workers.firstIndex(where: { $0.name == name }) {
            let gone = workers.remove(at: index)
            if givesBack {
                memory = MachineMemory(
                    total: memory.total, available: memory.available + gone.memory.resident,
                    swapTotal: memory.swapTotal, swapFree: memory.swapFree + gone.memory.swapped)
            }
        }
        give(.fact(.released(worker: name)))
    }

    // MARK: what came of it

    var victims: [String] {
        effects.compactMap { if case .evict(let victim) = $0 { victim.name } else { nil } }
    }

    var warnings: [String] {
        tellings.filter { $0.level != .normal }.map(\.worker)
    }

    /// The workers that were told that it is over.
    var relieved: [String] {
        tellings.filter { $0.level == .normal }.map(\.worker)
    }

    /// All that workers were told.
    var tellings: [MemoryWarning] {
        effects.compactMap { if case .warn(let warning) = $0 { warning } else { nil } }
    }

    var levels: [PressureLevel] {
        effects.compactMap { if case .levelChanged(_, let level, _) = $0 { level } else { nil } }
    }

    var reports: [PressureReport] {
        effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    /// When the next look at the machine is due.
    var nextSample: TimeSpan? { timers[.sample].map { $0.due - now } }
    var hasTimers: Bool { !timers.isEmpty }
}

extension PressureCandidate {
    /// A worker of so many megabytes.
    static func worker(
        _ name: String, _ band: PressureBand = .suspended, megabytes: Int64 = 100,
        evictable: Policy.Evictable = .silent, priority: Int = 0, prelaunched: Bool = false,
        active seconds: Int64? = nil, asleep: Int64? = nil, swapped: Int64 = 0, limit: Int64? = nil
    ) -> PressureCandidate {
        PressureCandidate(
            name: name, band: band, isPrelaunched: prelaunched, evictable: evictable, priority: priority,
            lastActive: seconds.map { .zero + .seconds($0) },
            asleepSince: asleep.map { .zero + .seconds($0) },
            memory: WorkerMemory(resident: megabytes << 20, swapped: swapped << 20),
            limit: limit.map { $0 << 20 })
    }
}
