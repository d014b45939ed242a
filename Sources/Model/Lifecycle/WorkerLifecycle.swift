/// The life of one worker: takes facts and requests, returns what must now be done.
///
/// Pure: no clock, no files, no processes. Each request sets a goal; the model takes one legal step at a time towards it, with
/// one callback in flight at most, and a newer goal replaces an older one. Effects are to be carried out in their order,
/// after `handle` has returned; what they bring comes back as events.
public struct WorkerLifecycle: Hashable, Sendable {
    var sharedPolicy: SharedPolicy
    /// The goal of the worker.
    public internal(set) var goal: Goal = .notRunning
    /// The requester of the goal.
    public internal(set) var goalRequester: Requester = .supervisor
    /// The goal that `resume` and an outside continue restore.
    var goalBeforeSleep: Goal = .active
    /// Its end was asked for where it would sleep (`ExitsOnSuspend=`).
    public internal(set) var endsInsteadOfSleep = false
    var phase: Phase = .notRunning(.neverLaunched)
    var timers = Timers()
    /// What is to be given to the worker, in order; it outlives a process.
    var inbox: [Inbound] = []
    /// A wake without content still has to reach it.
    var wakePending = false
    /// The queue of notifications is not empty.
    var hasQueue = false
    /// The same of notifications that wait for the foreground.
    var hasForegroundQueue = false
    /// An interruption lasts.
    var interrupted = false
    /// Another worker of its foreground group holds the foreground.
    var foregroundTaken = false
    /// It was ended by force: background events do not bring it back.
    package var barred = false
    var hasSavedState = false
    /// It is in use: the idle delay does not run.
    var inUse = false
    var starts = StartHistory()
    var idleness = Idleness()
    var incarnation: UInt32 = 0
    var lastDelivery: UInt32 = 0
    /// Collected while an event is handled; empty in between.
    var effects: [Effect] = []

    /// A worker that has never run.
    public init(policy: Policy) {
        self.init(sharing: SharedPolicy(policy))
    }

    /// The same, with a policy that others have too.
    public init(sharing policy: SharedPolicy) {
        sharedPolicy = policy
    }

    /// The settings it decides by.
    public var policy: Policy {
        _read { yield sharedPolicy.value }
    }

    /// Applies `event`, which happened at `now`, and returns what must be done, in order.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        handle(event, at: now, into: &effects)
        return effects
    }

    /// The same, appended to `effects`, whose storage a caller with many events reuses.
    public mutating func handle(_ event: Event, at now: Instant, into effects: inout [Effect]) {
        swap(&self.effects, &effects)
        apply(event, at: now)
        advance(at: now)
        swap(&self.effects, &effects)
    }

    private mutating func apply(_ event: Event, at now: Instant) {
        switch event {
        case .requested(let request): requested(request, at: now)
        case .resumeRequested(let requester): resumeRequested(by: requester, at: now)
        case .restartRequested(let requester): restartRequested(by: requester, at: now)
        case .forceQuit(let requester): forceQuit(by: requester, at: now)
        case .woken(let wake): woken(wake, at: now)
        case .evictionRequested(let eviction): evictionRequested(eviction, at: now)
        case .interrupted: interrupted = true
        case .interruptionEnded: interrupted = false
        case .announced(let callback): announced(callback, event)
        case .notificationsQueued: hasQueue = true
        case .foregroundNotificationsQueued: hasForegroundQueue = true
        case .used(let inUse): used(inUse, at: now)
        case .foregroundTaken(let isTaken): foregroundTaken = isTaken
        case .policyChanged(let policy):
            // Another idle delay begins now.
            if policy.value.idle != self.policy.idle { timers.disarm(.idle, &effects) }
            sharedPolicy = policy
        case .savedState(let exists): savedState(exists)
        case .launched(let pid): launched(pid: pid, at: now, event)
        case .launchFailed(let errno): launchFailed(errno: errno, at: now, event)
        case .launchAbandoned: launchAbandoned(at: now, event)
        case .exited(let status, let oomKilled): exited(status, oomKilled: oomKilled, at: now, event)
        case .processingRevoked: processingRevoked(at: now)
        case .frozen: frozen(at: now, event)
        case .freezeFailed: freezeFailed(at: now, event)
        case .freezeRefused: freezeRefused(at: now, event)
        case .thawed: thawed(at: now, event)
        case .stoppedOutside: stoppedOutside(at: now, event)
        case .continuedOutside: continuedOutside(at: now, event)
        case .inspected(let held): inspected(held, at: now, event)
        case .cpuLimitExceeded: cpuLimitExceeded(at: now, event)
        case .cpuRead(let reading): cpuRead(reading, at: now, event)
        case .usedLast(let use): usedLast(use, at: now)
        case .startFailed: startFailed(at: now, event)
        case .ready: ready(event)
        case .reloading: reloadBegan(at: now, event)
        case .stopping: stoppingByItself(at: now, event)
        case .extendTimeout(let span): extendTimeout(by: span, at: now, event)
        case .watchdogPinged: watchdogPinged(at: now, event)
        case .watchdogTriggered: watchdogTriggered(at: now, event)
        case .watchdogChanged(let period): watchdogChanged(to: period, at: now, event)
        case .saidInUse(let inUse): saidInUse(inUse, at: now, event)
        case .mainProcessChanged(let pid): mainProcessChanged(to: pid, event)
        case .attached(let callbacks): attached(callbacks, event)
        case .detached: detached(at: now, event)
        case .completed(let id, let completion): completed(id, completion, at: now, event)
        case .taskBegan(let token, let holder): taskBegan(token, by: holder, at: now)
        case .taskEnded(let token): taskEnded(token)
        case .expired(let timer, let generation, let traced):
            expired(timer, generation: generation, traced: traced, at: now)
        case .stalled(let gap): stalled(by: gap)
        }
    }
}

