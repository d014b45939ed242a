internal import Lifecycle

/// What is known of warnings: which workers were told when, which are next, and which wait to hear that it is over.
struct WarningRound: Hashable, Sendable {
    /// When each was told last that memory is short.
    private(set) var warned: [String: Instant] = [:]
    /// Those that were told, and not yet that it is over.
    private var told: Set<String> = []
    /// Workers to be told next, whatever the machine has: their own group is short, or they are near their limit.
    private var own: [String] = []
    /// When the own group of each was last short of memory, as far as that still counts.
    private var shortages: [String: Instant] = [:]
    /// Workers near a `MemoryMax=` that only the supervisor enforces, and whether they have been told since they are.
    private var nearLimit: [String: Bool] = [:]
    /// Those of them that slept when they were looked at last.
    private var nearAsleep: Set<String> = []
    private var last: Instant?
    /// When the next may be told.
    private var next: Instant?

    /// The time until the next search, where no worker was found.
    private static let pause = TimeSpan.seconds(5)

    /// Whether a worker waits to hear that it is over.
    var hasTold: Bool { !told.isEmpty }

    func isDue(at now: Instant) -> Bool { next.map { $0 <= now } ?? false }

    /// When to search for a worker that is to be told something; nil is never, as things stand.
    func due(_ level: PressureLevel, allOfThem: Bool, _ settings: PressureSettings) -> Instant? {
        if allOfThem || !own.isEmpty { return next }
        guard level == .normal, let next else { return nil }
        return told.lazy.filter { nearLimit[$0] == nil }
            .map { shortages[$0].map { max(next, $0 + settings.warningPause) } ?? next }.min()
    }

    /// A worker is to be told something, from now on.
    mutating func begin(_ settings: PressureSettings, at now: Instant) {
        next = max(now, last.map { $0 + settings.warningSpacing } ?? now)
    }

    /// No worker is left that could hear anything; what is known of limits is known still.
    mutating func stop() {
        told.formIntersection(nearLimit.keys)
        own = []
        shortages = [:]
        next = nil
    }

    /// A worker's own group is short of memory.
    mutating func isShort(_ worker: String, _ settings: PressureSettings, at now: Instant) {
        shortages[worker] = now
        add(worker, settings, at: now)
    }

    /// These are near a limit that only the supervisor enforces; `awake` are those of them that run.
    ///
    /// Each is told once, as soon as it may be, until it is near it no longer.
    mutating func areNearLimit(
        _ near: Set<String>, awake: [String], _ level: PressureLevel, _ settings: PressureSettings,
        at now: Instant
    ) {
        // A sleeping worker that is below the limit again, by what was reclaimed, is not told so later.
        if level == .normal {
            told.subtract(nearAsleep.filter { !near.contains($0) && shortages[$0] == nil })
        }
        nearAsleep = near.subtracting(awake)
        let wereNear = nearLimit
        nearLimit = [:]
        for worker in near { nearLimit[worker] = wereNear[worker] ?? false }
        for worker in awake where nearLimit[worker] == false { add(worker, settings, at: now) }
        // A worker that is not near it any longer may have to hear that.
        if told.contains(where: { wereNear[$0] != nil && !near.contains($0) }) { begin(settings, at: now) }
    }

    private mutating func add(_ worker: String, _ settings: PressureSettings, at now: Instant) {
        guard !own.contains(worker), warned[worker].map({ now - $0 >= settings.warningPause }) ?? true else {
            return
        }
        own.append(worker)
        begin(settings, at: now)
    }

    /// Forgets those that are gone, and what is too long ago to count.
    mutating func forget(allBut snapshot: PressureSnapshot, _ settings: PressureSettings, at now: Instant) {
        warned = warned.filter { now - $0.value < settings.warningPause }
        shortages = shortages.filter { now - $0.value < settings.warningPause }
        let alive = Set(snapshot.candidates.lazy.filter(\.band.isRunning).map(\.name))
        own.removeAll { !alive.contains($0) }
    }

    /// Its process has ended: what that was told is nothing to the next one.
    mutating func released(_ worker: String) {
        told.remove(worker)
        own.removeAll { $0 == worker }
        shortages[worker] = nil
        nearLimit[worker] = nil
    }

    /// The worker to tell now, and the level; nil when none is to be told yet, or at all.
    ///
    /// Those that are short come first, then those that were and wait to hear that it is over: among those that run. One that sleeps then
    /// is not told of it later.
    mutating func choose(
        _ candidates: [PressureCandidate], _ level: PressureLevel, allOfThem: Bool,
        _ settings: PressureSettings, at now: Instant
    ) -> (candidate: PressureCandidate, level: PressureLevel)? {
        guard isDue(at: now) else { return nil }
        if allOfThem || !own.isEmpty {
            let ranked = WarningOrder.ranked(candidates, warned: warned, settings, at: now)
            if let chosen = ranked.first(where: { own.contains($0.name) })
                ?? (allOfThem ? ranked.first : nil)
            {
                own.removeAll { $0 == chosen.name }
                warned[chosen.name] = now
                if nearLimit[chosen.name] != nil { nearLimit[chosen.name] = true }
                // A worker that is not told now has nothing to hear later.
                if !settings.observes { told.insert(chosen.name) }
                goOn(settings, at: now)
                return (chosen, max(level, .warning))
            }
            own = []
        }
        let over = told.filter { level == .normal && shortages[$0] == nil && nearLimit[$0] == nil }
        told.subtract(over)
        let relieved = WarningOrder.relieved(candidates, over)
        guard let chosen = relieved.first else {
            next = now + Self.pause
            return nil
        }
        told.formUnion(relieved.dropFirst().map(\.name))
        goOn(settings, at: now)
        return (chosen, .normal)
    }

    private mutating func goOn(_ settings: PressureSettings, at now: Instant) {
        last = now
        next = now + settings.warningSpacing
    }
}

extension MemoryPressure {
    /// Tells the next one, if one is due.
    mutating func tell(by snapshot: PressureSnapshot, at now: Instant) {
        // A worker that has just been chosen as the victim is told that, and not that memory is short.
        let others = snapshot.candidates.filter { $0.name != victim?.victim.name }
        guard
            let (candidate, level) = warnings.choose(
                others, level, allOfThem: tellsAll, settings, at: now)
        else { return }
        let warning = MemoryWarning(
            worker: candidate.name, level: level,
            available: candidate.available(of: snapshot.sample.memory, settings))
        let isOnlySaid = settings.observes && level != .normal
        effects.append(
            isOnlySaid ? .report(.wouldWarn(worker: warning.worker)) : .warn(warning))
    }

    /// Whether all that run are to be told.
    var tellsAll: Bool { level != .normal && canWarn }
}
