/// The launch: from the request to didFinishLaunching.
extension WorkerLifecycle {
    /// Starts a process for the present goal, if the start limit allows it; after an eviction it is a restore.
    mutating func start(_ reason: LaunchReason, isRestored: Bool = false, at now: Instant) {
        guard starts.allow(policy.restart, at: now) else {
            phase = .notRunning(.failed)
            effects.append(.warn(.startLimitHit))
            effects.append(.refuse(.startLimit, goalRequester))
            (goal, goalRequester) = (.notRunning, .supervisor)
            dropInbox(.startLimit)
            return
        }
        incarnation &+= 1
        let launch = Launch(
            incarnation: incarnation, reason: reason, intoForeground: effectiveGoal.isForeground,
            restoresState: hasSavedState, isRestored: isRestored)
        phase = .spawning(launch, pendingKills: nil)
        effects.append(.launch(launch))
        if let limit = policy.limits.launch { timers.arm(.launch, at: now + limit, &effects) }
    }

    /// Saved state exists now, or does not; where it is gone, a process that is being made restores none.
    mutating func savedState(_ exists: Bool) {
        hasSavedState = exists
        guard !exists, case .spawning(let launch, let pendingKills) = phase, launch.restoresState else {
            return
        }
        let bare = Launch(
            incarnation: launch.incarnation, reason: launch.reason, intoForeground: launch.intoForeground,
            restoresState: false, isRestored: launch.isRestored)
        phase = .spawning(bare, pendingKills: pendingKills)
    }

    /// A launch is not wanted any more, or has taken too long: no process of it has its program yet, so nothing is lost by SIGKILL.
    mutating func callOffLaunch(_ cause: TerminationRecord.Cause, by requester: Requester) {
        guard case .spawning(let launch, let pendingKill) = phase else { return }
        timers.disarm(.launch, &effects)
        if pendingKill == nil { effects.append(.kill) }
        phase = .spawning(launch, pendingKills: PendingKill(cause: cause, requester: requester))
    }

    mutating func launched(pid: Int32, at now: Instant, _ event: Event) {
        guard case .spawning(let launch, let pendingKills) = phase else { return report(event) }
        phase = .running(
            Process(
                ProcessFacts(
                    launch: launch, pid: pid,
                    position: launch.intoForeground ? .inactive : .background(.awake(leave: .woken)),
                    launching: policy.readiness == .app ? .attach : .willFinish,
                    times: Times(started: now, stateSince: now))))
        publish(
            from: .notRunning, to: launch.intoForeground ? .inactive : .background, .launched(launch.reason),
            at: now)
        if let pendingKills {
            kill(pendingKills.cause, by: pendingKills.requester, at: now)
            running.ending?.relaunch = pendingKills.relaunch
            return
        }
        if let limit = policy.limits.launch { timers.arm(.launch, at: now + limit, &effects) }
    }

    mutating func launchFailed(errno: Int32, at now: Instant, _ event: Event) {
        guard case .spawning(let launch, let pendingKills) = phase else { return report(event) }
        timers.disarm(.launch, &effects)
        let relaunch = pendingKills?.relaunch
        // One that has taken too long has failed; one that was called off has not.
        let calledOff = pendingKills.flatMap { $0.cause == .watchdog ? nil : $0.cause }
        let cause = calledOff ?? .launchFailed
        let rest = rest(
            after: cause, status: .unknown, ran: .zero,
            requested: calledOff != nil || relaunch != nil || goal == .notRunning, at: now)
        recordEnd(of: launch, cause, errno: errno, by: pendingKills?.requester, at: now)
        if let relaunch { start(relaunch, at: now) } else { comeToRest(rest) }
    }

    /// A launch that was ended since nothing wanted it any more has not failed: it counts as a stop, and is not tried again.
    ///
    /// A request that came while it was being ended begins a new one.
    mutating func launchAbandoned(at now: Instant, _ event: Event) {
        guard case .spawning(let launch, let pendingKills) = phase else { return report(event) }
        timers.disarm(.launch, &effects)
        let isWanted = goal != .notRunning && (pendingKills == nil || pendingKills?.relaunch != nil)
        let requester = pendingKills?.requester ?? (isWanted ? nil : goalRequester)
        let cause = pendingKills?.cause ?? .stopped
        recordEnd(of: launch, cause, errno: nil, by: requester, at: now)
        guard isWanted else {
            return comeToRest(rest(after: cause, status: .unknown, ran: .zero, requested: true, at: now))
        }
        let reason = pendingKills?.relaunch ?? (goalRequester.isOperator ? .operator : launch.reason)
        start(reason, isRestored: launch.isRestored, at: now)
    }

    /// Keeps the record of a launch that has come to no process.
    private mutating func recordEnd(
        of launch: Launch, _ cause: TerminationRecord.Cause, errno: Int32?, by requester: Requester?,
        at now: Instant
    ) {
        effects.append(
            .record(
                TerminationRecord(
                    incarnation: launch.incarnation, pid: 0, launchReason: launch.reason, state: .notRunning,
                    goal: goal, cause: cause, status: .unknown, launchErrno: errno, requester: requester,
                    ran: .zero, inBackground: .zero, suspended: .zero, unfinished: nil, at: now,
                    restartsAt: timers[.backoff]?.due)))
    }

    /// didFinishLaunching is complete.
    mutating func launchCompleted(at now: Instant) {
        running.launching = nil
        timers.disarm(.launch, &effects)
        effects.append(.launchCompleted)
        if running.launch.restoresState {
            hasSavedState = false
            effects.append(.savedState(.consumed))
        }
        if running.refusedLaunch {
            let refused = inbox.filter { $0.kind == .url || $0.kind == .activity }
            inbox.removeAll { $0.kind == .url || $0.kind == .activity }
            for inbound in refused { effects.append(.drop(inbound, .refusedByWorker)) }
        }
        if running.watchdog == nil, let period = policy.limits.watchdog {
            running.watchdog = Watchdog(period: period, due: now + period)
        }
        armWatchdog(at: now)
        if running.state == .background { wokeWithoutConnection(at: now) }
        inspectAnew()
    }

    mutating func ready(_ event: Event) {
        guard process != nil else { return report(event) }
        running.isReady = true
        running.reloading = false
    }

    /// A past fact: it is inactive already, and there is no willResignActive to be given.
    mutating func reloadBegan(at now: Instant, _ event: Event) {
        guard let process else { return report(event) }
        // Before its first READY a reload is part of the launch.
        guard process.launching == nil, process.ending == nil else { return }
        running.reloading = true
        guard process.position == .active else { return }
        let toldAlready = process.slot?.callback == .willResignActive
        if case .resign = process.slot?.then { running.slot?.then = .none }
        move(to: .inactive, .reload, notTold: toldAlready ? [] : CallbackSet([.willResignActive]), at: now)
    }

    mutating func mainProcessChanged(to pid: Int32, _ event: Event) {
        guard process != nil else { return report(event) }
        running.pid = pid
    }
}
