/// The launch: from the wish to didFinishLaunching.
extension WorkerLifecycle {
    /// Starts a process for the present goal, if the start limit allows it.
    mutating func start(_ reason: LaunchReason, at now: Instant) {
        guard starts.allow(policy.restart, at: now) else {
            phase = .notRunning(.failed)
            effects.append(.warn(.startLimitHit))
            effects.append(.refuse(.startLimit, goalRequester))
            goal = .notRunning
            dropInbox(.startLimit)
            return
        }
        incarnation &+= 1
        let launch = Launch(
            incarnation: incarnation, reason: reason, intoForeground: effectiveGoal.isForeground,
            restoresState: hasSavedState)
        phase = .spawning(launch, doomed: nil)
        effects.append(.launch(launch))
    }

    mutating func launched(pid: Int32, at now: Instant, _ event: Event) {
        guard case .spawning(let launch, let doomed) = phase else { return report(event) }
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
        if let doomed {
            kill(.forceQuit, by: doomed.requester, at: now)
            running.ending?.relaunch = doomed.relaunch
            return
        }
        if let limit = policy.limits.launch { timers.arm(.launch, at: now + limit, &effects) }
    }

    mutating func launchFailed(errno: Int32, at now: Instant, _ event: Event) {
        guard case .spawning(let launch, let doomed) = phase else { return report(event) }
        let relaunch = doomed?.relaunch
        let rest = rest(
            after: .launchFailed, status: .unknown, ran: .zero,
            requested: doomed != nil || goal == .notRunning,
            at: now)
        effects.append(
            .record(
                TerminationRecord(
                    incarnation: launch.incarnation, pid: 0, launchReason: launch.reason, state: .notRunning,
                    goal: goal, cause: .launchFailed, status: .unknown, launchErrno: errno,
                    requester: doomed?.requester,
                    ran: .zero, inBackground: .zero, suspended: .zero, unfinished: nil, at: now,
                    restartsAt: timers[.backoff]?.due)))
        if let relaunch { start(relaunch, at: now) } else { comeToRest(rest) }
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
    }

    mutating func ready(_ event: Event) {
        guard process != nil else { return report(event) }
        running.isReady = true
        running.reloading = false
    }

    /// A past fact: it is inactive already, and there is no willResignActive to be given (1.3).
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
