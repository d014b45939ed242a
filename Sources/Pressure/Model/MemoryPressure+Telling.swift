internal import Lifecycle

/// What is known of warnings: who was told when, and who is to be told next.
struct Telling: Hashable, Sendable {
    /// When each was told last.
    private(set) var warned: [String: Instant]
    /// Workers whose own group is short of memory, whatever the machine has.
    private var own: [String] = []
    private var last: Instant?
    /// When the next may be told.
    private(set) var next: Instant?

    /// Nobody needs to be looked for sooner where nobody was found.
    private static let pause = TimeSpan.seconds(5)

    init(warned: [String: Instant] = [:]) {
        self.warned = warned
    }

    var hasOwn: Bool { !own.isEmpty }

    func isDue(at now: Instant) -> Bool { next.map { $0 <= now } ?? false }

    /// The level asks for warnings, from now on.
    mutating func begin(_ settings: PressureSettings, at now: Instant) {
        next = max(now, last.map { $0 + settings.warningSpacing } ?? now)
    }

    /// A worker is short of memory by itself.
    mutating func add(_ worker: String, _ settings: PressureSettings, at now: Instant) {
        guard !own.contains(worker), warned[worker].map({ now - $0 >= settings.warningPause }) ?? true else {
            return
        }
        own.append(worker)
        begin(settings, at: now)
    }

    /// Forgets those that are gone, and what is too long ago to count.
    mutating func forget(allBut snapshot: PressureSnapshot, _ settings: PressureSettings, at now: Instant) {
        warned = warned.filter { now - $0.value < settings.warningPause }
        let alive = Set(snapshot.candidates.lazy.filter(\.band.isRunning).map(\.name))
        own.removeAll { !alive.contains($0) }
    }

    /// Whom to tell now; nil when nobody is to be told yet, or at all.
    mutating func choose(
        _ candidates: [PressureCandidate], allOfThem: Bool, _ settings: PressureSettings, at now: Instant
    ) -> String? {
        guard allOfThem || hasOwn, isDue(at: now) else { return nil }
        let ranked = WarningOrder.ranked(candidates, warned: warned, settings, at: now)
        guard let chosen = ranked.first(where: { own.contains($0.name) }) ?? (allOfThem ? ranked.first : nil)
        else {
            own = []
            next = now + Self.pause
            return nil
        }
        own.removeAll { $0 == chosen.name }
        warned[chosen.name] = now
        last = now
        next = now + settings.warningSpacing
        return chosen.name
    }
}

extension MemoryPressure {
    /// Tells the next one, if one is due (2.3).
    mutating func tell(by snapshot: PressureSnapshot, at now: Instant) {
        // Whoever has just been chosen to go is told that, and not that memory is short.
        let others = snapshot.candidates.filter { $0.name != victim?.victim.name }
        guard
            let worker = telling.choose(
                others, allOfThem: level != .normal && canWarn, settings, at: now)
        else { return }
        effects.append(settings.observes ? .report(.wouldWarn(worker: worker)) : .warn(worker: worker))
    }
}