// MARK: What others may ask

extension WorkerLifecycle {
    /// The state now.
    public var state: State {
        switch phase {
        case .notRunning, .spawning: .notRunning
        case .running(let process): process.state
        }
    }

    /// Whether its process has said that it is in use.
    public var saysInUse: Bool { if case .running(let process) = phase { process.saysInUse } else { false } }

    /// Why there is no process; nil while there is one or one is being started.
    public var restReason: RestReason? {
        switch phase {
        case .notRunning(let reason): reason
        case .spawning, .running: nil
        }
    }

    /// The process, if there is one.
    public var pid: Int32? { process?.pid }

    /// Which process of this worker, counted from 1; 0 before the first.
    public var currentIncarnation: UInt32 { incarnation }

    /// The launch that the present process, or the one on its way, came from.
    public var currentLaunch: Launch? {
        switch phase {
        case .notRunning: nil
        case .spawning(let launch, _): launch
        case .running(let process): process.launch
        }
    }

    /// Whether its process is in the foreground, or on the way there.
    public var isForegroundBound: Bool {
        guard let process else { return false }
        return process.state.isForeground || effectiveGoal.isForeground
    }

    /// Whether another program stopped it, so that no wake event resumes it.
    public var isHeld: Bool { sleep?.held ?? false }

    /// Whether it sleeps although it need not: another program has stopped it, or its thaw is not confirmed.
    public var isStuckAsleep: Bool { isHeld || isBeingThawed }

    /// Whether `Effect.thaw` is out and not confirmed.
    var isBeingThawed: Bool { sleep?.thawing ?? false }

    private var sleep: Sleep? { if case .suspended(let sleep) = process?.position { sleep } else { nil } }

    /// Whether the launch is not complete yet.
    public var isLaunching: Bool {
        switch phase {
        case .notRunning: false
        case .spawning: true
        case .running(let process): process.launching != nil
        }
    }

    /// Whether the launch that is under way has been called off: what becomes of it is no failure.
    public var isLaunchCalledOff: Bool {
        guard case .spawning(_, let pendingKill) = phase, let pendingKill else { return false }
        return pendingKill.cause != .watchdog
    }

    /// Whether the process that is being launched is no longer needed.
    public var isLaunchUnwanted: Bool {
        guard case .spawning(_, let pendingKill) = phase else { return false }
        return pendingKill != nil || goal == .notRunning
    }

    /// Whether it is awake only because it could not be frozen: that is tried again when `Timer.freeze` runs out.
    public var awaitsFreeze: Bool { timers[.freeze] != nil }

    /// Whether its end has begun.
    public var isEnding: Bool { process?.ending != nil }

    /// Whether the next request for a launch begins a process, so that options reach it (1.6).
    package var takesLaunchOptions: Bool { currentLaunch == nil || isEnding }

    /// Why its process ends, and the requester; nil while it does not.
    public var end: (cause: TerminationRecord.Cause, requester: Requester?)? {
        process?.ending.map { ($0.cause, $0.requester) }
    }

    /// Whether its process ends and is followed by another one.
    public var isRestarting: Bool { process?.ending?.relaunch != nil }

    /// Whether it waits in the background for the foreground that another worker of its group holds.
    public var awaitsForeground: Bool { foregroundTaken && goal.isForeground }

    /// Whether tasks, activities, time that it asked for or its mode keep it from the sleep that is its goal.
    public var isKeptAwake: Bool { state == .background && goal == .suspended && isKeptInBackground }

    /// Whether it is awake only because it has not been quiet yet since it was given something to do, and cannot say that it is
    /// done.
    public var awaitsQuiet: Bool { process.map(isWaitingForQuiet) ?? false }

    /// Whether a delivery of this id has not been completed yet.
    public func awaits(_ delivery: UInt32) -> Bool {
        guard let process else { return false }
        return process.slot?.id == delivery || process.activities.contains { $0.id == delivery }
    }

    /// The callback of the delivery of this id; nil where it is not waited for.
    package func callbackAwaited(as delivery: UInt32) -> Callback? {
        guard let process else { return nil }
        if let slot = process.slot, slot.id == delivery { return slot.callback }
        return process.activities.first { $0.id == delivery }?.callback
    }

