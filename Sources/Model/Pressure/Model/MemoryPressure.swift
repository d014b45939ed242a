package import Lifecycle

/// The policy of memory: takes facts of pressure and figures of workers, returns what must now be done.
///
/// Pure: no clock, no files. It warns running workers in their order, ends one victim at a time, waits until that one's memory is
/// back, and looks again. Effects are to be carried out in their order, after `handle` has returned.
package struct MemoryPressure: Hashable, Sendable {
    /// A victim whose memory is not back yet.
    package struct Outstanding: Hashable, Sendable {
        /// The worker.
        package let victim: PressureVictim
        /// Since when.
        package let since: Instant
    }

    /// When the kernel was first and last out of memory for a worker, without a longer pause.
    struct Unanswered: Hashable {
        var since: Instant
        var last: Instant
    }

    /// What it decides by.
    package internal(set) var settings: PressureSettings
    /// How short memory is.
    package internal(set) var gauge = PressureGauge()
    /// The level that was published; normal while there is nothing to do.
    package private(set) var level = PressureLevel.normal
    /// The worker that is being ended for memory.
    package internal(set) var victim: Outstanding?
    /// Whether the kernel tells by itself of everything that matters; without that the figures are looked at more often.
    package private(set) var isWoken = false
    /// Whether a worker could be evicted, as it was told last.
    package internal(set) var canEvict = false
    /// Whether a worker could be warned, as it was told last.
    package internal(set) var canWarn = false
    var timers = PressureTimers()
    /// When the figures were last looked at, or that was tried.
    var figuresAt: Instant?
    /// `memory.events` of each worker as they were told last.
    var events: [String: MemoryEvents] = [:]
    /// Workers for which the kernel is out of memory and has ended no process yet.
    var unanswered: [String: Unanswered] = [:]
    var evictions = EvictionRound()
    var warnings = WarningRound()
    /// How long there has been a warning.
    var lasting = LastingWarning()
    /// Whether workers run whose limits only the supervisor enforces, and what is known of those.
    package private(set) var seesToLimits = false
    var limits = LimitWatch()
    /// A snapshot is at hand: none is asked for.
    private var isLooking = false
    /// Collected while an event is handled; empty in between.
    var effects: [PressureEffect] = []

    /// A machine of which nothing is known, with nothing to do.
    package init(_ settings: PressureSettings = .init()) {
        self.settings = settings
    }

    /// Why no worker is ended although memory is critical; nil where it is not, or one is.
    package var noVictim: PressureReport.NoVictim? { level == .critical ? evictions.noVictim : nil }

    /// Whether anything could be evicted or warned; without that memory is not watched.
    package var hasWork: Bool { canEvict || canWarn }

    /// Applies `event`, which happened at `now`, and returns what must be done, in order.
    package mutating func handle(_ event: PressureEvent, at now: Instant) -> [PressureEffect] {
        apply(event, at: now)
        // A stall alone says little: the figures that were asked for tell whether it is a shortage of the machine.
        if !effects.contains(.sample) { publishLevel(at: now) }
        keepTime(at: now)
        defer { effects = [] }
        return effects
    }

    private mutating func apply(_ event: PressureEvent, at now: Instant) {
        switch event {
        case .fact(let fact): take(fact, at: now)
        case .looked(let snapshot): looked(snapshot, at: now)
        case .lookedAtLimits(let workers): lookedAtLimits(workers, at: now)
        case .limitsChanged(let areOurs):
            guard areOurs != seesToLimits else { return }
            seesToLimits = areOurs
            // The last one may have come to hold too much before it fell asleep.
            effects.append(.lookAtLimits)
        case .workersChanged(let canEvict, let canWarn):
            workersChanged(canEvict: canEvict, canWarn: canWarn, at: now)
        case .listening(let isWoken): self.isWoken = isWoken
        case .refused(let worker): refused(worker, at: now)
        case .settingsChanged(let new):
            settings = new
            if hasWork { look() }
        case .expired(let timer, let generation):
            guard timers.take(timer, generation: generation) else { return }
            expired(timer, at: now)
        }
    }

    private mutating func take(_ fact: PressureFact, at now: Instant) {
        switch fact {
        case .triggered(let kind, .machine), .triggered(let kind, .subtree): triggered(kind, at: now)
        case .triggered(_, .worker(let worker)): isShort(worker, at: now)
        case .stirred: stirred(at: now)
        case .sampled(let sample):
            take(sample, at: now)
            if wantsVictim(at: now) { look() }
        case .eventsChanged(let worker, let events): take(events, of: worker, at: now)
        case .overLimit(let worker):
            if !evictions.overLimit.contains(worker) { evictions.overLimit.append(worker) }
            look()
        case .released(let worker): released(worker, at: now)
        // A worker's ends with the worker.
        case .sourceLost(.worker): break
        case .sourceLost(let place): effects.append(.report(.sourceLost(place)))
        }
    }

    /// The figures are looked at, unless that was just done.
    private mutating func stirred(at now: Instant) {
        guard hasWork, figuresAt.map({ now - $0 >= SamplingPace.shortest }) ?? true else { return }
        figuresAt = now
        effects.append(.sample)
    }

    /// The machine's figures decide what a stall means; only where those say that memory is short all workers are looked at.
    private mutating func triggered(_ kind: PressureTrigger.Kind, at now: Instant) {
        guard hasWork else { return }
        gauge.fired(kind, at: now)
        figuresAt = now
        effects.append(.sample)
    }

    private mutating func take(_ new: MemoryEvents, of worker: String, at now: Instant) {
        guard let before = events.updateValue(new, forKey: worker) else { return }
        let news = new.since(before)
        if news.oomKill > 0 || news.oomGroupKill > 0 {
            unanswered[worker] = nil
            effects.append(.report(.killedByKernel(worker: worker, processes: max(news.oomKill, 1))))
        } else if news.oom > 0, staysUnanswered(worker, at: now) {
            return take(.overLimit(worker: worker), at: now)
        }
        if news.high > 0 || news.max > 0 { isShort(worker, at: now) }
    }

    /// Whether the kernel has been out of memory for a worker for a while and ended no process: it counts the one before the other.
    private mutating func staysUnanswered(_ worker: String, at now: Instant) -> Bool {
        var span = unanswered[worker] ?? Unanswered(since: now, last: now)
        if now - span.last > settings.killPatience { span.since = now }
        span.last = now
        unanswered[worker] = span
        return now - span.since >= settings.killPatience
    }

    private mutating func isShort(_ worker: String, at now: Instant) {
        warnings.isShort(worker, settings, at: now)
        if warnings.isDue(at: now) { look() }
    }

    private mutating func workersChanged(canEvict: Bool, canWarn: Bool, at now: Instant) {
        let hadWork = hasWork
        self.canEvict = canEvict
        self.canWarn = canWarn
        if hasWork, !hadWork {
            figuresAt = now
            effects.append(.sample)
        } else if !hasWork {
            gauge = PressureGauge()
            warnings.stop()
        }
    }

    private mutating func expired(_ timer: PressureTimer, at now: Instant) {
        switch timer {
        case .sample:
            // Tried, whether anything comes of it or not.
            figuresAt = now
            effects.append(.sample)
        case .limits: effects.append(.lookAtLimits)
        case .warning: look()
        case .victim: victimStaysAway(at: now)
        }
    }

    private mutating func looked(_ snapshot: PressureSnapshot, at now: Instant) {
        take(snapshot.sample, at: now)
        isLooking = true
        publishLevel(at: now)
        isLooking = false
        warnings.forget(allBut: snapshot, settings, at: now)
        shed(by: snapshot, at: now)
        tell(by: snapshot, at: now)
    }

    private mutating func lookedAtLimits(_ workers: [LimitedWorker], at now: Instant) {
        let (over, near, after) = limits.take(workers, warning: settings.limitWarning, at: now)
        for worker in over { take(.overLimit(worker: worker), at: now) }
        let awake = workers.filter { $0.isAwake && near.contains($0.name) }.map(\.name)
        warnings.areNearLimit(near, awake: awake, level, settings, at: now)
        if let due = warnings.due(level, allOfThem: tellsAll, settings), due <= now { look() }
        if seesToLimits, let after {
            let slack = TimeSpan(microseconds: after.microseconds / 10)
            timers.arm(.limits, at: now + after, slack: slack, &effects)
        } else {
            timers.disarm(.limits, &effects)
        }
    }

    mutating func take(_ sample: MemorySample, at now: Instant) {
        guard hasWork || !evictions.overLimit.isEmpty else { return }
        gauge.take(sample, settings, at: now)
        figuresAt = now
    }

    /// Asks for a snapshot, once.
    mutating func look() {
        if !effects.contains(.look) { effects.append(.look) }
    }

    /// The one place where the level changes.
    private mutating func publishLevel(at now: Instant) {
        let new = hasWork ? gauge.level : .normal
        guard new != level else { return }
        effects.append(.levelChanged(from: level, to: new, gauge.memory))
        evictions.beginPhase(at: now)
        lasting.levelChanged(to: new, settings.longestWarning, at: now)
        level = new
        // A worker that was told that it is short hears that it is over.
        guard new != .normal || (hasWork && warnings.hasTold) else { return }
        warnings.begin(settings, at: now)
        if !isLooking { look() }
    }

    /// Arms what must come due, and nothing while there is nothing to do.
    private mutating func keepTime(at now: Instant) {
        guard hasWork else {
            timers.disarm(.sample, &effects)
            timers.disarm(.warning, &effects)
            return
        }
        let pace = SamplingPace.next(
            gauge, settings, hasNoVictim: !canEvict || evictions.noVictim != nil, isWoken: isWoken)
        timers.arm(.sample, at: max(now, (figuresAt ?? now) + pace.after), slack: pace.slack, &effects)
        if let next = warnings.due(level, allOfThem: tellsAll, settings) {
            timers.arm(.warning, at: max(now, next), &effects)
        } else {
            timers.disarm(.warning, &effects)
        }
    }
}
