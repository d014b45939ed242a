internal import ControlAPI
internal import Lifecycle
internal import Linux
internal import Notifications
internal import SupervisorPorts
internal import Varlink

/// The flush: all that waits goes out at once, oldest topic first, before anything else (1.2, 2.4).
///
/// What is handed out, and when it is tried again, is decided by ``FlushPlan``; here it is told what happens, and its effects are
/// carried out.
extension Supervisor {
    /// Tells the plan of a worker's flushes what has happened, where it has an inbox, and carries out what the plan decides.
    ///
    /// With `inTurn` an event of the worker's life is being handled: what the life is told of it comes after.
    func tellPlan(_ event: FlushPlan.Event, of worker: Worker, inTurn: Bool = false) {
        guard let box = worker.inbox else { return }
        let topics = worker.configuration.untilForeground
        if !topics.isEmpty || !box.plan.untilForeground.isEmpty { box.plan.untilForeground = topics }
        var effects: [FlushPlan.Effect] = []
        box.plan.handle(event, at: host.now, into: &effects)
        for effect in effects { perform(effect, on: worker, inTurn: inTurn || isDraining) }
    }

    private func perform(_ effect: FlushPlan.Effect, on worker: Worker, inTurn: Bool) {
        switch effect {
        case .announce: tellLife(.notificationsQueued, of: worker, inTurn: inTurn)
        case .announceForeground:
            tellLife(.foregroundNotificationsQueued, of: worker, inTurn: inTurn)
        case .deliver(let delivery, let entries):
            guard let receiver = worker.receiver else {
                return tellLife(.completed(id: delivery.id, .failed), of: worker, inTurn: inTurn)
            }
            worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: false, since: moment))
            receiver.deliver(message(delivery, worker, .notifications(entries)))
        case .beginHooks(let delivery):
            worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: true, since: moment))
        case .run(let job, let id): run(job, as: id, of: worker)
        case .cancel(let id): host.cancelHook(id, of: worker.id)
        case .complete(let id, let isTaken):
            tellLife(.completed(id: id, isTaken ? .done : .failed), of: worker, inTurn: inTurn)
        case .store: keepChanges(of: worker)
        case .taken: refreshTopicState(of: worker.id)
        case .arm(let due, _): arm(.flushRetry(worker.id), at: due)
        case .disarm: disarm(.flushRetry(worker.id))
        case .setAside(let entry):
            notify(worker, .notificationSetAside(topic: entry.topic.name, number: entry.sequence))
        case .removed(let entry):
            notify(worker, .notificationRemoved(topic: entry.topic.name, number: entry.sequence))
        }
    }

    private func tellLife(_ event: Event, of worker: Worker, inTurn: Bool) {
        if inTurn { enqueue(event, to: worker) } else { submit(event, to: worker) }
    }

    /// The life is ready for what waits.
    func deliverNotifications(_ delivery: Delivery, to worker: Worker) {
        if worker.awaitsReattachment(for: .didReceiveNotifications) {
            return worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: false, since: moment))
        }
        _ = openInbox(of: worker)
        host.passed("what waited for it", to: worker.id)
        let request = FlushPlan.Request(
            delivery, to: worker.notificationReceivers, isForeground: worker.life.isForegroundBound)
        tellPlan(.asked(request), of: worker, inTurn: true)
    }

    /// Sends the signals that queued notifications ask for, so that they are pending when the worker runs again (spec 4).
    func sendSignalsBeforeThaw(of worker: Worker) {
        guard let box = worker.inbox, !box.queue.isEmpty, !worker.life.isEnding else { return }
        tellPlan(
            .thawing(worker.notificationReceivers, isForeground: worker.life.isForegroundBound), of: worker,
            inTurn: true)
    }

    // MARK: hooks

    private func run(_ job: HookRun.Job, as id: UInt32, of worker: Worker) {
        guard let hook = worker.configuration.notificationHook(for: job.topic), hook.kind == job.kind else {
            // It comes again, as its file has it now.
            return tellPlan(.hookEnded(id, problem: .noReceiver(job.topic)), of: worker)
        }
        let call = HookCall(
            id: id, .didReceiveNotifications, job.entries.first.map(hook.naming) ?? hook,
            topic: job.topic.name, variables: variables(of: job, for: worker))
        run(call, of: worker)
    }

    private func variables(of job: HookRun.Job, for worker: Worker) -> [String: ByteString] {
        var variables = variables(of: .didReceiveNotifications, for: worker)
        guard let entry = job.entries.last else { return variables }
        func set(_ name: String, _ value: String) {
            // execve(2) takes no variable of more than 128 KiB.
            if value.utf8.count < 120 << 10 { variables["TORPOR_NOTIFICATION_\(name)"] = ByteString(value) }
        }
        set("TOPIC", entry.topic.name)
        set("SEQUENCE", "\(entry.sequence)")
        set("COUNT", "\(entry.count)")
        set("FIRST_USEC", "\(entry.first)")
        set("LAST_USEC", "\(entry.last)")
        if let payload = entry.payload { set("PAYLOAD", String(decoding: payload, as: UTF8.self)) }
        if entry.rule == .set {
            set("ADDED", JSON.array(entry.added.map { .string($0) }).text)
            set("REMOVED", JSON.array(entry.removed.map { .string($0) }).text)
        }
        if entry.dropped > 0 { set("DROPPED", "\(entry.dropped)") }
        return variables
    }

    /// A hook is over, if it is one for notifications; false when it is another's.
    func notificationHookEnded(
        _ id: UInt32, _ completion: Completion, _ result: HookResult, of worker: Worker
    ) -> Bool {
        guard id >= FlushPlan.firstHook else { return false }
        guard let topic = worker.inbox?.plan.topic(ofHook: id) else { return true }
        if let problem = result.problem {
            hookFailed(.didReceiveNotifications, topic: topic.name, problem, worker)
        } else if completion == .done {
            worker.hookSucceeded(.didReceiveNotifications, topic: topic.name)
        }
        let problem: FlushProblem? = completion == .done ? nil : .hookFailed(result.problem)
        tellPlan(.hookEnded(id, problem: problem), of: worker)
        return true
    }

    // MARK: the end of it

    /// The life waits no more for a flush: it was completed, its time is over, or no process is left to complete it.
    func flushEnded(_ delivery: UInt32, _ completion: Completion?, of worker: Worker) {
        let outcome = FlushPlan.Outcome(completion, hasProcess: worker.life.pid != nil)
        tellPlan(.ended(delivery, outcome), of: worker, inTurn: true)
    }

    /// Hands out again what was not taken: the time has come.
    func retryFlush(of id: WorkerID) {
        if let worker = workers[id] { tellPlan(.due, of: worker) }
    }
}

extension Worker {
    /// What takes its notifications now.
    fileprivate var notificationReceivers: NotificationReceivers {
        if receiver?.callbacks.contains(.didReceiveNotifications) ?? false { return .connection }
        return .hooks(
            NotificationHooks(
                configuration.notificationHooks.mapValues(\.kind),
                others: configuration.hooks[.didReceiveNotifications]?.kind))
    }
}

extension Hook {
    /// How it takes several notifications of a topic.
    fileprivate var kind: NotificationHooks.Kind {
        switch action {
        case .signal, .signals: .signal
        case .command, .input: .call
        }
    }

    /// The same, with the signals that `entry` names.
    fileprivate func naming(_ entry: QueuedNotification) -> Hook {
        guard action == .signals([]) else { return self }
        var hook = self
        hook.action = .signals(DeferredSignals.signals(of: entry))
        return hook
    }
}
