import Lifecycle
import Pressure
import TestSupport
import Testing

/// Seeded walks: whatever is told, in whatever order, some things never happen.
@Suite struct `Walks of memory pressure` {
    @Test(arguments: 0..<200) func `keep the promises of the policy`(_ seed: Int) {
        var walk = Walk(seed: UInt64(seed))
        for _ in 0..<300 { walk.step() }
        #expect(walk.broken.isEmpty, "\(walk.broken.prefix(3))")
    }
}

/// A machine on which anything happens, and what of that must not be.
private struct Walk {
    var random: SplitMix64
    var model: MemoryPressure
    var now = Instant.zero
    var workers: [PressureCandidate] = []
    var available: Int64 = 500
    var stalled = TimeSpan.zero
    var timers: [PressureTimer: (due: Instant, generation: UInt32)] = [:]
    var outstanding: [String: PressureVictim] = [:]
    var warned: [String: Instant] = [:]
    var lastWarning: Instant?
    /// Those that were told, and not yet that it is over.
    var told: Set<String> = []
    /// Since when there has been a warning, without having been normal.
    var shortSince: Instant?
    var broken: [String] = []
    /// The level that was told last, and when a trigger fired last.
    var level = PressureLevel.normal
    var firedAt: Instant?
    var observes = false
    /// An eviction was refused: its worker is passed over as long as the shortage lasts.
    var wasRefused = false

    /// Whether the supervisor enforces limits, because the kernel does not.
    let seesToLimits: Bool

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        seesToLimits = seed % 2 == 0
        var settings = PressureSettings()
        observes = Int.random(in: 0..<8, using: &random) == 0
        settings.observes = observes
        // As long as a walk may be short.
        settings.longestWarning = .seconds(20)
        settings.biggestFirst = Bool.random(using: &random)
        model = MemoryPressure(settings)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    var sample: MemorySample {
        let share = PressureStall.Share(average10: 0, average60: 0, average300: 0, total: stalled)
        return MemorySample(
            memory: MachineMemory(total: 1000 << 20, available: available << 20),
            stall: PressureStall(some: share, full: share))
    }

    mutating func step() {
        now = now + .milliseconds(Int64.random(in: 0...700, using: &random))
        for (timer, armed) in timers.sorted(by: { $0.value.due < $1.value.due }) where armed.due <= now {
            timers[timer] = nil
            give(.expired(timer, generation: armed.generation))
        }
        switch Int.random(in: 0..<13, using: &random) {
        case 0, 1: addWorker()
        case 2: changeWorker()
        case 3: available = Int64.random(in: 0...250, using: &random)
        case 4: available = max(0, min(1000, available + Int64.random(in: -60...60, using: &random)))
        case 5: stalled = stalled + .milliseconds(Int64.random(in: 0...400, using: &random))
        case 6, 7: finishOne()
        case 8:
            if model.hasWork { firedAt = now }
            let kind: PressureTrigger.Kind = chance(50) ? .some : .full
            give(.fact(.triggered(kind, chance(50) ? .machine : .subtree)))
        case 9:
            guard let worker = workers.randomElement(using: &random)?.name else { return }
            if chance(50) {
                give(.fact(.triggered(.some, .worker(worker))))
            } else {
                let count = Int64.random(in: 0...20, using: &random)
                give(.fact(.eventsChanged(worker: worker, MemoryEvents(high: count, max: count / 2))))
            }
        case 10:
            if chance(20), let worker = workers.randomElement(using: &random)?.name {
                give(.fact(.overLimit(worker: worker)))
            }
        case 11: give(chance(50) ? .listening(isWoken: chance(50)) : .fact(.stirred))
        default: give(.fact(.sampled(sample)))
        }
        give(
            .workersChanged(
                canEvict: workers.contains { $0.evictable != .no },
                canWarn: workers.contains(where: \.band.isRunning)))
        if seesToLimits {
            give(.limitsChanged(areOurs: workers.contains(where: \.band.isRunning)))
        }
        if workers.isEmpty, timers.keys.contains(where: { $0 != .victim }) {
            broken.append("looks for nobody")
        }
    }

    private mutating func addWorker() {
        guard workers.count < 12 else { return }
        let number = Int.random(in: 0..<20, using: &random)
        guard !workers.contains(where: { $0.name == "w\(number)" }) else { return }
        workers.append(
            PressureCandidate(
                name: "w\(number)", band: PressureBand.allCases.randomElement(using: &random) ?? .active,
                isPrelaunched: chance(20),
                evictable: Policy.Evictable.allCases.randomElement(using: &random) ?? .no,
                priority: Int.random(in: -1...1, using: &random), lastActive: chance(50) ? now : nil,
                memory: WorkerMemory(resident: Int64.random(in: 0...120, using: &random) << 20),
                limit: chance(30) ? Int64.random(in: 0...200, using: &random) << 20 : nil,
                hearsWarnings: chance(80), hearsLevels: chance(80)))
    }

    private mutating func changeWorker() {
        guard let index = workers.indices.randomElement(using: &random) else { return }
        workers[index].band = PressureBand.allCases.randomElement(using: &random) ?? .active
        if chance(20) {
            let gone = workers.remove(at: index)
            outstanding[gone.name] = nil
            told.remove(gone.name)
            give(.fact(.released(worker: gone.name)))
        }
    }

