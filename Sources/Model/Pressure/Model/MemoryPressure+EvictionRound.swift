internal import Lifecycle

/// What is known of victims besides the one that is on its way.
struct EvictionRound: Hashable, Sendable {
    /// Over their own limit, and not chosen yet.
    var overLimit: [String] = []
    /// Victims that did not go, or that it was refused to end; until they are gone.
    var stuck: Set<String> = []
    /// Those that `Policy=observe` has named in this phase, and what they would have brought.
    var pretended: [String: Int64] = [:]
    /// Victims in a row that brought nothing.
    var fruitless = 0
    /// The last victim and what was available when it was chosen, until it is seen what its end has brought.
    var pendingVictim: PendingVictim?
    /// When the critical phase began, or the last victim of it was dealt with.
    var since: Instant?
    /// When the last victim was dealt with: stalls of before say nothing.
    var relievedAt: Instant?
    /// Why no victim is chosen.
    var noVictim: PressureReport.NoVictim?
    /// What of that has been said in this phase.
    var said: Set<PressureReport.NoVictim> = []

    struct PendingVictim: Hashable {
        let benefit: Int64
        let available: Int64
    }

    /// The level is another one from now on.
    mutating func beginPhase(at now: Instant) {
        pretended = [:]
        fruitless = 0
        pendingVictim = nil
        since = now
        noVictim = nil
        said = []
        // Those that have not gone are still about to end: they are not chosen again.
        stuck = []
    }

    /// A victim has been dealt with.
    mutating func relieved(at now: Instant) {
        since = now
        relievedAt = now
    }
}

/// Victims: one at a time, and a look after each.
extension MemoryPressure {
    /// Whether a worker may have to be evicted now, as far as can be said without a look at all of them.
    func wantsVictim(at now: Instant) -> Bool {
        guard victim == nil else { return false }
        if !evictions.overLimit.isEmpty { return true }
        switch gauge.level {
        case .normal: return false
        case .warning:
            return level == .warning && canEvict && lasting.isDue(settings.longestWarning, at: now)
                && hasWarningEvidence(at: now)
        case .critical: return canEvict && hasEvidence(at: now)
        }
    }

    /// Whether it is critical still, and not only from before the last victim went.
    private func hasEvidence(at now: Instant) -> Bool {
        if gauge.isCriticalByMemory { return true }
        guard let stalled = gauge.lastFullStall else { return false }
        return evictions.relievedAt.map { stalled >= $0 + settings.settling } ?? true
    }

    /// The same of a warning.
    private func hasWarningEvidence(at now: Instant) -> Bool {
        if gauge.isWarningByMemory { return true }
        guard let stalled = gauge.lastStall else { return false }
        return evictions.relievedAt.map { stalled >= $0 + settings.settling } ?? true
    }

    /// Ends the next one, where one has to go.
    mutating func shed(by snapshot: PressureSnapshot, at now: Instant) {
        guard victim == nil else { return }
        judge(snapshot)
        if evictOverLimit(snapshot, at: now) { return }
        if level == .warning { return evictLongestAsleep(snapshot, at: now) }
        guard level == .critical, canEvict, hasEvidence(at: now) else { return }
        let pretended = evictions.pretended.values.reduce(0, +)
        let missing = gauge.shortage(settings)
        // What would have gone would be enough.
        if !evictions.pretended.isEmpty, missing <= pretended { return }
        let eligibility = VictimChoice.Standing(
            gauge: gauge, settings: settings, fruitless: evictions.fruitless,
            passedOver: evictions.stuck.union(evictions.pretended.keys), pretended: pretended,
            lasted: evictions.since.map { now - $0 } ?? .zero)
        switch VictimChoice.among(snapshot, eligibility, at: now) {
        case .victim(let ranked):
            evictions.noVictim = nil
            begin(
                PressureVictim(
                    name: ranked.candidate.name, reason: .pressure, band: ranked.candidate.band,
                    benefit: ranked.benefit, grace: grace(for: ranked.candidate, at: now)),
                available: snapshot.sample.memory.available, at: now)
        case .nobody(let why, let shortfall):
            evictions.noVictim = why
            guard why != .mayBeOver, evictions.said.insert(why).inserted else { return }
            effects.append(.report(.nothingHelps(why, shortfall)))
        }
    }

