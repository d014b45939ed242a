/// Why and how an end is to be brought about.
struct EndingRequest {
    let requester: Requester
    var grace: TimeSpan?

    var cause: TerminationRecord.Cause {
        switch requester {
        case .memoryPressure: .evicted
        case .memoryLimit: .memoryLimit
        case .operator, .worker, .idle, .handOver, .dependency, .machine, .wakeSource, .supervisor: .stopped
        }
    }
}

/// The end: willTerminate, the stop signal, SIGKILL, and the termination record.
extension WorkerLifecycle {
    /// Begins an end that cannot be called off.
    ///
    /// A callback in flight is waited for, as long as its own deadline and the grace allow; a launch is not.
    mutating func beginEnding(_ request: EndingRequest, at now: Instant) {
        let process = running
        guard process.ending == nil else { return }
        running.ending = Ending(
            cause: request.cause, requester: request.requester, stage: .waking, grace: request.grace)
        timers.disarmAll(except: process.launching == nil ? .callback : nil, &effects)
        if process.launching != nil { running.slot = nil }
        switch process.position {
        case .suspended(let sleep): endSuspended(sleep, at: now)
        case .background(.freezing): break  // It is one or the other in a moment.
        case .inactive, .active, .background: if process.slot != nil { armEnding(at: now) }
        }
    }

    /// A suspended worker dies silently, or is woken for willTerminate.
    mutating func endSuspended(_ sleep: Sleep, at now: Instant) {
        guard let ending = running.ending, ending.stage == .waking else { return }
        // One that is being thawed may run already.
        let isToldAsleep = (policy.wakesToStop || sleep.thawing) && ending.cause == .stopped
        if isSilentEvictable, !isToldAsleep { return kill(ending.cause, by: ending.requester, at: now) }
        if !receivers.contains(.willTerminate) || running.launching != nil {
            // Pending before it thaws, so that it runs nothing else first.
            running.ending?.stage = .stopping
            effects.append(.stop)
        }
        if sleep.thawing { armEnding(at: now) } else { thaw(sleep, at: now) }
    }

    mutating func stepEnding(_ process: Process, _ ending: Ending, at now: Instant) -> Bool {
        switch (process.position, ending.stage) {
        case (.background(.freezing), _), (_, .killed):
            return false
        case (.suspended(let sleep), _):
            if !sleep.held, !sleep.thawing { thaw(sleep, at: now) }
            return false
        case (_, .waking):
            return tellEnding(process, ending, at: now)
        case (_, .notifying), (_, .stopping):
            return false
        }
    }

    /// willResignActive where it is active, then willTerminate, or the stop signal at once.
    private mutating func tellEnding(_ process: Process, _ ending: Ending, at now: Instant) -> Bool {
        guard process.launching == nil, receivers.contains(.willTerminate) || process.position == .active
        else {
            sendStopSignal(at: now)
            return true
        }
        if process.position == .active {
            if ending.cause == .stopped, receivers.contains(.willResignActive) {
                deliver(
                    .willResignActive, limit: policy.limits.callback, then: .resign(.goal(goalRequester)),
                    at: now)
                return true
            }
            if !receivers.contains(.willTerminate) {
                sendStopSignal(at: now)
                return true
            }
        }
        running.ending?.stage = .notifying
        deliver(.willTerminate, limit: nil, then: .terminate, at: now)
        armEnding(at: now)
        return true
    }

    mutating func sendStopSignal(at now: Instant) {
        running.ending?.stage = .stopping
        effects.append(.stop)
        armEnding(at: now)
    }

    /// Arms the limit of the present stage, first for a thaw that it needs, which may go on failing, and again when the worker runs.
    mutating func armEnding(at now: Instant) {
        guard let ending = running.ending, running.isAwake || isBeingThawed || ending.stage == .killed
        else { return }
        let limit: TimeSpan?
        switch ending.stage {
        case .waking: limit = running.isAwake ? nil : policy.limits.terminate
        case .notifying: limit = policy.limits.terminate
        case .stopping: limit = policy.limits.stop == .zero ? policy.limits.terminate : policy.limits.stop
        case .killed: limit = policy.limits.kill
        }
        let bounded = [limit, ending.stage == .killed ? nil : ending.grace].compactMap(\.self).min()
        if let bounded {
            timers.arm(.ending, at: now + bounded, &effects)
        } else {
            timers.disarm(.ending, &effects)
        }
    }

    /// The limit of a stage has passed.
    mutating func endingOverran(at now: Instant) {
        guard let ending = process?.ending else { return }
        if isBeingThawed, ending.stage != .killed {
            // It had no chance to end by itself, which is not its fault.
            effects.append(.warn(.thawFailed))
            return kill(ending.cause, at: now)
        }
        switch ending.stage {
        case .waking:
            kill(ending.cause, at: now)
        case .notifying where policy.limits.stop != .zero && ending.grace == nil:
            running.slot = nil
            sendStopSignal(at: now)
        case .notifying, .stopping:
            kill(ending.cause == .stopped || ending.cause == .exited ? .watchdog : ending.cause, at: now)
        case .killed:
            effects.append(.warn(.cannotBeKilled))
        }
    }

    /// SIGKILL to all of it, at once and silently.
    mutating func kill(
        _ cause: TerminationRecord.Cause, by requester: Requester? = nil, at now: Instant
    ) {
        let before = running.ending
        running.ending = Ending(
            cause: cause, requester: requester ?? before?.requester, stage: .killed, grace: nil,
            relaunch: before?.relaunch)
        timers.disarmAll(&effects)
        effects.append(.kill)
        armEnding(at: now)
    }

    mutating func forceQuit(by requester: Requester, at now: Instant) {
        barred = true
        dropInbox(.forceQuit)
        setGoal(.notRunning, by: requester)
        if hasSavedState {
            hasSavedState = false
            effects.append(.savedState(.dropped))
        }
        switch phase {
        case .notRunning:
            timers.disarm(.backoff, &effects)
            phase = .notRunning(.forceQuit)
        case .spawning:
            callOffLaunch(.forceQuit, by: requester)
        case .running:
            running.ending?.relaunch = nil
            kill(.forceQuit, by: requester, at: now)
        }
    }

    /// What runs when it is ready has failed: it is asked to end, and that is a failure of its own.
    mutating func startFailed(at now: Instant, _ event: Event) {
        guard let process, process.launching != nil, process.ending == nil else { return report(event) }
        running.slot = nil
        timers.disarmAll(&effects)
        running.ending = Ending(cause: .failed, requester: .supervisor, stage: .stopping, grace: nil)
        effects.append(.stop)
        armEnding(at: now)
    }

    /// STOPPING=1: it ends by itself, and has the time that a stop has.
    mutating func stoppingByItself(at now: Instant, _ event: Event) {
        guard let process else { return report(event) }
        guard process.ending == nil else { return }
        running.slot = nil
        timers.disarmAll(&effects)
        running.ending = Ending(cause: .exited, requester: .worker, stage: .stopping, grace: nil)
        armEnding(at: now)
    }
}
