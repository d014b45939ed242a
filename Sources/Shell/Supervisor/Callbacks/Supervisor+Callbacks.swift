package import Lifecycle
internal import Linux
internal import Pressure
internal import Scheduling
package import SupervisorPorts
internal import Varlink
internal import WorkerFile

/// Callbacks on their way: to the worker's own connection, or to a hook of its file (1.3).
extension Supervisor {
    /// What is known of a delivery until its completion.
    package struct OnItsWay {
        let delivery: Delivery
        /// Carried out by the host, which has to be told when the result is not awaited any more.
        let isHook: Bool
        /// When it was given, by this supervisor.
        let since: Instant
    }

    package func deliver(_ delivery: Delivery, to worker: Worker) {
        let callback = delivery.callback
        if callback == .didReceiveNotifications, delivery.inbound == nil {
            return deliverNotifications(delivery, to: worker)
        }
        if callback == .didFinishLaunching, !worker.configuration.commands.startPost.isEmpty {
            return runStartPost(before: delivery, of: worker)
        }
        tell(delivery, to: worker)
    }

    /// Gives a callback to the worker's own connection, or to its hook.
    func tell(_ delivery: Delivery, to worker: Worker) {
        let callback = delivery.callback
        if let what = delivery.inbound?.kind.passage { host.passed(what, to: worker.id) }
        if let receiver = worker.receiver, receiver.callbacks.contains(callback) {
            worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: false, since: moment))
            return send(delivery, to: receiver, of: worker)
        }
        if worker.awaitsReattachment(for: callback) {
            return worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: false, since: moment))
        }
        guard let hook = worker.configuration.hooks[callback] else {
            // Its connection has gone in this very turn: what has no receiver fails, and the rule for that applies.
            return enqueue(.completed(id: delivery.id, .failed), to: worker)
        }
        worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: true, since: moment))
        let call = HookCall(
            id: delivery.id, callback, hook, variables: variables(of: delivery, for: worker),
            answerLimit: callback == .saveState ? SavedState.largest : nil)
        run(call, of: worker)
    }

    /// Has a hook carried out, with the launch that its process came from.
    func run(_ call: HookCall, of worker: Worker) {
        var call = call
        call.launch = worker.life.currentLaunch
        call.details.options = worker.launchOptions
        host.run(call, of: worker.id)
    }

    private func send(_ delivery: Delivery, to receiver: any CallbackReceiver, of worker: Worker) {
        guard delivery.callback == .restoreState, let states else {
            return receiver.deliver(message(delivery, worker, content(of: delivery, worker)))
        }
        // Read where reading may wait; the worker may have gone meanwhile.
        let (id, incarnation) = (worker.id, worker.life.currentIncarnation)
        let answer: ([UInt8]?) -> Void = { [weak self] bytes in
            self?.restored(bytes, delivery, of: id, incarnation)
        }
        states.load(worker.configuration.name, then: answer)
    }

    private func restored(
        _ bytes: [UInt8]?, _ delivery: Delivery, of id: WorkerID, _ incarnation: UInt32
    ) {
        guard let worker = workers[id], worker.life.currentIncarnation == incarnation,
            worker.life.awaits(delivery.id)
        else { return }
        guard let bytes, let receiver = worker.receiver else {
            return submit(.completed(id: delivery.id, .failed), to: worker)
        }
        receiver.deliver(message(delivery, worker, .savedState(bytes)))
    }

    /// The launch of a worker has found out the version of its program: state that is dropped for it is not restored.
    func launchFound(_ program: LaunchedProgram, of worker: Worker) {
        (worker.programVersion, worker.stateVerdict) = (program.version, program.verdict)
        guard case .dropped(let version) = program.verdict else { return }
        let name = version.map { "version \($0)" } ?? "a version that is not known"
        notify(
            worker,
            .remarked(
                "its saved state is dropped: \(name) saved it, and the program has "
                    + (program.version.map { "version \($0)" } ?? "no version") + " (StateVersion=)"))
        states?.apply(.dropped, to: worker.configuration.name)
        submit(.savedState(false), to: worker)
    }

    func message(
        _ delivery: Delivery, _ worker: Worker, _ content: InboundContent?
    ) -> CallbackMessage {
        let now = host.now
        defer { worker.suspendedFor = nil }
        return CallbackMessage(
            delivery: delivery, timeLimit: (delivery.deadline ?? launchDeadline(of: worker)).map { $0 - now },
            launch: worker.life.currentLaunch,
            options: worker.launchOptions, suspendedFor: worker.suspendedFor,
            backgroundTimeRemaining: worker.life.backgroundTimeRemaining(at: now),
            memory: delivery.callback == .didReceiveMemoryWarning ? worker.memoryWarning : nil,
            stateVersion: delivery.callback == .restoreState ? worker.stateVerdict?.told : nil,
            content: content)
    }

    /// What has no deadline of its own shares that of the launch or of the end.
    private func launchDeadline(of worker: Worker) -> Instant? {
        worker.life.deadlines.first { $0.timer == .launch || $0.timer == .ending }?.due
    }

    private func content(of delivery: Delivery, _ worker: Worker) -> InboundContent? {
        delivery.inbound.flatMap { worker.contents[$0.id]?.content }
    }

    /// What an `exec:` hook finds in its environment besides its worker's.
    private func variables(of delivery: Delivery, for worker: Worker) -> [String: ByteString] {
        let own = variables(of: delivery.callback, for: worker)
        return own.merging(content(of: delivery, worker)?.variables ?? [:]) { $1 }
    }

    /// What it finds whatever it is told.
    func variables(of callback: Callback, for worker: Worker) -> [String: ByteString] {
        var variables: [String: ByteString] = [
            "TORPOR_CALLBACK": ByteString(callback.rawValue),
            "TORPOR_STATE": ByteString(worker.life.state.rawValue),
        ]
        if isLowPower { variables["TORPOR_LOW_POWER"] = "1" }
        if let pid = worker.life.pid { variables["MAINPID"] = ByteString(String(pid)) }
        if let asleep = worker.suspendedFor {
            variables["TORPOR_SUSPENDED_USEC"] = ByteString(String(asleep.microseconds))
            worker.suspendedFor = nil
        }
        if callback == .didReceiveMemoryWarning, let warning = worker.memoryWarning {
            variables["TORPOR_MEMORY_LEVEL"] = ByteString(warning.level.rawValue)
            variables["TORPOR_MEMORY_AVAILABLE"] = ByteString(String(warning.available))
        }
        if let left = worker.life.backgroundTimeRemaining(at: host.now) {
            variables["TORPOR_BACKGROUND_TIME_REMAINING_USEC"] = ByteString(String(left.microseconds))
        }
        return variables
    }

    // MARK: completions

    /// A hook is over.
    func hookEnded(_ id: UInt32, _ completion: Completion, _ result: HookResult, of worker: Worker) {
        if notificationHookEnded(id, completion, result, of: worker) { return }
        if activityHookEnded(id, completion, result, of: worker) { return }
        if commandEnded(id, completion, result, of: worker) { return }
        guard let entry = worker.onItsWay.first(where: { $0.delivery.id == id }) else { return }
        let callback = entry.delivery.callback
        if let problem = result.problem {
            hookFailed(callback, problem, worker)
        } else if completion != .failed, callback != .saveState || result.answer == nil {
            worker.hookSucceeded(callback)
        }
        if callback == .saveState, completion == .done, let answer = result.answer {
            return save(answer, of: worker, for: id)
        }
        submit(.completed(id: id, completion), to: worker)
    }

    /// Remembers and tells that a callback was not taken, by the hook of a topic or of the callback itself, or by the worker's own
    /// connection.
    func hookFailed(_ callback: Callback, topic: String? = nil, _ problem: String, _ worker: Worker) {
        rememberFailure(of: callback, topic: topic, problem, worker)
        notify(worker, .hookFailed(callback, problem))
    }

    /// Remembers that a callback was not taken, for those that ask how the worker stands.
    func rememberFailure(of callback: Callback, topic: String? = nil, _ problem: String, _ worker: Worker) {
        let isConnected = topic == nil && worker.receiver?.callbacks.contains(callback) ?? false
        let hook =
            topic.flatMap { worker.configuration.notificationHooks[$0] }
            ?? worker.configuration.hooks[callback]
        worker.hookFailed(
            Worker.HookFailure(
                callback: callback, topic: topic, action: isConnected ? nil : hook?.text, problem: problem,
                at: host.now))
    }

    /// Keeps what a worker saved in a callback, and completes that when it is kept.
    func save(_ bytes: [UInt8], of worker: Worker, for delivery: UInt32) {
        let id = worker.id
        keepState(bytes, of: id) { [weak self] problem in
            guard let self, let worker = workers[id], worker.life.awaits(delivery) else { return }
            if let problem {
                hookFailed(.saveState, problem, worker)
            } else {
                worker.hookSucceeded(.saveState)
            }
            submit(.completed(id: delivery, problem == nil ? .done : .failed), to: worker)
        }
    }

    /// Keeps what a worker saved; empty is nothing to hand back.
    ///
    /// Answers nil, or why it is not kept.
    package func keepState(
        _ bytes: [UInt8], of id: WorkerID, then answer: @escaping (String?) -> Void
    ) {
        guard let worker = workers[id] else { return answer("the worker no longer exists") }
        guard let states else { return answer("no directory for saved state is available") }
        let kept: (String?) -> Void = { [weak self] problem in
            if problem == nil { self?.submit(.savedState(!bytes.isEmpty), to: id) }
            answer(problem)
        }
        if bytes.isEmpty {
            states.forget(worker.configuration.name, then: kept)
        } else {
            states.save(
                bytes, for: worker.configuration.name, owner: worker.configuration.owner,
                version: worker.programVersion, then: kept)
        }
    }

    /// Lets go of every delivery that the model does not wait for any more, after `event`.
    func settleDeliveries(of worker: Worker, after event: Event) {
        guard !worker.onItsWay.isEmpty else { return }
        var over: [OnItsWay] = []
        worker.onItsWay.removeAll { entry in
            if worker.life.awaits(entry.delivery.id) { return false }
            over.append(entry)
            return true
        }
        // What it has done in the background shows in what it printed meanwhile.
        let state = worker.life.state
        if over.contains(where: { SnapshotRule.keeps(after: $0.delivery.callback, in: state) }) {
            keepSnapshot(of: worker)
        }
        for entry in over {
            if case .completed(entry.delivery.id, let how) = event {
                notify(worker, .completed(entry.delivery.callback, how, took: moment - entry.since))
            }
            if entry.delivery.callback == .didReceiveNotifications, entry.delivery.inbound == nil {
                var completion: Completion?
                if case .completed(entry.delivery.id, let how) = event { completion = how }
                flushEnded(entry.delivery.id, completion, of: worker)
                continue
            }
            // A daemon lives on when its time for a callback is over.
            var outcome = worker.life.pid == nil ? DeliveryOutcome.refused(.ended) : .failed
            var completion: Completion?
            if case .completed(entry.delivery.id, let how) = event {
                (outcome, completion) = (how == .done ? .taken : .failed, how)
            } else if entry.isHook {
                abandonCommands(of: worker, before: entry.delivery.id)
                host.cancelHook(entry.delivery.id, of: worker.id)
            }
            if let inbound = entry.delivery.inbound { settle(inbound, outcome, of: worker) }
            if entry.delivery.callback == .performFetch { fetchEnded(completion, of: worker) }
            if entry.delivery.callback == .performProcessing { processingEnded(completion, of: worker) }
        }
    }

    // MARK: what is brought

    /// Keeps what is to be given to a worker until it is, and hands the model its name.
    package func take(
        _ content: InboundContent, _ kind: Inbound.Kind, for worker: Worker,
        then answer: @escaping (DeliveryOutcome) -> Void
    ) -> Inbound {
        worker.lastInbound &+= 1
        let inbound = Inbound(id: worker.lastInbound, kind)
        worker.contents[inbound.id] = Worker.Content(content: content, answer: answer)
        return inbound
    }

    /// Something was delivered, or will not be.
    func settle(_ inbound: Inbound, _ outcome: DeliveryOutcome, of worker: Worker) {
        worker.contents.removeValue(forKey: inbound.id)?.answer(outcome)
    }
}

extension Inbound.Kind {
    /// What has passed when it is handed to a worker, in words; nil where that is no use of it, since it has asked for it itself.
    fileprivate var passage: String? {
        switch self {
        case .url: "a URL"
        case .activity: "an activity"
        case .notification, .silentNotification: "a notification"
        case .transfer: "events of a transfer"
        case .fetch, .processing: nil
        }
    }
}