    /// There has been a warning for too long: the worker that has slept longest is evicted, and none that runs.
    private mutating func evictLongestAsleep(_ snapshot: PressureSnapshot, at now: Instant) {
        guard canEvict, lasting.isDue(settings.longestWarning, at: now), hasWarningEvidence(at: now) else {
            return
        }
        let pretended = evictions.pretended.values.reduce(0, +)
        // What would have gone would be enough.
        if !evictions.pretended.isEmpty, gauge.shortage(below: settings.warningAvailable) <= pretended {
            return
        }
        let passedOver = evictions.stuck.union(evictions.pretended.keys)
        guard
            let ranked = VictimOrder.longestAsleep(snapshot, settings, at: now)
                .first(where: { !passedOver.contains($0.candidate.name) })
        else { return lasting.foundNobody(until: now + settings.freshSleep) }
        begin(
            PressureVictim(
                name: ranked.candidate.name, reason: .lastingWarning, band: ranked.candidate.band,
                benefit: ranked.benefit, grace: grace(for: ranked.candidate, at: now)),
            available: snapshot.sample.memory.available, at: now)
    }

    /// Over its own limit a worker goes at once, whatever its band.
    private mutating func evictOverLimit(_ snapshot: PressureSnapshot, at now: Instant) -> Bool {
        while !evictions.overLimit.isEmpty {
            let name = evictions.overLimit.removeFirst()
            guard let candidate = snapshot.candidates.first(where: { $0.name == name }), !candidate.isEnding,
                !evictions.stuck.contains(name)
            else { continue }
            begin(
                PressureVictim(
                    name: name, reason: .limit, band: candidate.band,
                    benefit: candidate.benefit(snapshot.sample), grace: grace(for: candidate, at: now)),
                available: snapshot.sample.memory.available, at: now)
            if victim != nil { return true }
        }
        return false
    }

    private mutating func begin(_ chosen: PressureVictim, available: Int64, at now: Instant) {
        guard !settings.observes else {
            effects.append(.report(.wouldEvict(chosen)))
            if chosen.reason != .limit { evictions.pretended[chosen.name] = chosen.benefit }
            evictions.relieved(at: now)
            return
        }
        victim = Outstanding(victim: chosen, since: now)
        evictions.pendingVictim = .init(benefit: chosen.benefit, available: available)
        effects.append(.evict(chosen))
        timers.arm(.victim, at: now + (chosen.grace ?? .zero) + settings.patience, &effects)
    }

    /// What willTerminate may take: the less, the less there is.
    private func grace(for candidate: PressureCandidate, at now: Instant) -> TimeSpan? {
        guard !candidate.diesSilently else { return nil }
        let isDire = (gauge.memory?.availablePercent ?? 100) < settings.criticalAvailable / 2
        return isDire || gauge.lastFullStall != nil ? settings.shortGrace : settings.grace
    }

    /// Whether the last victim's end has brought anything.
    private mutating func judge(_ snapshot: PressureSnapshot) {
        guard let last = evictions.pendingVictim else { return }
        evictions.pendingVictim = nil
        let gained = snapshot.sample.memory.available - last.available
        evictions.fruitless =
            gauge.isCriticalByMemory && gained < last.benefit / 4 ? evictions.fruitless + 1 : 0
    }

    mutating func released(_ worker: String, at now: Instant) {
        events[worker] = nil
        unanswered[worker] = nil
        warnings.released(worker)
        limits.forget(worker)
        evictions.stuck.remove(worker)
        evictions.overLimit.removeAll { $0 == worker }
        guard let gone = victim, gone.victim.name == worker else { return }
        effects.append(.report(.broughtBack(gone.victim, after: now - gone.since)))
        endVictim(at: now)
    }

    mutating func refused(_ worker: String, at now: Instant) {
        guard victim?.victim.name == worker else { return }
        // It would be chosen again at once.
        evictions.stuck.insert(worker)
        evictions.pendingVictim = nil
        endVictim(at: now)
    }

    mutating func victimStaysAway(at now: Instant) {
        guard let late = victim else { return }
        evictions.stuck.insert(late.victim.name)
        evictions.pendingVictim = nil
        effects.append(.report(.cannotBeFreed(late.victim, after: now - late.since)))
        endVictim(at: now)
    }

    private mutating func endVictim(at now: Instant) {
        victim = nil
        timers.disarm(.victim, &effects)
        evictions.relieved(at: now)
        if hasWork || !evictions.overLimit.isEmpty { look() }
    }
}
