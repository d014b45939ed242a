/// Long work at a good time (`Modes=processing`): an activity whose deadline is announced, and may come sooner.
extension WorkerLifecycle {
    /// The deadline of something that is handled beside the callback slot runs from now on, afresh.
    ///
    /// That of long work comes in two steps: backgroundTaskWillExpire, and the end.
    mutating func arm(_ activity: Activity, at now: Instant) {
        if activity.expiryTold, let index = index(of: activity) {
            running.activities[index].expiryTold = false
        }
        guard let limit = activity.limit else { return }
        var fresh = activity
        fresh.expiryTold = false
        let first = tellsExpiry(of: fresh) ? limit - policy.limits.warning(before: limit) : limit
        timers.arm(.activity(activity.id), at: now + first, &effects)
    }

    /// Whether the worker is still to be told that the time of an activity is nearly over.
    func tellsExpiry(of activity: Activity) -> Bool {
        activity.callback == .performProcessing && !activity.expiryTold
            && receivers.contains(.backgroundTaskWillExpire)
    }

    /// Tells it, and sets the end.
    mutating func tellExpiry(of activity: Activity, at now: Instant) {
        running.announcements.insert(.backgroundTaskWillExpire)
        setEnd(of: activity, at: now)
    }

    /// The end comes when the time of the warning is over.
    private mutating func setEnd(of activity: Activity, at now: Instant) {
        guard let index = index(of: activity) else { return }
        running.activities[index].expiryTold = true
        let warning = policy.limits.warning(before: activity.limit ?? .seconds(600))
        let end = now + warning
        if let armed = timers[.activity(activity.id)], armed.due <= end { return }
        timers.arm(.activity(activity.id), at: end, &effects)
    }

    private func index(of activity: Activity) -> Int? {
        process?.activities.firstIndex { $0.id == activity.id }
    }

    /// A worker that cannot be told of its time for long work has it all the same: until it is quiet, or the limit has passed.
    mutating func processWithoutReceiver(at now: Instant) {
        guard process?.attached == nil else { return }
        expectQuiet(within: policy.limits.processing, at: now)
    }

    /// The time for its long work is over before its limit: it is told, and ends it within the time of the warning.
    ///
    /// What has not begun does not begin. A worker that cannot be told sleeps; one that runs to its end, and was launched for that
    /// work, is stopped, since it cannot sleep. In other cases the event means nothing, which is no surprise: the work may be over.
    mutating func processingRevoked(at now: Instant) {
        for inbound in inbox where inbound.kind == .processing { effects.append(.drop(inbound, .ended)) }
        inbox.removeAll { $0.kind == .processing }
        if currentLaunch?.reason == .processing, isLaunching, policy.readiness == .exit, !isEnding {
            if goal == .suspended { setGoal(.notRunning, by: .supervisor) }
            return
        }
        guard let process, process.isAwake, process.ending == nil else { return }
        if let activity = process.activities.first(where: { $0.callback == .performProcessing }) {
            guard !activity.expiryTold else { return }
            if tellsExpiry(of: activity) { running.announcements.insert(.backgroundTaskWillExpire) }
            setEnd(of: activity, at: now)
        } else if process.unconfirmed != nil, process.state == .background, goal == .suspended {
            running.unconfirmed?.until = now
        }
    }
}

extension WorkerLifecycle {
    /// Whether it may be launched or woken for long work; `hasHook` is whether its file has a hook for that.
    ///
    /// A launch is enough for one that does not run, and a wake for one that sleeps: what it does then is the work. One that is
    /// awake has to be told. An end by force, a stop by another program and a restart that is under way are respected.
    package func mayProcess(hasHook: Bool) -> Bool {
        switch restReason {
        case .forceQuit, .backingOff: return false
        case .neverLaunched, .exited, .evicted, .failed: return !barred
        case nil: break
        }
        guard process?.ending == nil, !isLaunching, !isHeld else { return false }
        return state == .suspended || hasHook || receivers.contains(.performProcessing)
    }
}
