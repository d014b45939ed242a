/// The walk: one legal step at a time towards the goal.
extension WorkerLifecycle {
    /// Takes every step that can be taken now.
    mutating func advance(at now: Instant) {
        while step(at: now) {}
        refreshBackgroundBudget(at: now)
        refreshIdleTimer(at: now)
        refreshQuiet()
    }

    /// Takes one step; false when the worker has to be waited for, or is where it belongs.
    private mutating func step(at now: Instant) -> Bool {
        guard case .running(let process) = phase else { return false }
        if case .suspended(let sleep) = process.position {
            // A callback that was in flight when another program stopped it does not keep it from waking.
            return process.ending.map { stepEnding(process, $0, at: now) }
                ?? stepSuspended(process, sleep, at: now)
        }
        if goal == .notRunning, process.launching != nil, process.ending == nil {
            // Its launch callbacks are not waited for.
            beginEnding(.init(requester: goalRequester), at: now)
            return true
        }
        guard process.slot == nil else { return false }
        if let ending = process.ending { return stepEnding(process, ending, at: now) }
        if case .background(.freezing) = process.position { return false }
        if case .background(.inspecting) = process.position { return false }
        if goal == .notRunning {
            beginEnding(.init(requester: goalRequester), at: now)
            return true
        }
        if let launching = process.launching { return stepLaunch(process, launching, at: now) }
        switch process.position {
        case .inactive: return stepInactive(process, at: now)
        case .active: return stepActive(process, at: now)
        case .background(.awake(let leave)): return stepBackground(process, leave, at: now)
        case .background, .suspended: return false
        }
    }

    // MARK: suspended

    private mutating func stepSuspended(_ process: Process, _ sleep: Sleep, at now: Instant) -> Bool {
        // An end does not wait for a thaw that is under way: it may go on failing.
        if goal == .notRunning {
            beginEnding(.init(requester: goalRequester), at: now)
            return true
        }
        guard !sleep.thawing, !sleep.held, wantsAwake(process) else { return false }
        thaw(sleep, at: now)
        return false
    }

    mutating func thaw(_ sleep: Sleep, at now: Instant) {
        running.position = .suspended(Sleep(since: sleep.since, held: false, thawing: true))
        effects.append(.thaw)
        if running.ending != nil { armEnding(at: now) }
    }

    func wantsAwake(_ process: Process) -> Bool {
        effectiveGoal != .suspended || wakePending || !process.tasks.isEmpty || !process.holds.isEmpty
            || !process.activities.isEmpty
            || inbox.contains { !$0.kind.needsForeground }
    }

    // MARK: launching

    private mutating func stepLaunch(_ process: Process, _ step: LaunchStep, at now: Instant) -> Bool {
        switch step {
        case .attach:
            return false
        case .willFinish:
            deliver(.willFinishLaunching, limit: nil, then: .launch(.restore), at: now)
        case .restore where process.launch.restoresState:
            deliver(.restoreState, limit: nil, then: .launch(.ready), at: now)
        case .restore:
            running.launching = .ready
        case .ready:
            switch policy.readiness {
            case .exec, .app: break
            case .notify: guard process.isReady else { return false }
            case .exit: return false
            }
            running.launching = .didFinish
        case .didFinish:
            deliver(.didFinishLaunching, limit: nil, then: .launch(nil), at: now)
        }
        return true
    }

    // MARK: foreground

    private mutating func stepInactive(_ process: Process, at now: Instant) -> Bool {
        if deliverWaiting(process, limit: policy.limits.resume, at: now) { return true }
        switch effectiveGoal {
        case .active, .inactive:
            if deliverForeground(at: now) { return true }
            guard effectiveGoal == .active else { return false }
            move(to: .active, .goal(goalRequester), at: now)
            deliver(.didBecomeActive, limit: policy.limits.callback, then: .none, at: now)
            return true
        case .background, .suspended:
            if policy.exitsOnSuspend { return endInsteadOfSleep() }
            move(to: .background(.awake(leave: .tell)), .goal(goalRequester), at: now)
            return true
        case .notRunning:
            return false
        }
    }

    private mutating func stepActive(_ process: Process, at now: Instant) -> Bool {
        if deliverWaiting(process, limit: policy.limits.resume, at: now) { return true }
        guard effectiveGoal != .active else { return deliverForeground(at: now) }
        let cause: Transition.Cause = goal == .active && interrupted ? .interruption : .goal(goalRequester)
        deliver(.willResignActive, limit: policy.limits.callback, then: .resign(cause), at: now)
        return true
    }

    /// Gives it the next URL, activity or user-facing notification.
    private mutating func deliverForeground(at now: Instant) -> Bool {
        guard let index = inbox.firstIndex(where: { $0.kind.needsForeground }) else { return false }
        let inbound = inbox.remove(at: index)
        guard receivers.contains(inbound.kind.callback) else {
            effects.append(.drop(inbound, .noReceiver))
            return true
        }
        deliver(inbound.kind.callback, limit: policy.limits.callback, inbound: inbound, then: .none, at: now)
        return true
    }

    // MARK: background

