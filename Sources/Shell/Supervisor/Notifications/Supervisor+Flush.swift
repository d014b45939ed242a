internal import ControlAPI
internal import Lifecycle
internal import Linux
internal import Notifications
internal import SupervisorPorts
internal import Varlink

/// The flush: all that waits goes out at once, oldest topic first, before anything else (1.2, 2.4).
///
/// A connection takes it as a whole, and completes it. Hooks take one entry after the other, each by its exit; what one of them
/// has not taken comes again, with all later ones of its topic.
extension Supervisor {
    /// Ids of hooks for notifications: those of deliveries are far below.
    private static let firstNotificationHook: UInt32 = 1 << 31

    /// The model is ready for what waits.
    func deliverNotifications(_ delivery: Delivery, to worker: Worker) {
        if worker.awaitsReattachment(for: .didReceiveNotifications) {
            return worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: false))
        }
        let box = openInbox(of: worker)
        box.isAnnounced = false
        // What was not taken is left alone until it is tried again.
        guard box.retryAt == nil || box.batch != nil else {
            return enqueue(.completed(id: delivery.id, .done), to: worker)
        }
        box.suspects = []
        let isConnected = worker.receiver?.callbacks.contains(.didReceiveNotifications) ?? false
        var batch = box.batch ?? Batch()
        if box.batch == nil {
            let entries = box.queue.flush(apart: isConnected)
            guard !entries.isEmpty else { return enqueue(.completed(id: delivery.id, .done), to: worker) }
            if isConnected, let receiver = worker.receiver {
                batch.delivery = delivery.id
                batch.isWhole = true
                box.batch = batch
                worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: false))
                if !box.queue.isEmpty {
                    // Known to the model before this is completed: the rest comes next, before anything else.
                    box.isAnnounced = true
                    enqueue(.notificationsQueued, to: worker)
                }
                return receiver.deliver(message(delivery, worker, .notifications(entries)))
            }
            plan(entries, into: &batch, for: worker)
        }
        batch.delivery = delivery.id
        box.batch = batch
        worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: true))
        runNextHook(of: worker)
    }

    /// What is to be run for the entries: signals once for each topic, all else once for each entry.
    private func plan(_ entries: [QueuedNotification], into batch: inout Batch, for worker: Worker) {
        for entry in entries {
            guard let hook = worker.configuration.notificationHook(for: entry.topic) else {
                batch.failed.insert(entry.topic)
                batch.problem = "\(entry.topic) no longer has a receiver"
                continue
            }
            if hook.isSignal,
                let index = batch.jobs.firstIndex(where: { $0.topic == entry.topic })
            {
                batch.jobs[index].entries.append(entry)
            } else {
                batch.jobs.append(
                    Batch.Job(topic: entry.topic, hook: hook.naming(entry), entries: [entry]))
            }
        }
    }

    /// Sends the signals that queued notifications ask for, so that they are pending when the worker runs again (spec 4).
    func sendSignalsBeforeThaw(of worker: Worker) {
        guard let box = worker.inbox, box.batch == nil, !box.queue.isEmpty, !worker.life.isEnding,
            !(worker.receiver?.callbacks.contains(.didReceiveNotifications) ?? false),
            box.queue.contents.contains(where: { $0.isSignalled(by: worker.configuration) })
        else { return }
        var batch = Batch()
        plan(box.queue.flush(), into: &batch, for: worker)
        let signals = batch.jobs.filter(\.isSignal)
        batch.jobs.removeAll(where: \.isSignal)
        box.batch = batch
        for job in signals { run(job, of: worker) }
    }

    private func run(_ job: Batch.Job, of worker: Worker) {
        guard let box = worker.inbox else { return }
        box.lastHook = (box.lastHook &+ 1) | Self.firstNotificationHook
        let id = box.lastHook
        box.batch?.running[id] = job
        let call = HookCall(
            id: id, .didReceiveNotifications, job.hook, topic: job.topic.name,
            variables: variables(of: job, for: worker))
        run(call, of: worker)
    }

    private func variables(of job: Batch.Job, for worker: Worker) -> [String: ByteString] {
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

    /// Runs the next hook; when there is none and none runs, the flush is over.
    private func runNextHook(of worker: Worker) {
        guard let box = worker.inbox, let batch = box.batch, batch.delivery != nil,
            batch.running.isEmpty
        else { return }
        while let job = box.batch?.jobs.first {
            box.batch?.jobs.removeFirst()
            guard box.batch?.failed.contains(job.topic) == false else { continue }
            run(job, of: worker)
            // It may have ended at once.
            if box.batch?.running.isEmpty == false { return }
        }
        finish(box, of: worker)
    }

    private func finish(_ box: Inbox, of worker: Worker) {
        guard let batch = box.batch, let delivery = batch.delivery, batch.running.isEmpty,
            batch.jobs.isEmpty, !box.isFinishing
        else { return }
        box.isFinishing = true
        let completed = Event.completed(id: delivery, batch.failed.isEmpty ? .done : .failed)
        if isDraining { enqueue(completed, to: worker) } else { submit(completed, to: worker) }
    }

    /// A hook is over, if it is one for notifications; false when it is another's.
    func notificationHookEnded(
        _ id: UInt32, _ completion: Completion, _ result: HookResult, of worker: Worker
    ) -> Bool {
        guard id >= Self.firstNotificationHook else { return false }
        guard let box = worker.inbox, let job = box.batch?.running.removeValue(forKey: id) else {
            return true
        }
        if let problem = result.problem {
            hookFailed(.didReceiveNotifications, topic: job.topic.name, problem, worker)
        } else if completion == .done {
            worker.hookSucceeded(.didReceiveNotifications, topic: job.topic.name)
        }
        if completion == .done {
            for entry in job.entries { box.queue.taken(entry.sequence) }
            keepChanges(of: worker)
        } else {
            box.batch?.failed.insert(job.topic)
            if box.batch?.problem == nil { box.batch?.problem = result.problem ?? "its hook failed" }
        }
        runNextHook(of: worker)
        return true
    }

    // MARK: the end of it

    /// The model waits no more for a flush: it was completed, its time is over, or nobody is left to complete it.
    func flushEnded(_ delivery: UInt32, _ completion: Completion?, of worker: Worker) {
        guard let box = worker.inbox, let batch = box.batch, batch.delivery == delivery else { return }
        for id in batch.running.keys { host.cancelHook(id, of: worker.id) }
        box.batch = nil
        box.isFinishing = false
        let isTaken = completion == .done
        if isTaken { box.queue.taken() } else { box.queue.returned() }
        keepChanges(of: worker)
        if isTaken {
            forgetFailures(of: worker)
            refreshTopicState(of: worker.id)
        } else if worker.life.pid != nil {
            let problem =
                batch.problem
                ?? (completion == nil
                    ? "the worker did not accept them in time"
                    : box.answer ?? "the worker did not accept them")
            let retry = host.now + box.failed(problem)
            box.retryAt = retry
            arm(.flushRetry(worker.id), at: retry)
        }
        box.answer = nil
        announceSoon(worker)
    }

    /// The model sleeps, or its process has ended with `cause`: what is out comes back, and is handed out at once when it runs again.
    func notificationsInterrupted(of worker: Worker, endedWith cause: TerminationRecord.Cause?) {
        guard let box = worker.inbox else { return }
        let processEnded = cause != nil
        if let cause {
            let inHand = box.batch?.inHand(of: box.queue) ?? box.suspects
            box.batch = nil
            box.suspects = []
            let poisoning = box.queue.processEnded(blaming: cause.isDeath ? inHand : [])
            report(poisoning, of: worker)
        } else if let batch = box.batch, batch.delivery == nil {
            box.batch = nil
            box.queue.returned()
        }
        if processEnded {
            box.isAnnounced = false
            box.isFinishing = false
        }
        keepChanges(of: worker)
        forgetFailures(of: worker)
        announceSoon(worker)
    }

    func forgetFailures(of worker: Worker) {
        worker.inbox?.forgetFailures()
        disarm(.flushRetry(worker.id))
    }

    /// As `announce`, from inside of an event's turn.
    func announceSoon(_ worker: Worker) {
        guard let box = worker.inbox, !box.isAnnounced, !box.queue.isEmpty, box.batch == nil,
            box.retryAt == nil
        else { return }
        box.isAnnounced = true
        enqueue(.notificationsQueued, to: worker)
    }

    /// Hands out again what was not taken: the time has come.
    func retryFlush(of id: WorkerID) {
        guard let worker = workers[id] else { return }
        worker.inbox?.retryAt = nil
        announce(worker)
    }
}

extension QueuedNotification {
    /// Whether a signal is all that is done for it.
    fileprivate func isSignalled(by configuration: WorkerConfiguration) -> Bool {
        configuration.notificationHook(for: topic)?.isSignal ?? false
    }
}

extension Batch.Job {
    fileprivate var isSignal: Bool { hook.isSignal }
}

extension Hook {
    /// Whether it is done by the kernel, and so before the worker runs.
    fileprivate var isSignal: Bool {
        switch action {
        case .signal, .signals: true
        case .command, .input: false
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
