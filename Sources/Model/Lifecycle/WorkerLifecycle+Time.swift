/// Time: what comes due, and what moves a deadline.
extension WorkerLifecycle {
    mutating func expired(_ timer: Timer, generation: UInt32, traced: Bool, at now: Instant) {
        // One that was replaced or disarmed while it ran out means nothing.
        guard timers.take(timer, generation: generation) else { return }
        if traced, isDeadline(timer) { return putOff(timer, at: now) }
        switch timer {
        case .launch: launchOverran(at: now)
        case .callback: callbackOverran(at: now)
        case .backgroundTasks: backgroundTimeRanOut(at: now)
        case .grace: break  // The next step lets it sleep.
        case .activity(let id): activityOverran(id, at: now)
        case .watchdog: watchdogRanOut(at: now)
        case .idle: idleDelayRanOut()
        case .quiet: lookAgain(at: now)
        case .freeze: freezeAgain()
        case .hold(let token): holdRanOut(token)
        case .ending: endingOverran(at: now)
        case .backoff:
            // The restart policy launches it, not the requester of the earlier launch.
            goalRequester = .supervisor
            start(.restart, at: now)
        }
    }

    /// Whether missing it costs something: the other timers are appointments.
    private func isDeadline(_ timer: Timer) -> Bool {
        switch timer {
        case .launch, .callback, .backgroundTasks, .activity, .watchdog: true
        case .ending: process?.ending?.stage != .killed
        case .grace, .idle, .backoff, .quiet, .hold, .freeze: false
        }
    }

    /// The launch has taken too long, with a process or before there is one; where its end was asked for by then, that is the cause.
    private mutating func launchOverran(at now: Instant) {
        guard process == nil else { return kill(.watchdog, at: now) }
        if goal == .notRunning {
            callOffLaunch(.stopped, by: goalRequester)
        } else {
            callOffLaunch(.watchdog, by: .supervisor)
        }
    }

    /// A worker that is being debugged has its whole time again.
    private mutating func putOff(_ timer: Timer, at now: Instant) {
        let limit: TimeSpan?
        switch timer {
        case .launch: limit = policy.limits.launch
        case .callback: limit = process?.slot?.limit
        case .backgroundTasks:
            // The next step arms it again.
            running.backgroundEnds = nil
            running.expiryTold = false
            return
        case .activity(let id):
            if let activity = process?.activities.first(where: { $0.id == id }) { arm(activity, at: now) }
            return
        case .watchdog:
            limit = process?.watchdog?.period
            if let limit { running.watchdog?.due = now + limit }
        case .ending: return armEnding(at: now)
        case .grace, .idle, .backoff, .quiet, .hold, .freeze: return
        }
        if let limit { timers.arm(timer, at: now + limit, &effects) }
    }

    mutating func stalled(by gap: TimeSpan) {
        timers.shift(by: gap, &effects)
        guard case .running(let process) = phase else { return }
        if let ends = process.backgroundEnds { running.backgroundEnds = ends + gap }
        if let until = process.unconfirmed?.until { running.unconfirmed?.until = until + gap }
        for index in process.holds.indices {
            if let until = process.holds[index].until { running.holds[index].until = until + gap }
        }
        if let due = process.watchdog?.due { running.watchdog?.due = due + gap }
    }

    /// EXTEND_TIMEOUT_USEC: later, never sooner, for the deadline that runs and the watchdog.
    mutating func extendTimeout(by span: TimeSpan, at now: Instant, _ event: Event) {
        guard let process, process.isAwake else { return report(event) }
        let due = now + span
        if let watchdog = process.watchdog { running.watchdog?.due = max(watchdog.due, due) }
        var extended = false
        for timer in [Timer.launch, .callback, .ending] {
            guard let armed = timers[timer], process.ending?.stage != .killed else { continue }
            extended = true
            if armed.due < due { timers.arm(timer, at: due, &effects) }
        }
        guard !extended, process.ending == nil, process.launching == nil, process.state == .background else {
            return
        }
        // In the background it is what a background task is to others, within the same budget.
        timers.arm(.grace, at: min(due, process.backgroundEnds ?? due), &effects)
    }

