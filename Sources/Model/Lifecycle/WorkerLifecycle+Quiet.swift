/// Quiet: what a worker that cannot say that it is done is waited for.
///
/// An action that completes `immediately` proves nothing, and neither does a launch or a wake into the background of a worker
/// without a connection of its own. Until its processor time stands still, or the limit of the rule has passed, it is not put to
/// sleep; nothing is ever killed for it.
extension WorkerLifecycle {
    /// Whether the completion of `callback` proves that the worker is done with it: its own connection says so, or a hook that
    /// waits for more than having been carried out.
    func isProving(_ callback: Callback) -> Bool {
        process?.attached?.contains(callback) ?? false || !policy.immediateHooks.contains(callback)
    }

    /// A callback or an activity is over; the worker may have only begun with it.
    mutating func tookWithoutProof(
        _ callback: Callback, _ completion: Completion, within limit: TimeSpan?, at now: Instant
    ) {
        guard completion == .done, !isProving(callback) else { return }
        expectQuiet(within: policy.limits.own[callback] ?? limit, at: now)
    }

    /// It runs in the background from now on, for whatever has launched or woken it.
    mutating func wokeWithoutConnection(at now: Instant) {
        guard let quiet = policy.quiet else { return }
        if running.attached == nil {
            expectQuiet(within: quiet.wake, at: now)
        } else if running.unconfirmed != nil {
            // Nothing ran out while it slept.
            expectQuiet(within: quiet.callback, at: now)
        }
    }

    /// It counts as done when it is quiet, or when `limit` has passed; looks from before say nothing.
    mutating func expectQuiet(within limit: TimeSpan?, at now: Instant) {
        guard policy.quiet != nil else { return }
        var until = limit.map { now + $0 }
        if let before = running.unconfirmed {
            until = before.until.flatMap { earlier in until.map { max(earlier, $0) } }
        }
        running.unconfirmed = Unconfirmed(until: until)
        timers.disarm(.quiet, &effects)
    }

    /// Whether it may sleep: it has been quiet, or has had its time.
    mutating func isDone(at now: Instant) -> Bool {
        guard let unconfirmed = running.unconfirmed else { return true }
        guard policy.quiet == nil || unconfirmed.until.map({ $0 <= now }) ?? false else { return false }
        running.unconfirmed = nil
        return true
    }

    /// Whether nothing but that keeps it from sleep.
    func isWaitingForQuiet(_ process: Process) -> Bool {
        guard process.unconfirmed != nil, process.slot == nil, process.ending == nil,
            process.launching == nil, goal == .suspended, !isKeptInBackground
        else { return false }
        switch process.position {
        case .background(.awake(.done)), .background(.awake(.woken)): return true
        case .inactive, .active, .background, .suspended: return false
        }
    }

    /// Has it looked at while it is waited for, and forgets what was seen where it is not.
    mutating func refreshQuiet() {
        guard case .running(let process) = phase, let unconfirmed = process.unconfirmed else {
            return timers.disarm(.quiet, &effects)
        }
        guard isWaitingForQuiet(process) else {
            timers.disarm(.quiet, &effects)
            if unconfirmed.isReading || unconfirmed.last != nil { forgetLooks() }
            return
        }
        if unconfirmed.last == nil, !unconfirmed.isReading { look() }
    }

    /// Begins anew with looking at what it uses.
    mutating func forgetLooks() {
        guard let until = process?.unconfirmed.map(\.until) else { return }
        timers.disarm(.quiet, &effects)
        running.unconfirmed = Unconfirmed(until: until)
    }

    private mutating func look() {
        running.unconfirmed?.isReading = true
        effects.append(.readCPU)
    }

    /// The window is over: what it has used meanwhile is looked up.
    mutating func lookAgain(at now: Instant) {
        guard let process, isWaitingForQuiet(process), let unconfirmed = process.unconfirmed,
            !unconfirmed.isReading, unconfirmed.until.map({ now < $0 }) ?? true
        else { return }
        look()
    }

    mutating func cpuRead(_ reading: CPUReading?, at now: Instant, _ event: Event) {
        guard let process, let unconfirmed = process.unconfirmed, unconfirmed.isReading,
            let quiet = policy.quiet
        else { return report(event) }
        running.unconfirmed?.isReading = false
        if let last = unconfirmed.last, let reading, quiet.isQuiet(from: last, to: reading, at: now) {
            running.unconfirmed = nil
            return
        }
        // What cannot be known is not quiet.
        running.unconfirmed?.last = Unconfirmed.Look(used: reading?.used ?? .zero, at: now)
        let next = now + quiet.window
        timers.arm(.quiet, at: unconfirmed.until.map { min($0, next) } ?? next, &effects)
    }
}

extension QuietPolicy {
    /// Whether a worker that had used so much at `last` was quiet from then to `now`.
    ///
    /// Time that goes back is of processes that have ended: something has happened.
    fileprivate func isQuiet(from last: Unconfirmed.Look, to reading: CPUReading, at now: Instant) -> Bool {
        let used = reading.used - last.used
        guard !reading.isRunnable, used >= .zero else { return false }
        let (hundredfold, overflow) = used.microseconds.multipliedReportingOverflow(by: 100)
        return !overflow && hundredfold < max(window, now - last.at).microseconds
    }
}
