/// The process has ended: the record, and what comes after.
extension WorkerLifecycle {
    mutating func exited(_ status: ExitStatus, oomKilled: Bool, at now: Instant, _ event: Event) {
        guard case .running(var process) = phase else { return report(event) }
        let from = process.state
        let cause = cause(of: status, oomKilled: oomKilled, process.ending)
        process.facts.times.leave(from, at: now)
        let ran = now - process.times.started
        timers.disarmAll(&effects)
        let wasAskedTo =
            process.ending.map { $0.cause != .exited && $0.cause != .failed && $0.stage != .killed } ?? false
        let wanted = goal
        let rest =
            process.ending?.relaunch != nil
            ? nil
            : rest(
                after: cause, status: status, ran: ran, requested: wasAskedTo || endsForGood(cause), at: now)
        phase = .notRunning(rest ?? .exited)
        effects.append(
            .record(
                TerminationRecord(
                    incarnation: process.launch.incarnation, pid: process.pid,
                    launchReason: process.launch.reason, state: from, goal: wanted, cause: cause,
                    status: status,
                    launchErrno: nil, requester: process.ending?.requester, ran: ran,
                    inBackground: process.times.inBackground, suspended: process.times.suspended,
                    unfinished: process.slot.map { .init(callback: $0.callback, age: now - $0.since) },
                    at: now,
                    restartsAt: timers[.backoff]?.due)))
        publish(from: from, to: .notRunning, .ended(cause), at: now)
        for inbound in process.activities.compactMap(\.inbound) { effects.append(.drop(inbound, .ended)) }
        for hold in process.holds { effects.append(.holdOver(token: hold.token, .workerEnded)) }
        if let inbound = process.slot?.inbound { effects.append(.drop(inbound, .ended)) }
        if process.launching != nil, process.launch.restoresState, hasSavedState {
            // It died with its state in hand: never again.
            hasSavedState = false
            effects.append(.savedState(.setAside))
        }
        if let rest {
            comeToRest(rest)
        } else if let reason = process.ending?.relaunch {
            start(reason, isRestored: self.reason(after: cause) == .evicted, at: now)
        }
    }

    private func cause(of status: ExitStatus, oomKilled: Bool, _ ending: Ending?) -> TerminationRecord.Cause {
        let wasKilled =
            switch status {
            case .killed(signal: 9, coreDumped: _), .unknown: true
            case .exited, .killed: false
            }
        if let ending, ending.stage == .killed, wasKilled { return ending.cause }
        if oomKilled { return .kernelOOM }
        if let ending, ending.stage != .killed, ending.cause != .exited { return ending.cause }
        // It ended as it was asked to; what it had left missed the deadline.
        if let ending, ending.cause == .watchdog, let requester = ending.requester, requester != .worker {
            return EndingRequest(requester: requester).cause
        }
        if policy.restart.isClean(status) { return .exited }
        return switch status {
        case .exited, .unknown: .failed
        case .killed: .crashed
        }
    }

    /// Whether an end of this kind was requested.
    private func endsForGood(_ cause: TerminationRecord.Cause) -> Bool {
        switch cause {
        case .stopped, .forceQuit, .evicted, .memoryLimit: true
        case .exited, .failed, .crashed, .watchdog, .backgroundTask, .transfer, .fetch, .backgroundCPU,
            .heldResource, .kernelOOM, .launchFailed:
            goal == .notRunning
        }
    }

    /// Why it rests now; arms the delay when it is to be started again.
    mutating func rest(
        after cause: TerminationRecord.Cause, status: ExitStatus, ran: TimeSpan, requested: Bool,
        at now: Instant
    ) -> RestReason {
        if requested { return reason(after: cause) }
        // It was not needed while it slept: it is launched when it is needed.
        guard goal != .suspended, policy.restart.restarts(status, cause) else { return reason(after: cause) }
        let (limit, longest) = (policy.restart.limitInterval, policy.restart.longestDelay)
        if ran >= (limit > .zero ? limit : max(longest, .seconds(10))) { starts.failures = 0 }
        timers.arm(.backoff, at: now + policy.restart.delay(after: starts.failures), &effects)
        starts.failures += 1
        return .backingOff
    }

    private func reason(after cause: TerminationRecord.Cause) -> RestReason {
        switch cause {
        case .exited, .stopped: barred ? .forceQuit : .exited
        case .evicted, .memoryLimit: .evicted
        case .forceQuit: .forceQuit
        case .failed, .crashed, .watchdog, .backgroundTask, .transfer, .fetch, .backgroundCPU, .heldResource,
            .kernelOOM, .launchFailed:
            barred ? .forceQuit : .failed
        }
    }

    /// Takes note of how the last process of a worker that has not run yet ended, under a supervisor that has ended since.
    ///
    /// Nothing else is remembered of it; but it was launched, and why it rests decides what brings it back.
    public mutating func recall(_ cause: TerminationRecord.Cause) {
        guard phase == .notRunning(.neverLaunched), incarnation == 0 else { return }
        barred = cause == .forceQuit
        phase = .notRunning(reason(after: cause))
    }

    mutating func comeToRest(_ rest: RestReason) {
        phase = .notRunning(rest)
        guard rest != .backingOff else { return }
        // What ends by itself, or fails for good, is not where its requester needs it.
        if goal != .notRunning { goalRequester = rest == .evicted ? .memoryPressure : .supervisor }
        goal = .notRunning
        dropInbox(.ended)
    }
}