    // MARK: the watchdog

    mutating func armWatchdog(at now: Instant) {
        guard let process, process.launching == nil, let watchdog = process.watchdog, process.isAwake,
            process.ending == nil
        else { return }
        timers.arm(.watchdog, at: watchdog.due, &effects)
    }

    mutating func watchdogPinged(at now: Instant, _ event: Event) {
        guard let process else { return report(event) }
        guard let watchdog = process.watchdog else { return }  // Not asked for: harmless.
        // The timer stays where it is and looks again: a ping costs nothing.
        running.watchdog?.due = max(watchdog.due, now + watchdog.period)
    }

    mutating func watchdogTriggered(at now: Instant, _ event: Event) {
        guard let process, process.ending == nil, process.isAwake else { return report(event) }
        kill(.watchdog, at: now)
    }

    mutating func watchdogChanged(to period: TimeSpan?, at now: Instant, _ event: Event) {
        guard process != nil else { return report(event) }
        timers.disarm(.watchdog, &effects)
        running.watchdog = period.map { Watchdog(period: $0, due: now + $0) }
        armWatchdog(at: now)
    }

    private mutating func watchdogRanOut(at now: Instant) {
        guard let watchdog = process?.watchdog else { return }
        if now < watchdog.due {
            timers.arm(.watchdog, at: watchdog.due, &effects)
        } else {
            kill(.watchdog, at: now)
        }
    }

    // MARK: background time

    /// The budget runs while nothing but its own tasks keeps the worker from sleep; it has a timer while there are tasks.
    mutating func refreshBackgroundBudget(at now: Instant) {
        guard case .running(let process) = phase, process.state == .background, goal == .suspended,
            process.position != .background(.awake(leave: .stuck)), !keepsRunningContinuously,
            process.holds.isEmpty,
            process.ending == nil, process.launching == nil, let limit = policy.limits.backgroundTasks
        else {
            timers.disarm(.backgroundTasks, &effects)
            if case .running(let process) = phase, process.backgroundEnds != nil {
                running.backgroundEnds = nil
                running.expiryTold = false
            }
            return
        }
        let ends = process.backgroundEnds ?? now + limit
        if process.backgroundEnds == nil {
            running.backgroundEnds = ends
            // Time that was asked for while nothing limited it counts too.
            if let grace = timers[.grace], ends < grace.due { timers.arm(.grace, at: ends, &effects) }
        }
        guard !process.tasks.isEmpty else { return timers.disarm(.backgroundTasks, &effects) }
        guard timers[.backgroundTasks] == nil else { return }
        let warns = receivers.contains(.backgroundTaskWillExpire) && !process.expiryTold
        let warning = Instant.zero + (ends - .zero - policy.limits.warning(before: limit))
        timers.arm(.backgroundTasks, at: warns ? warning : ends, &effects)
    }

    private mutating func backgroundTimeRanOut(at now: Instant) {
        guard let process, let ends = process.backgroundEnds else { return }
        if receivers.contains(.backgroundTaskWillExpire), !process.expiryTold {
            running.expiryTold = true
            running.announcements.insert(.backgroundTaskWillExpire)
            timers.arm(.backgroundTasks, at: ends, &effects)
        } else {
            kill(.backgroundTask, at: now)
        }
    }

    mutating func taskBegan(_ token: UInt32, by holder: TaskHolder, at now: Instant) {
        effects.append(.answerTask(token: token, beginTask(token, by: holder, at: now)))
    }

