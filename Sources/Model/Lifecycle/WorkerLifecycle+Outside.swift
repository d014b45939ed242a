/// Freezing and thawing, by the supervisor and by other programs.
extension WorkerLifecycle {
    mutating func frozen(at now: Instant, _ event: Event) {
        guard let process, process.position == .background(.freezing) else {
            // Told after what was taken for the answer to that freeze: it runs on.
            if process?.isAwake ?? false { effects.append(.thaw) }
            return report(event)
        }
        if isKilled { return }
        running.freezeFailures = 0
        fallAsleep(held: false, .goal(goalRequester), at: now)
        if goalRequester == .idle { idleness.asleepSince = now }
        // What costs nothing but a word is looked for when it sleeps already: nothing waits for that check.
        if policy.heldResources == .warn { effects.append(.inspectResources) }
        if case .suspended(let sleep) = running.position { endSuspended(sleep, at: now) }
    }

    /// SIGKILL is on its way: whatever is frozen or thawed now, it runs nothing of its own any more.
    private var isKilled: Bool { process?.ending?.stage == .killed }

    /// No deadline runs while it is suspended.
    private mutating func fallAsleep(held: Bool, _ cause: Transition.Cause, at now: Instant) {
        timers.disarmAll(&effects)
        running.backgroundEnds = nil
        running.expiryTold = false
        running.announcements.remove(.didReceiveMemoryWarning)
        running.announcements.remove(.backgroundTaskWillExpire)
        move(to: .suspended(Sleep(since: now, held: held, thawing: false)), cause, at: now)
    }

    /// It stays awake, and the freeze is tried again while sleep is wanted: what was in its way, such as a busy machine, passes.
    mutating func freezeFailed(at now: Instant, _ event: Event) {
        // One of the two answers an earlier freeze, and it may be either: it is to run now, whichever the last one was.
        if case .suspended(let sleep)? = process?.position, !sleep.held, !sleep.thawing, !isKilled {
            effects.append(.thaw)
            return awake(sleep, .goal(goalRequester), at: now)
        }
        guard let process, remainAwake(at: now) else { return report(event) }
        let failures = process.freezeFailures
        if goal == .suspended, process.ending == nil {
            timers.arm(.freeze, at: now + Self.freezeBackoff.delay(after: Int(failures)), &effects)
        }
        running.freezeFailures = min(failures + 1, Self.mostFreezeFailures)
        // One that goes on failing has been told of often enough; status and why go on telling.
        if failures < Self.mostFreezeFailures { effects.append(.warn(.freezeFailed)) }
    }

    /// Another worker needs it awake: no failure, and nothing that time mends.
    mutating func freezeRefused(at now: Instant, _ event: Event) {
        guard remainAwake(at: now) else { return report(event) }
        effects.append(.warn(.freezeFailed))
    }

    /// Where it has said STOPPING=1 while it was to be frozen, it has from here on the time that a stop has; false where it was not to be.
    private mutating func remainAwake(at now: Instant) -> Bool {
        guard process?.position == .background(.freezing) else { return false }
        running.position = .background(.awake(leave: .stuck))
        if process?.ending?.stage == .stopping { armEnding(at: now) }
        return true
    }

    /// The delay before the next attempt.
    private static let freezeBackoff = Backoff(first: .seconds(1), longest: .seconds(60))

    /// From here on the delay is at its longest.
    static let mostFreezeFailures: UInt8 = 7

    /// The delay after a failed freeze is over.
    mutating func freezeAgain() {
        if process?.position == .background(.awake(leave: .stuck)), goal == .suspended {
            running.position = .background(.awake(leave: .done))
        }
    }

    /// Sleep is not wanted any more, or is asked for anew.
    mutating func forgetFailedFreezes() {
        timers.disarm(.freeze, &effects)
        if let process, process.freezeFailures > 0 { running.freezeFailures = 0 }
    }

    mutating func inspected(_ held: HeldResource?, at now: Instant, _ event: Event) {
        guard let process else { return report(event) }
        if case .suspended = process.position, policy.heldResources == .warn {
            if held == .lock { effects.append(.warn(.holdsResource)) }
            return
        }
        guard process.position == .background(.inspecting) else {
            return opened(held, process, at: now, event)
        }
        running.position = .background(.awake(leave: .done))
        guard process.ending == nil else { return }
        if held == .backgroundDevice, !effectiveGoal.isForeground { return kill(.heldResource, at: now) }
        // Something else may have come up meanwhile, or it was not about to sleep: the next step starts over.
        guard !wantsAwake(process), !isKeptInBackground, !hasQueue,
            deliverableAnnouncements(to: process).isEmpty, !policy.exitsOnSuspend, isDone(at: now)
        else { return }
        if let held {
            if held != .lock || policy.heldResources == .kill { return kill(.heldResource, at: now) }
            effects.append(.warn(.holdsResource))
        }
        freeze()
    }

