/// What a supervisor that was killed has left, taken over by the next one: the process is there, the connections are not.
extension WorkerLifecycle {
    /// Corrects a restored model of a process that still exists by what is lost with a supervisor, and returns what must now
    /// be done.
    ///
    /// - What waited to be given to the worker is gone, with its sender.
    /// - A callback that a hook was carrying out has failed: its end is not reported. One that went to the worker's own
    ///   connection is still in flight, and given again when the worker has connected anew; but what it brought is gone.
    /// - Notify messages of the meantime are lost: it is taken to be ready, and no longer reloading, since the
    ///   opposite would hold it up for ever or cost its life; and its watchdog has a full period.
    /// - SIGKILL is sent again. Freezing and thawing are the host's to find out.
    public mutating func recover(at now: Instant) -> [Effect] {
        guard case .running(let process) = phase else { return [] }
        defer { effects = [] }
        dropInbox(.ended)
        running.isReady = true
        running.reloading = false
        if let period = process.watchdog?.period, process.isAwake {
            running.watchdog?.due = now + period
            armWatchdog(at: now)
        }
        if let slot = process.slot, !isWithWorker(slot.callback, slot.inbound) {
            completed(slot.id, .failed, at: now, .completed(id: slot.id, .failed))
        }
        for activity in process.activities
        where !isWithWorker(activity.callback, activity.inbound) {
            completed(activity.id, .failed, at: now, .completed(id: activity.id, .failed))
        }
        // The answer to a look that was under way went to the predecessor.
        forgetLooks()
        if process.ending?.stage == .killed { effects.append(.kill) }
        if process.ending != nil, process.state == .suspended, timers[.ending] == nil { armEnding(at: now) }
        if process.position == .background(.inspecting) { effects.append(.inspectResources) }
        if idleness.isAsking { effects.append(.inspectUse) }
        advance(at: now)
        return effects
    }

    /// Whether a callback has gone to the worker's own connection, with nothing that could not be given again.
    private func isWithWorker(_ callback: Callback, _ inbound: Inbound?) -> Bool {
        guard process?.attached?.contains(callback) ?? false, callback != .didReceiveNotifications else {
            return false
        }
        return inbound == nil || inbound?.kind == .fetch || inbound?.kind == .processing
    }

    /// Whether a restored worker had been asked to sleep, or to wake, and what came of that was not seen.
    public var isBetweenSleeps: Bool {
        guard let process else { return false }
        switch process.position {
        case .background(.freezing): return true
        case .suspended(let sleep): return sleep.thawing
        case .inactive, .active, .background(.awake), .background(.inspecting): return false
        }
    }

    /// Whether it has been told that notifications wait.
    public var isQueueKnown: Bool { hasQueue }

    /// Whether a callback that was announced waits to be told.
    public func awaitsAnnouncement(of callback: Callback) -> Bool {
        process?.announcements.contains(callback) ?? false
    }

    /// The tokens of its background tasks, in order.
    public var taskTokens: [UInt32] {
        ((process?.tasks ?? []) + (process?.holds.map(\.token) ?? [])).sorted()
    }

    /// The callbacks that its connection receives, while one is attached.
    public var attachedCallbacks: CallbackSet? { process?.attached }

    /// What is in flight to the worker and not completed, in order: the callback first, then what it handles besides.
    public var batchesInFlight: [Delivery] {
        guard let process else { return [] }
        let slot = process.slot.map {
            Delivery(id: $0.id, callback: $0.callback, inbound: $0.inbound, deadline: timers[.callback]?.due)
        }
        return [slot].compactMap(\.self)
            + process.activities.map {
                Delivery(
                    id: $0.id, callback: $0.callback, inbound: $0.inbound,
                    deadline: timers[.activity($0.id)]?.due)
            }
    }

    /// Every timer that is armed, with the number under which it runs out.
    public var alarms: [(timer: Timer, due: Instant, generation: UInt32)] {
        timers.armed.map { ($0.timer, $0.due, $0.generation) }
    }

    /// The model of a process of which nothing is known but that it is there: in use, or asleep until it is needed.
    ///
    /// Its launch is over: it is told nothing of that a second time.
    public init(adopting pid: Int32, isAsleep: Bool, policy: Policy, at now: Instant) {
        self.init(policy: policy)
        goal = isAsleep ? .suspended : .active
        incarnation = 1
        let launch = Launch(incarnation: 1, reason: .restart, intoForeground: !isAsleep, restoresState: false)
        var process = ProcessFacts(
            launch: launch, pid: pid,
            position: isAsleep
                ? .suspended(Sleep(since: now, held: false, thawing: false))
                : policy.readiness == .exit ? .inactive : .active,
            // A oneshot worker is ready when it has ended.
            launching: policy.readiness == .exit ? .ready : nil,
            times: Times(started: now, stateSince: now))
        process.isReady = true
        // It lives by the contract, so it will connect.
        if policy.readiness == .app { process.attached = .all }
        process.watchdog = policy.limits.watchdog.map { Watchdog(period: $0, due: now + $0) }
        phase = .running(Process(process))
    }
}
