/// Callbacks: one in flight at most, in order, each with its deadline.
extension WorkerLifecycle {
    /// Gives the worker a callback, or goes on at once when it has no receiver for it.
    mutating func deliver(
        _ callback: Callback, limit: TimeSpan?, inbound: Inbound? = nil, then: Continuation, at now: Instant
    ) {
        guard receivers.contains(callback) else {
            proceed(then, after: .done, at: now)
            return
        }
        let limit = policy.limits.limit(of: callback, or: limit)
        lastDelivery &+= 1
        running.slot = InFlight(
            id: lastDelivery, callback: callback, since: now, limit: limit, inbound: inbound, then: then)
        effects.append(
            .deliver(
                Delivery(
                    id: lastDelivery, callback: callback, inbound: inbound, deadline: limit.map { now + $0 }))
        )
        if let limit { timers.arm(.callback, at: now + limit, &effects) }
    }

    mutating func completed(_ id: UInt32, _ completion: Completion, at now: Instant, _ event: Event) {
        guard let process else { return report(event) }
        if let slot = process.slot, slot.id == id {
            running.slot = nil
            timers.disarm(.callback, &effects)
            if process.ending?.stage == .killed { return }
            tookWithoutProof(slot.callback, completion, within: policy.quiet?.callback, at: now)
            proceed(slot.then, after: completion, at: now)
        } else if let index = process.activities.firstIndex(where: { $0.id == id }) {
            let activity = running.activities.remove(at: index)
            timers.disarm(.activity(id), &effects)
            tookWithoutProof(activity.callback, completion, within: activity.limit, at: now)
            inspectAnew()
        } else {
            report(event)
        }
    }

    /// What a completion brings.
    private mutating func proceed(_ then: Continuation, after completion: Completion, at now: Instant) {
        switch then {
        case .none:
            break
        case .launch(let next):
            if completion == .refused { running.refusedLaunch = true }
            if let next { running.launching = next } else { launchCompleted(at: now) }
        case .resign(let cause):
            move(to: .inactive, cause, at: now)
        case .enterForeground:
            move(to: .inactive, .goal(goalRequester), at: now)
        case .leave(let next):
            let skipsSaving = next == .saveState && completion != .done
            let isTold = skipsSaving || next == .done
            running.position = .background(.awake(leave: isTold ? stepAfterTelling : next))
        case .terminate:
            if completion == .failed { sendStopSignal(at: now) }
        }
    }

    mutating func announced(_ callback: Callback, _ event: Event) {
        guard Event.announcements.contains(callback) else { return report(event) }
        guard let process else { return }  // A new process reads the present state itself.
        if callback == .didReceiveMemoryWarning, process.state == .suspended { return report(event) }
        if let isAvailable = callback.dataAvailability { return dataTurned(isAvailable) }
        running.announcements.insert(callback)
    }

    /// Protected data is available now, or is not: a pair, of which only the net change is told, and the truth last.
    ///
    /// A process that has not been told yet has read the present state itself: what waits is a change of that.
    private mutating func dataTurned(_ isAvailable: Bool) {
        let undone = Callback.protectedData(isAvailable: !isAvailable)
        let hasWaited = running.announcements.contains(undone)
        running.announcements.remove(undone)
        let isKnown = running.toldDataAvailable.map { $0 == isAvailable } ?? hasWaited
        guard !isKnown else { return }
        running.announcements.insert(.protectedData(isAvailable: isAvailable))
    }

    mutating func attached(_ callbacks: CallbackSet, _ event: Event) {
        guard let process else { return report(event) }
        running.attached = callbacks
        if process.launching == .attach { running.launching = .willFinish }
    }

    mutating func detached(at now: Instant, _ event: Event) {
        guard let process, process.attached != nil else { return report(event) }
        running.attached = nil
        // What it had not finished when it was killed belongs in its record.
        if process.ending?.stage == .killed { return }
        if process.launching != nil, policy.readiness == .app, process.ending == nil {
            return launchLostItsReceiver(process)
        }
        // No connection is left to complete what only it could; but a worker that ends closes it on its way, and its exit
        // completes willTerminate.
        if let slot = process.slot, slot.callback != .willTerminate, !policy.hooks.contains(slot.callback) {
            completed(slot.id, .failed, at: now, event)
        }
        for activity in process.activities where !policy.hooks.contains(activity.callback) {
            completed(activity.id, .failed, at: now, event)
        }
    }

    /// A launch is not complete because no receiver is left to complete it: it begins again when the worker has attached
    /// anew, and what it dies of shows in its exit (1.6: state that it dies with is set aside).
    private mutating func launchLostItsReceiver(_ process: Process) {
        if let slot = process.slot {
            guard !policy.hooks.contains(slot.callback) else { return }
            running.slot = nil
            timers.disarm(.callback, &effects)
        }
        running.launching = .attach
    }

    /// The deadline of an activity has passed.
    mutating func activityOverran(_ id: UInt32, at now: Instant) {
        guard let index = process?.activities.firstIndex(where: { $0.id == id }),
            let activity = process?.activities[index]
        else { return }
        if tellsExpiry(of: activity) { return tellExpiry(of: activity, at: now) }
        guard !policy.killsOverrun else { return kill(activity.inbound?.kind.overrun ?? .watchdog, at: now) }
        running.activities.remove(at: index)
        effects.append(.warn(.overrun(activity.callback)))
    }

    /// The deadline of the callback in flight has passed.
    mutating func callbackOverran(at now: Instant) {
        guard let slot = process?.slot else { return }
        switch slot.callback {
        case .didEnterBackground, .shouldSaveState, .saveState:
            guard !policy.killsOverrunInBackground else { return kill(.watchdog, at: now) }
            running.slot = nil
            effects.append(.warn(.overrun(slot.callback)))
            guard case .leave = slot.then else { return }
            running.position = .background(
                .awake(leave: slot.callback == .didEnterBackground ? .stuck : stepAfterTelling))
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
            .willEnterForeground, .willTerminate, .didReceiveMemoryWarning, .backgroundTaskWillExpire,
            .performFetch, .didReceiveNotifications, .openURL, .continueActivity, .handleTransferEvents,
            .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable, .significantTimeChange,
            .restoreState, .performProcessing:
            guard !policy.killsOverrun else { return kill(.watchdog, at: now) }
            running.slot = nil
            effects.append(.warn(.overrun(slot.callback)))
            proceed(slot.then, after: .failed, at: now)
        }
    }
}