    /// The callbacks that have a receiver now: the hooks, and the worker's own connection.
    public var receivedCallbacks: CallbackSet { receivers }

    /// The most background tasks that it may have at one time.
    public var mostTasks: Int { policy.mostTasks }

    /// Whether an interruption lasts.
    public var isInterrupted: Bool { interrupted }

    /// Whether it reloads its configuration.
    public var isReloading: Bool { process?.reloading ?? false }

    /// The callback in flight and since when.
    public var callbackInFlight: (callback: Callback, since: Instant)? {
        process?.slot.map { ($0.callback, $0.since) }
    }

    /// Whether its last use has been asked for, and not been told.
    public var asksForUse: Bool { idleness.isAsking }

    /// How long it must be idle at present until it is suspended; nil where it never is.
    package var idleDelay: TimeSpan? { policy.idle?.delay(after: idleness) }

    /// Every deadline that runs, the next first.
    public var deadlines: [(timer: Timer, due: Instant)] {
        timers.armed.map { ($0.timer, $0.due) }.sorted { $0.1 < $1.1 }
    }

    /// How often it has failed in a row.
    public var failuresInARow: Int { starts.failures }

    /// The number of background tasks, and of fetches, transfers and notifications being handled.
    public var backgroundWork: (tasks: Int, activities: Int) {
        ((process?.tasks.count ?? 0) + (process?.holds.count ?? 0), process?.activities.count ?? 0)
    }

    /// What is left of the background time; nil where nothing limits it.
    public func backgroundTimeRemaining(at now: Instant) -> TimeSpan? {
        guard let ends = process?.backgroundEnds else { return nil }
        return max(.zero, ends - now)
    }

    /// Since when it has been in its state; nil without a process.
    public var stateSince: Instant? { process?.times.stateSince }

    /// Whether the worker stands where it is wanted, or as near as it can, with nothing under way.
    public var isSettled: Bool {
        switch phase {
        case .notRunning(let reason): return reason != .backingOff
        case .spawning: return false
        case .running(let process):
            guard process.ending == nil, process.launching == nil, process.slot == nil else { return false }
            switch process.position {
            case .inactive, .active: return process.state == effectiveGoal.state
            case .background(.awake(.stuck)): return true
            case .background(.awake(.done)), .background(.awake(.woken)):
                return effectiveGoal == .background || isKeptInBackground
            case .background: return false
            case .suspended(let sleep): return sleep.held || (!sleep.thawing && effectiveGoal == .suspended)
            }
        }
    }

    /// Whether the worker dies silently when it is suspended and is to end.
    public var isSilentEvictable: Bool {
        switch policy.evictable {
        case .silent: true
        case .graceful, .no: false
        case nil: receivers.contains(.didEnterBackground) && isProving(.didEnterBackground)
        }
    }
}

// MARK: Parts that every concern uses

extension WorkerLifecycle {
    /// The goal as far as an interruption, a reload or another worker in the foreground lets it be pursued.
    var effectiveGoal: Goal {
        if foregroundTaken, goal.isForeground { return .background }
        return goal == .active && (interrupted || isReloading) ? .inactive : goal
    }

    var process: Process? {
        guard case .running(let process) = phase else { return nil }
        return process
    }

    /// The process, in place.
    ///
    /// Only where the phase is known to be `running`.
    var running: ProcessFacts {
        _read {
            guard case .running(let process) = phase else { preconditionFailure("no process") }
            yield process.facts
        }
        _modify {
            guard case .running(var process) = phase else { preconditionFailure("no process") }
            // This is then the only reference, unless a copy of the model has one.
            phase = .notRunning(.neverLaunched)
            defer { phase = .running(process) }
            yield &process.facts
        }
    }

    /// The callbacks that have a receiver now: the hooks, and the worker's own connection.
    var receivers: CallbackSet { policy.hooks.union(process?.attached ?? []) }

    mutating func report(_ event: Event) { effects.append(.report(Surprise(state: state, event: event))) }

    /// The one place where a state changes.
    mutating func publish(
        from: State, to: State, _ cause: Transition.Cause, notTold: CallbackSet = [],
        suspendedFor: TimeSpan? = nil, at now: Instant
    ) {
        assert(Transition.isLegal(from: from, to: to), "\(from) → \(to) is not in the table")
        effects.append(
            .publish(
                Transition(
                    from: from, to: to, cause: cause, notTold: notTold, suspendedFor: suspendedFor, at: now)))
    }

    /// Moves the process to another state.
    mutating func move(
        to position: Position, _ cause: Transition.Cause, notTold: CallbackSet = [],
        suspendedFor: TimeSpan? = nil, at now: Instant
    ) {
        let from = running.state
        running.times.leave(from, at: now)
        running.position = position
        // In the foreground it is in use: what it was woken for is nothing to wait for any more.
        if position.state.isForeground, from == .background { running.unconfirmed = nil }
        if from == .background, position.state.isForeground, running.throttled {
            running.throttled = false
            effects.append(.throttle(false))
        }
        publish(from: from, to: position.state, cause, notTold: notTold, suspendedFor: suspendedFor, at: now)
    }
}