    /// It was not asked for what it holds: a device was opened, and must not be in the background.
    private mutating func opened(_ held: HeldResource?, _ process: Process, at now: Instant, _ event: Event) {
        guard policy.releasesDevicesInBackground else { return report(event) }
        // In the foreground it may have it, and so may one on the way there; of a launch there the end is looked at.
        guard held == .backgroundDevice, case .background(.awake) = process.position, process.ending == nil,
            process.launching == nil, !effectiveGoal.isForeground
        else { return }
        kill(.heldResource, at: now)
    }

    mutating func thawed(at now: Instant, _ event: Event) {
        guard let process, case .suspended(let sleep) = process.position, sleep.thawing else {
            return report(event)
        }
        if !isKilled { awake(sleep, goal == .suspended ? .woken : .goal(goalRequester), at: now) }
    }

    mutating func stoppedOutside(at now: Instant, _ event: Event) {
        guard let process else { return report(event) }
        // An end with a limit goes on: SIGKILL reaches a stopped process too.
        if isKilled || timers[.ending] != nil { return }
        switch process.position {
        case .suspended(let sleep):
            running.position = .suspended(Sleep(since: sleep.since, held: true, thawing: sleep.thawing))
        case .background(.freezing):
            running.freezeFailures = 0
            fallAsleep(held: true, .outside, at: now)
        case .inactive, .active, .background:
            running.freezeFailures = 0
            walkToSleep(process, at: now)
        }
        // An end that waits for a callback waits no longer: it would have no deadline.
        if case .suspended(let sleep) = running.position { endSuspended(sleep, at: now) }
    }

    /// Every legal step in one instant; the callbacks are recorded as not told, the goal stays.
    private mutating func walkToSleep(_ process: Process, at now: Instant) {
        let inFlight = process.slot.map { CallbackSet([$0.callback]) } ?? []
        switch process.slot?.then {
        case nil, .launch, .terminate: break
        case .some(.none), .resign, .enterForeground, .leave: running.slot?.then = .none
        }
        if process.position == .active {
            let notTold = CallbackSet([.willResignActive]).subtracting(inFlight)
            move(to: .inactive, .outside, notTold: notTold, at: now)
        }
        if process.state.isForeground {
            move(
                to: .background(.awake(leave: .done)), .outside, notTold: CallbackSet([.didEnterBackground]),
                at: now)
        }
        fallAsleep(held: true, .outside, at: now)
    }

    mutating func continuedOutside(at now: Instant, _ event: Event) {
        guard let process else { return report(event) }
        if isKilled { return }
        switch process.position {
        case .suspended(let sleep):
            giveInToOutside()
            awake(sleep, .outside, at: now)
        case .background(.freezing): giveInToOutside()
        case .inactive, .active, .background: report(event)
        }
    }

    /// The program that continues it needs it awake: the supervisor's goal gives way, so that the two never fight.
    private mutating func giveInToOutside() { if goal == .suspended { goal = goalBeforeSleep } }

    /// It runs again: every deadline starts afresh.
    private mutating func awake(_ sleep: Sleep, _ cause: Transition.Cause, at now: Instant) {
        if !goalRequester.isOperator { idleness.woke(at: now, policy.idle) }
        idleness.asleepSince = nil
        move(to: .background(.awake(leave: .woken)), cause, suspendedFor: now - sleep.since, at: now)
        guard let process else { return }
        if process.launching == nil, process.ending == nil { wokeWithoutConnection(at: now) }
        for hold in process.holds {
            if let until = hold.until { timers.arm(.hold(hold.token), at: max(now, until), &effects) }
        }
        if let slot = process.slot {
            running.slot?.since = now
            if let limit = slot.limit { timers.arm(.callback, at: now + limit, &effects) }
        }
        if process.ending != nil { return armEnding(at: now) }
        if process.launching != nil, let limit = policy.limits.launch {
            timers.arm(.launch, at: now + limit, &effects)
        }
        for activity in process.activities { arm(activity, at: now) }
        if let period = process.watchdog?.period { running.watchdog?.due = now + period }
        armWatchdog(at: now)
    }
}
