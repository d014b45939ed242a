/// Time: what comes due, and what moves a deadline (1.4 Time rules).
extension WorkerLifecycle {
    mutating func expired(_ timer: Timer, generation: UInt32, traced: Bool, at now: Instant) {
        // One that was replaced or disarmed while it ran out means nothing.
        guard timers.take(timer, generation: generation) else { return }
        if traced, isDeadline(timer) { return putOff(timer, at: now) }
        switch timer {
        case .launch: kill(.watchdog, at: now)
        case .callback: callbackOverran(at: now)
        case .backgroundTasks: backgroundTimeRanOut(at: now)
        case .grace: break  // The next step lets it sleep.
        case .activity(let id):
            guard let activity = process?.activities.first(where: { $0.id == id }) else { return }
            kill(activity.inbound.kind.overrun, at: now)
        case .watchdog: watchdogRanOut(at: now)
        case .idle: setGoal(.suspended, by: .idle)
        case .ending: endingOverran(at: now)
        case .backoff: start(.restart, at: now)
        }
    }

    /// Whether missing it costs something: the other timers are appointments.
    private func isDeadline(_ timer: Timer) -> Bool {
        switch timer {
        case .launch, .callback, .backgroundTasks, .activity, .watchdog: true
        case .ending: process?.ending?.stage != .killed
        case .grace, .idle, .backoff: false
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
        case .activity(let id): limit = process?.activities.first { $0.id == id }?.limit
        case .watchdog:
            limit = process?.watchdog?.period
            if let limit { running.watchdog?.due = now + limit }
        case .ending: return armEnding(at: now)
        case .grace, .idle, .backoff: return
        }
        if let limit { timers.arm(timer, at: now + limit, &effects) }
    }

    mutating func stalled(by gap: TimeSpan) {
        timers.shift(by: gap, &effects)
        guard case .running(let process) = phase else { return }
        if let ends = process.backgroundEnds { running.backgroundEnds = ends + gap }
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
        // In the background it is what a background task is to others (1.4), within the same budget.
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

    /// The budget runs while nothing but tasks keeps the worker from sleep; it has a timer while there are tasks.
    mutating func refreshBackgroundBudget(at now: Instant) {
        guard case .running(let process) = phase, process.state == .background, goal == .suspended,
            process.position != .background(.awake(leave: .stuck)), !keepsRunningContinuously,
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

    mutating func taskBegan(_ token: UInt32) {
        effects.append(.answerTask(token: token, beginTask(token)))
    }

    private mutating func beginTask(_ token: UInt32) -> TaskAnswer {
        guard let process else { return .notRunning }
        guard process.ending == nil else { return .ending }
        guard !process.tasks.contains(token) else { return .duplicate }
        guard process.tasks.count < policy.mostTasks else { return .tooMany }
        running.tasks.insert(token)
        return .began
    }

    mutating func taskEnded(_ token: UInt32) {
        let existed = process?.tasks.contains(token) ?? false
        if existed { running.tasks.remove(token) }
        effects.append(.answerTask(token: token, existed ? .ended : .noSuchTask))
    }

    // MARK: the rest

    mutating func cpuLimitExceeded(at now: Instant, _ event: Event) {
        guard let process, process.isAwake, process.state == .background, process.ending == nil else {
            return report(event)
        }
        if process.throttled { return kill(.backgroundCPU, at: now) }
        running.throttled = true
        effects.append(.throttle(true))
    }

    /// The idle delay runs while an active worker has nothing under way and nobody uses it.
    mutating func refreshIdleTimer(at now: Instant) {
        guard let idle = policy.idle, !inUse, goal == .active, let process, process.position == .active,
            process.slot == nil, process.ending == nil
        else { return timers.disarm(.idle, &effects) }
        guard timers[.idle] == nil else { return }
        timers.arm(.idle, at: now + idle.delay(after: idleness.falseIdles), &effects)
    }
}