    private mutating func stepBackground(_ process: Process, _ leave: LeaveStep, at now: Instant) -> Bool {
        if leave == .tell {
            deliver(
                .didEnterBackground, limit: policy.limits.enterBackground, then: .leave(.askForState), at: now
            )
            return true
        }
        if deliverWaiting(process, limit: policy.limits.resume, at: now) { return true }
        if effectiveGoal.isForeground {
            deliver(.willEnterForeground, limit: policy.limits.callback, then: .enterForeground, at: now)
            return true
        }
        switch leave {
        case .tell, .stuck:
            return false
        case .askForState:
            deliver(.shouldSaveState, limit: policy.limits.enterBackground, then: .leave(.saveState), at: now)
            return true
        case .saveState:
            deliver(.saveState, limit: policy.limits.enterBackground, then: .leave(.done), at: now)
            return true
        case .look:
            inspect()
            return false
        case .woken where policy.tellsBackgroundAfterWake && goal == .background:
            // Where it is held it has arrived; on its way to sleep it is told when it has done what it came for.
            running.position = .background(.awake(leave: .tell))
            return true
        case .done, .woken:
            guard goal == .suspended, !isKeptInBackground else { return false }
            return fallAsleep(leave, at: now)
        }
    }

    private mutating func endInsteadOfSleep() -> Bool {
        setGoal(.notRunning, by: goalRequester)
        endsInsteadOfSleep = true
        return true
    }

    private mutating func fallAsleep(_ leave: LeaveStep, at now: Instant) -> Bool {
        guard isDone(at: now) else { return false }
        if policy.exitsOnSuspend { return endInsteadOfSleep() }
        if leave == .woken, policy.tellsBackgroundAfterWake {
            running.position = .background(.awake(leave: .tell))
            return true
        }
        if policy.inspectsBeforeSleep {
            inspect()
        } else {
            freeze()
        }
        return false
    }

    private mutating func inspect() {
        running.position = .background(.inspecting)
        effects.append(.inspectResources)
    }

    /// What follows when the worker has been told everything on its way to the background.
    var stepAfterTelling: LeaveStep { policy.releasesDevicesInBackground ? .look : .done }

    /// A launch into the background or work there is over: it may have opened what must be closed there.
    mutating func inspectAnew() {
        guard policy.releasesDevicesInBackground else { return }
        switch running.position {
        case .background(.awake(.woken)) where policy.tellsBackgroundAfterWake: break
        case .background(.awake(.done)), .background(.awake(.woken)):
            running.position = .background(.awake(leave: .look))
        case .inactive, .active, .background, .suspended: break
        }
    }

    mutating func freeze() {
        running.position = .background(.freezing)
        effects.append(.freeze)
    }

    /// Whether something keeps the worker from sleep although sleep is its goal.
    var isKeptInBackground: Bool {
        guard let process else { return false }
        return !process.tasks.isEmpty || !process.holds.isEmpty || !process.activities.isEmpty
            || timers[.grace] != nil || keepsRunningContinuously
    }

    /// The `continuous` mode keeps it awake, unless an operator wants it asleep all the same.
    var keepsRunningContinuously: Bool { policy.runsContinuously && !goalRequester.isOperator }

    // MARK: what a running worker is given in every state

    /// The queue first, then what was announced, then what is to be handled in the background.
    private mutating func deliverWaiting(_ process: Process, limit: TimeSpan?, at now: Instant) -> Bool {
        wakePending = false
        if hasQueue || hasForegroundQueue && isForegroundBound,
            !process.activities.contains(where: \.isFlush)
        {
            hasQueue = false
            if isForegroundBound { hasForegroundQueue = false }
            if process.state == .background, !effectiveGoal.isForeground {
                beginActivity(.didReceiveNotifications, nil, at: now)
            } else {
                deliver(.didReceiveNotifications, limit: limit, then: .none, at: now)
            }
            return true
        }
        if let announcement = deliverableAnnouncements(to: process).first {
            running.announcements.remove(announcement)
            if let isAvailable = announcement.dataAvailability { running.toldDataAvailable = isAvailable }
            deliver(announcement, limit: policy.limits.callback, then: .none, at: now)
            return true
        }
        guard let index = inbox.firstIndex(where: { !$0.kind.needsForeground }) else { return false }
        let inbound = inbox.remove(at: index)
        beginActivity(inbound.kind.callback, inbound, at: now)
        return true
    }

    /// What was announced and waits no longer for the foreground.
    func deliverableAnnouncements(to process: Process) -> CallbackSet {
        isForegroundBound
            ? process.announcements : process.announcements.subtracting(policy.foregroundAnnouncements)
    }

    /// Has something handled besides the callback slot; `inbound` is nil for the queue of notifications.
    private mutating func beginActivity(_ callback: Callback, _ inbound: Inbound?, at now: Instant) {
        guard receivers.contains(callback) else {
            if let inbound { effects.append(.drop(inbound, .noReceiver)) }
            if callback == .performProcessing { processWithoutReceiver(at: now) }
            return
        }
        lastDelivery &+= 1
        let activity = Activity(
            id: lastDelivery, callback: callback, inbound: inbound,
            limit: policy.limits.limit(ofActivity: callback))
        running.activities.append(activity)
        effects.append(
            .deliver(
                Delivery(
                    id: activity.id, callback: callback, inbound: inbound,
                    deadline: activity.limit.map { now + $0 })))
        arm(activity, at: now)
    }
}