    private mutating func beginTask(_ token: UInt32, by holder: TaskHolder, at now: Instant) -> TaskAnswer {
        guard let process else { return .notRunning }
        guard process.ending == nil else { return .ending }
        guard !process.tasks.contains(token), !process.holds.contains(where: { $0.token == token }) else {
            return .duplicate
        }
        guard process.tasks.count + process.holds.count < policy.mostTasks else { return .tooMany }
        switch holder {
        case .worker: running.tasks.insert(token)
        case .other(let limit):
            let until = limit.map { now + $0 }
            running.holds.append(Hold(token: token, until: until))
            // Asleep no deadline runs: it is armed when the worker is awake.
            if let until, process.state != .suspended { timers.arm(.hold(token), at: until, &effects) }
        }
        return .began
    }

    mutating func taskEnded(_ token: UInt32) {
        let existed = endTask(token)
        effects.append(.answerTask(token: token, existed ? .ended : .noSuchTask))
    }

    /// Whether there was such a task.
    private mutating func endTask(_ token: UInt32) -> Bool {
        guard let process else { return false }
        if process.tasks.contains(token) {
            running.tasks.remove(token)
        } else if let index = process.holds.firstIndex(where: { $0.token == token }) {
            running.holds.remove(at: index)
            timers.disarm(.hold(token), &effects)
        } else {
            return false
        }
        return true
    }

    /// The limit that the holder of a task has set has passed: the worker may sleep again, and lives on.
    private mutating func holdRanOut(_ token: UInt32) {
        if endTask(token) { effects.append(.holdOver(token: token, .limit)) }
    }

    mutating func cpuLimitExceeded(at now: Instant, _ event: Event) {
        guard let process, process.isAwake, process.state == .background, process.ending == nil else {
            return report(event)
        }
        if process.throttled { return kill(.backgroundCPU, at: now) }
        running.throttled = true
        effects.append(.throttle(true))
    }
}

/// Idleness: how long an active worker is left alone before it sleeps.
extension WorkerLifecycle {
    /// The idle delay runs while an active worker has nothing under way, is not in use, does not say so, and is not held.
    mutating func refreshIdleTimer(at now: Instant) {
        guard let idle = policy.idle, !inUse, goal == .active, let process, process.position == .active,
            process.slot == nil, process.ending == nil, process.holds.isEmpty, !process.saysInUse
        else {
            idleness.isAsking = false
            return timers.disarm(.idle, &effects)
        }
        guard timers[.idle] == nil, !idleness.isAsking else { return }
        if idle.isJudged { effects.append(.beginUse) }
        timers.arm(.idle, at: now + idle.delay(after: idleness), &effects)
    }

    private mutating func idleDelayRanOut() {
        guard policy.idle?.isJudged ?? false else { return setGoal(.suspended, by: .idle) }
        idleness.isAsking = true
        effects.append(.inspectUse)
    }

    /// The delay counts from its last use on.
    mutating func usedLast(_ use: LastUse, at now: Instant) {
        // What was asked before something came up means nothing any more.
        guard idleness.isAsking, let idle = policy.idle else { return }
        idleness.isAsking = false
        if !use.isExchange { idleness.lingers = false }
        let delay = idle.delay(after: idleness)
        guard let last = use.at, now < min(last, now) + delay else { return setGoal(.suspended, by: .idle) }
        timers.arm(.idle, at: min(last, now) + delay, &effects)
    }
}

/// The machine's own sleep.
extension WorkerLifecycle {
    /// Counts a sleep of the machine of this length as time that has passed since the process was started and since it fell asleep.
    ///
    /// The monotonic clock stands still in it (`CLOCK_MONOTONIC`), so that no deadline runs; how long a worker slept is told as people
    /// and its own clock count it (`CLOCK_BOOTTIME`).
    public mutating func countMachineSleep(_ span: TimeSpan) {
        guard case .running(let process) = phase, span > .zero else { return }
        running.times.moveBack(by: span)
        if case .suspended(let sleep) = process.position {
            running.position = .suspended(
                Sleep(since: sleep.since + (.zero - span), held: sleep.held, thawing: sleep.thawing))
        }
    }
}