    /// One of the victims ends, or is refused; facts may come twice.
    private mutating func finishOne() {
        guard let name = outstanding.keys.sorted().randomElement(using: &random) else { return }
        outstanding[name] = nil
        if chance(15) {
            for index in workers.indices where workers[index].name == name { workers[index].isEnding = false }
            wasRefused = true
            return give(.refused(worker: name))
        }
        for worker in workers where worker.name == name {
            available = min(1000, available + worker.memory.resident >> 20)
        }
        workers.removeAll { $0.name == name }
        told.remove(name)
        give(.fact(.released(worker: name)))
        if chance(10) { give(.fact(.released(worker: name))) }
    }

    private mutating func give(_ event: PressureEvent) {
        var waiting = [event]
        var rounds = 0
        while !waiting.isEmpty {
            rounds += 1
            guard rounds < 100 else { return broken.append("it goes on and on") }
            for effect in model.handle(waiting.removeFirst(), at: now) {
                switch effect {
                case .sample: waiting.append(.fact(.sampled(sample)))
                case .look: waiting.append(.looked(PressureSnapshot(sample, workers)))
                case .lookAtLimits:
                    let limited = workers.map { worker in
                        LimitedWorker(
                            name: worker.name, limit: 115 << 20, held: worker.memory.resident,
                            isAwake: worker.band.isRunning)
                    }
                    waiting.append(.lookedAtLimits(limited))
                case .warn(let warning): checkWarning(warning)
                case .evict(let victim): checkVictim(victim)
                case .arm(let timer, let due, let slack, let generation):
                    if due < now || slack < .zero { broken.append("armed for the past") }
                    timers[timer] = (due, generation)
                case .disarm(let timer): timers[timer] = nil
                case .levelChanged(let from, let to, _): checkLevel(from, to)
                case .report(.cannotBeFreed(let victim, let after)):
                    if after < .seconds(3) { broken.append("\(victim.name) was given up too soon") }
                    outstanding[victim.name] = nil
                case .report: break
                }
            }
        }
    }

    private mutating func checkWarning(_ warning: MemoryWarning) {
        let name = warning.worker
        guard let worker = workers.first(where: { $0.name == name }) else {
            return broken.append("\(name) was told, which is not there")
        }
        if !worker.band.isRunning { broken.append("\(name) was told asleep") }
        if !worker.hearsWarnings || worker.isEnding { broken.append("\(name) cannot hear it") }
        if let lastWarning, now - lastWarning < .milliseconds(250) { broken.append("two at once were told") }
        lastWarning = now
        if warning.available > max(0, (available << 20) - 50 << 20) { broken.append("told of too much") }
        if let limit = worker.limit, warning.available > max(0, limit - worker.memory.resident) {
            broken.append("told of more than its limit leaves")
        }
        guard warning.level != .normal else {
            if !worker.hearsLevels { broken.append("\(name) cannot hear that it is over") }
            if !told.contains(name) { broken.append("\(name) hears the end of what it was not told") }
            if level != .normal { broken.append("\(name) hears that it is over at level \(level)") }
            told.remove(name)
            return
        }
        told.insert(name)
        if worker.memory.resident < 6 << 20 { broken.append("\(name) is too small to be told") }
        if let before = warned[name], now - before < .seconds(25) { broken.append("\(name) was told again") }
        if observes { broken.append("told while it observes") }
        warned[name] = now
    }

    private mutating func checkVictim(_ victim: PressureVictim) {
        guard let index = workers.firstIndex(where: { $0.name == victim.name }) else {
            return broken.append("\(victim.name) was chosen, which is not there")
        }
        let worker = workers[index]
        if !outstanding.isEmpty { broken.append("two victims at once") }
        if worker.isEnding { broken.append("\(victim.name) was chosen twice") }
        if observes { broken.append("chosen while it observes") }
        if victim.reason == .pressure {
            if worker.evictable == .no { broken.append("\(victim.name) must not be evicted") }
            if model.level != .critical { broken.append("chosen at level \(model.level)") }
            let better = workers.contains {
                $0.band < worker.band && $0.evictable != .no && !$0.isEnding && $0.benefit(sample) > 0
            }
            // The only cause is a shortage that the machine's own figures tell of.
            if sample.memory.availablePercent >= 6.25 {
                broken.append("chosen with \(sample.memory.availablePercent) % available")
            }
            if better, !wasRefused { broken.append("\(victim.name) runs, and others sleep") }
        }
        if victim.reason == .lastingWarning {
            if worker.evictable == .no { broken.append("\(victim.name) must not be evicted") }
            if worker.band != .suspended { broken.append("\(victim.name) runs, and there is a warning only") }
            if level != .warning { broken.append("chosen at level \(level)") }
            if shortSince.map({ now - $0 < .seconds(20) }) ?? true { broken.append("chosen too soon") }
        }
        let isSilent = worker.band == .suspended && worker.evictable == .silent
        if (victim.grace == nil) != isSilent { broken.append("\(victim.name) is told wrongly") }
        workers[index].isEnding = true
        outstanding[victim.name] = victim
    }

    private mutating func checkLevel(_ from: PressureLevel, _ to: PressureLevel) {
        if from != level { broken.append("a level was left out") }
        level = to
        if to == .normal { shortSince = nil } else if shortSince == nil { shortSince = now }
        guard model.hasWork else { return firedAt = nil }
        let percent = sample.memory.availablePercent
        let fired = percent < 25 && (firedAt.map { now - $0 <= .seconds(4) } ?? false)
        if to == .critical, percent >= 6.25 { broken.append("critical at \(percent) %") }
        if to == .warning, from == .normal, percent >= 25 { broken.append("warning at \(percent) %") }
        // Up without a reason, or down within the hysteresis.
        if to == .normal, percent < 10 || fired { broken.append("normal at \(percent) %") }
        if to < .critical, from == .critical, percent < 5 { broken.append("not critical at \(percent) %") }
    }
}
