/// Requests of operators, wake sources and policies.
extension WorkerLifecycle {
    mutating func requested(_ request: Request, at now: Instant) {
        // Whatever makes room in the foreground, one that is to end ends.
        if request.requester == .handOver, request.goal == .suspended, goal == .notRunning { return }
        if let refusal = refusal(of: request) {
            effects.append(.refuse(refusal, request.requester))
            return
        }
        // The warm pool wants a process, and there is or will be one: its user is not disturbed.
        if request.reason == .prelaunch, isComing || restReason == .backingOff { return }
        if request.requester.isOperator, request.goal != .notRunning {
            barred = false
            starts = StartHistory()
        }
        if request.goal == .notRunning { dropInbox(.ended) }
        setGoal(request.goal, by: request.requester)
        if isHeld, request.goal != .notRunning, request.goal != .suspended {
            effects.append(.refuse(.heldOutside, request.requester))
        }
        want(request.reason, at: now)
    }

    /// Why a request is not taken; nil where it is.
    public func refusal(of request: Request) -> Refusal? {
        switch request.goal {
        case .active, .background:
            return barred && !request.requester.isOperator ? .forceQuit : nil
        case .inactive:
            return state == .active && !isEnding ? nil : .onlyFromActive
        case .suspended:
            // What it is for is done when it ends; asleep it would keep those waiting that come after it.
            if isComing, policy.readiness == .exit, request.requester.isOperator { return .runsToItsEnd }
            guard !isComing else { return nil }
            if request.reason != .prelaunch { return .notRunning }
            return barred && !request.requester.isOperator ? .forceQuit : nil
        case .notRunning:
            return nil
        }
    }

    /// Whether there is a process that can be put to sleep, or one on its way.
    private var isComing: Bool {
        switch phase {
        case .notRunning: false
        case .spawning(_, let pendingKill): pendingKill == nil || pendingKill?.relaunch != nil
        case .running(let process): process.ending.map { $0.relaunch != nil } ?? true
        }
    }

    mutating func setGoal(_ new: Goal, by requester: Requester) {
        if new == .suspended {
            switch goal {
            case .active, .inactive, .background: goalBeforeSleep = goal
            case .notRunning: goalBeforeSleep = .background
            case .suspended: break
            }
        }
        if new != .suspended { forgetFailedFreezes() }
        endsInsteadOfSleep = false
        goal = new
        goalRequester = requester
    }

    /// Sees to it that there is a process, or will be, for a goal that wants one.
    private mutating func want(_ reason: LaunchReason, at now: Instant) {
        switch phase {
        case .notRunning(let rest):
            // It is on its way already, and only a person may hurry it.
            if rest == .backingOff, goal != .notRunning, !goalRequester.isOperator { return }
            timers.disarm(.backoff, &effects)
            guard goal != .notRunning else {
                if rest == .backingOff { phase = .notRunning(.failed) }
                return
            }
            start(reason, isRestored: rest == .evicted, at: now)
        case .spawning:
            wantAgain(goal == .notRunning ? nil : reason)
        case .running(let process):
            if case .background(.awake(.stuck)) = process.position {
                forgetFailedFreezes()
                running.position = .background(.awake(leave: .done))
            }
            wantAgain(goal == .notRunning ? nil : reason)
        }
    }

    /// A process whose end cannot be called off is followed by another one, or no longer.
    private mutating func wantAgain(_ reason: LaunchReason?) {
        switch phase {
        case .notRunning:
            break
        case .spawning(let launch, let pendingKill):
            guard let pendingKill else { return }
            phase = .spawning(
                launch,
                pendingKills: PendingKill(
                    cause: pendingKill.cause, requester: pendingKill.requester, relaunch: reason))
        case .running:
            running.ending?.relaunch = reason
        }
    }

    /// Ends the process the graceful way and follows it by another one, which is led to the goal that holds then.
    ///
    /// One that does not run is launched into the foreground; one that is being launched is as new as it can be.
    mutating func restartRequested(by requester: Requester, at now: Instant) {
        guard goal != .notRunning, restReason == nil else {
            return requested(Request(.active, by: requester), at: now)
        }
        guard let process, process.ending == nil else { return wantAgain(.operator) }
        // It is no failure of the worker's that it is started once more.
        starts = StartHistory()
        beginEnding(.init(requester: requester), at: now)
        wantAgain(.operator)
    }

    mutating func resumeRequested(by requester: Requester, at now: Instant) {
        guard let process else {
            effects.append(.refuse(.notRunning, requester))
            return
        }
        let isAsleep = state == .suspended
        if case .suspended(let sleep) = process.position {
            running.position = .suspended(Sleep(since: sleep.since, held: false, thawing: sleep.thawing))
        }
        if goal == .suspended {
            setGoal(goalBeforeSleep, by: requester)
        } else if isAsleep {
            goalRequester = requester
        }
        // One that is awake and wanted so has nothing to be resumed from.
    }

    mutating func woken(_ wake: Wake, at now: Instant) {
        if barred, goal == .notRunning, !wake.intoForeground {
            if let inbound = wake.inbound {
                effects.append(.drop(inbound, .forceQuit))
            } else {
                effects.append(.refuse(.forceQuit, .wakeSource))
            }
            return
        }
        if let inbound = wake.inbound { inbox.append(inbound) }
        if state == .suspended { idleness.lingers = wake.reason == .socket }
        if wake.intoForeground {
            setGoal(.active, by: .wakeSource)
        } else {
            wakePending = true
        }
        switch phase {
        case .notRunning(let rest):
            if goal == .notRunning { setGoal(.suspended, by: .wakeSource) }
            guard rest != .backingOff else { return }  // It is on its way already.
            start(wake.reason, isRestored: rest == .evicted, at: now)
        case .spawning:
            if goal == .notRunning { setGoal(.suspended, by: .wakeSource) }
            wantAgain(wake.reason)
        case .running(let process):
            guard process.ending != nil else { return }
            if goal == .notRunning { setGoal(.suspended, by: .wakeSource) }
            wantAgain(wake.reason)
        }
    }

    mutating func evictionRequested(_ eviction: Eviction, at now: Instant) {
        guard let process, process.ending == nil,
            policy.evictable != .no || eviction.requester == .memoryLimit
        else {
            effects.append(.refuse(process == nil ? .notRunning : .notEvictable, eviction.requester))
            return
        }
        dropInbox(.ended)
        setGoal(.notRunning, by: eviction.requester)
        beginEnding(.init(requester: eviction.requester, grace: eviction.grace), at: now)
    }

    mutating func used(_ inUse: Bool, at now: Instant) {
        self.inUse = inUse
        if inUse { idleness.lingers = false }
        timers.disarm(.idle, &effects)  // It starts afresh where it still applies.
    }

    /// The worker itself says whether it is in use, which holds until it says otherwise or its process ends.
    mutating func saidInUse(_ inUse: Bool, at now: Instant, _ event: Event) {
        guard process != nil else { return report(event) }
        running.saysInUse = inUse
        if inUse { idleness.lingers = false }
        timers.disarm(.idle, &effects)
    }

    mutating func dropInbox(_ why: Refusal) {
        for inbound in inbox { effects.append(.drop(inbound, why)) }
        inbox = []
        wakePending = false
    }
}
