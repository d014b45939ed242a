package import ConfigurationSyntax
package import Continuing
internal import Lifecycle
internal import Linux
package import Notifications
package import SupervisorPorts
internal import Varlink

/// Activities that are handed over: what a worker offers, what is asked of it, and what is brought to another.
extension Supervisor {
    // MARK: the worker that has the activity

    /// How a worker stands that is to hand on an activity.
    package func givingStanding(of worker: Worker) -> GiverStanding {
        GiverStanding(
            worker.life.givingCondition, isForeground: worker.life.state.isForeground,
            isConnected: worker.receiver != nil,
            hookTypes: worker.configuration.activityHook == nil ? [] : worker.configuration.activityTypes)
    }

    /// Begins to hand over an activity of a worker; answers why it does not begin.
    package func handOver(
        _ request: HandoffRequest, of id: WorkerID, _ call: HandoffCall
    ) -> HandoffRefusal? {
        look(at: id)
        guard let worker = workers[id] else { return .notNow(.notRunning) }
        guard worker.handoffCalls[request.id] == nil else { return .noSuchHandoff }
        worker.handoffCalls[request.id] = call
        let refusal = settleActivities(of: id, .began(request, givingStanding(of: worker)))
        if refusal != nil { worker.handoffCalls[request.id] = nil }
        return refusal
    }

    /// Goes on with a handoff that a predecessor has begun; false where it is over.
    package func goOn(withHandoff handoff: String, of id: WorkerID, _ call: HandoffCall) -> Bool {
        guard let worker = workers[id], worker.giving.current?.id == handoff else { return false }
        worker.handoffCalls[handoff] = call
        return true
    }

    /// The worker of which an activity is being handed over by this id.
    package func giver(of handoff: String) -> WorkerID? {
        workers.values.first { $0.giving.current?.id == handoff }?.id
    }

    /// Applies `event` to the activities of a worker; answers why what it asks is not done.
    @discardableResult
    package func settleActivities(of id: WorkerID, _ event: GivingEvent) -> HandoffRefusal? {
        guard let worker = workers[id] else { return .notNow(.notRunning) }
        let before = worker.giving
        var refusal: HandoffRefusal?
        for effect in worker.giving.handle(event, at: host.now) {
            switch effect {
            case .offered, .withdrawn: break
            case .began(let handoff): notify(worker, .handoff(.began(handoff)))
            case .ask(let handoff, let way): question(worker, about: handoff, by: way)
            case .give(let handoff, let state):
                endAsking(worker)
                worker.handoffCalls[handoff.id]?.given(handoff, state)
            case .leave: submit(.requested(Request(.suspended, by: .handOver)), to: worker)
            case .comeBack:
                // It has left for the other one only where both share a foreground group.
                guard worker.life.goalRequester == .handOver, !worker.life.goal.isForeground else { break }
                submit(.requested(Request(.active, by: .handOver)), to: worker)
            case .over(let handoff, let end):
                endAsking(worker)
                notify(worker, .handoff(.over(handoff, end)))
                worker.handoffCalls.removeValue(forKey: handoff.id)?.over(handoff, end)
            case .refused(let reason): refusal = reason
            }
        }
        if worker.giving != before {
            armHandoff(of: worker)
            worker.isUnrecorded = true
            record(worker)
        }
        return refusal
    }

    /// Has the alarm set for the end of a handoff's time.
    func armHandoff(of worker: Worker) {
        if let due = worker.giving.nextDue {
            arm(.handoffEnd(worker.id), at: due)
        } else {
            disarm(.handoffEnd(worker.id))
        }
    }

    /// Goes on after this supervisor has replaced another: a question that was out has no answer any more.
    func resumeHandoff(of worker: Worker) {
        if let handoff = worker.giving.current, case .asking = handoff.stage {
            settleActivities(
                of: worker.id, .notAnswered(handoff.number, "the supervisor was replaced meanwhile"))
        }
        armHandoff(of: worker)
    }

    // MARK: asking

    private func question(_ worker: Worker, about handoff: ActivityHandoff, by way: GivingEffect.Way) {
        let id = worker.id
        // It is woken where it sleeps, and not put to sleep meanwhile.
        beginTask("handoff", of: id, by: .supervisor, limit: GivingPlan.askLimit) {
            [weak self] taken, token, _, _ in
            guard let self, let worker = workers[id] else { return }
            guard taken == .began else {
                settleActivities(of: id, .notAnswered(handoff.number, "it is ending"))
                return
            }
            worker.asking = ActivityQuestion(number: handoff.number, token: token)
            switch way {
            case .connection: worker.receiver?.ask(handoff.number, handoff.type, within: GivingPlan.askLimit)
            case .hook: if worker.life.state != .suspended { runActivityHook(of: worker) }
            }
        }
    }

    /// The worker is awake: its hook can be run.
    func askAfterThaw(of worker: Worker) {
        guard let handoff = worker.giving.current, case .asking = handoff.stage,
            let asking = worker.asking, asking.hook == nil,
            givingStanding(of: worker).hookTypes.contains(handoff.type),
            !(worker.giving.offer(of: handoff.type)?.asks ?? false) || worker.receiver == nil
        else { return }
        runActivityHook(of: worker)
    }

    private func runActivityHook(of worker: Worker) {
        guard let command = worker.configuration.activityHook, let handoff = worker.giving.current else {
            return
        }
        let id = nextCommandNumber()
        worker.asking?.hook = id
        var hook = Hook(.command, completes: .exit)
        hook.ignoresFailure = command.ignoresFailure
        var variables = variables(of: .continueActivity, for: worker)
        variables["TORPOR_CALLBACK"] = "userActivity"
        variables["TORPOR_ACTIVITY_TYPE"] = ByteString(handoff.type.text)
        var call = HookCall(
            id: id, .continueActivity, hook, variables: variables, answerLimit: ActivityState.largest)
        call.command = command
        run(call, of: worker)
    }

    /// A hook is over, if it is one that tells the state of an activity; false when it is another's.
    func activityHookEnded(
        _ id: UInt32, _ completion: Completion, _ result: HookResult, of worker: Worker
    ) -> Bool {
        guard let asking = worker.asking, asking.hook == id else { return false }
        worker.asking?.hook = nil
        if completion == .done, let state = ActivityState.read(result.answer ?? []),
            let text = ActivityState.text(of: state)
        {
            settleActivities(of: worker.id, .answered(asking.number, text))
        } else {
            let why =
                completion == .done
                ? "UserActivity= printed neither text nor a JSON object"
                : "UserActivity= failed: \(result.problem ?? "it was abandoned")"
            settleActivities(of: worker.id, .notAnswered(asking.number, why))
        }
        return true
    }

    private func endAsking(_ worker: Worker) {
        guard let asking = worker.asking else { return }
        worker.asking = nil
        if let hook = asking.hook { host.cancelHook(hook, of: worker.id) }
        endTask(asking.token, of: worker.id, by: .supervisor)
    }

    // MARK: the worker that is to have it

    /// The types of the activities that a worker continues.
    package func continuedTypes(of id: WorkerID) -> [ActivityType] {
        guard let worker = workers[id] else { return [] }
        let configuration = worker.configuration
        // One that only tells its state continues nothing.
        let continues =
            configuration.activityHook == nil || configuration.hooks[.continueActivity] != nil
            || configuration.hasWorkerSocket
        return continues ? configuration.activityTypes : []
    }

    /// Brings an activity to a worker, launched for it where it does not run, unless a worker has had it before; answers the worker,
    /// and what became of it, or nil where too many are under way.
    ///
    /// A worker without a receiver gets it in the environment of a fresh launch; one that runs is refused then.
    package func bring(
        _ activity: BroughtActivity, to id: WorkerID, named name: String, by caller: CallerIdentity?,
        then answer: @escaping (String, DeliveryOutcome) -> Void
    ) -> Bool {
        guard let worker = workers[id] else {
            answer("", .refused(.notRunning))
            return true
        }
        let handoff = activity.handoff
        switch taking.arrived(handoff, for: name) {
        case .full: return false
        case .taken(let name): answer(name, .taken)
        case .refused(let name, _): answer(name, .failed)
        case .pending(let name): takingCalls[handoff, default: []].append { answer(name, $0) }
        case .new:
            takingCalls[handoff] = [{ answer(name, $0) }]
            give(activity, to: worker, by: caller) { [weak self] in self?.settle(activity, $0, of: id) }
        }
        return true
    }

    /// Waits on for what becomes of an activity that was brought before this supervisor replaced another; false where that is over.
    package func awaitOutcome(
        of activity: BroughtActivity, for id: WorkerID, named name: String,
        then answer: @escaping (DeliveryOutcome) -> Void
    ) -> Bool {
        _ = taking.arrived(activity.handoff, for: name)
        takingCalls[activity.handoff, default: []].append(answer)
        let isThere = awaitOutcome(of: .activity(activity.object), for: id) { [weak self] in
            self?.settle(activity, $0, of: id)
        }
        if !isThere { takingCalls[activity.handoff] = nil }
        return isThere
    }

    private func settle(_ activity: BroughtActivity, _ outcome: DeliveryOutcome, of id: WorkerID) {
        taking.settle(activity.handoff, refusal: outcome == .taken ? nil : "it did not take the activity")
        if outcome == .taken, let worker = workers[id] {
            notify(worker, .handoff(.took(activity.type, from: activity.from)))
        }
        for call in takingCalls.removeValue(forKey: activity.handoff) ?? [] { call(outcome) }
    }

    private func give(
        _ activity: BroughtActivity, to worker: Worker, by caller: CallerIdentity?,
        then answer: @escaping (DeliveryOutcome) -> Void
    ) {
        let object = activity.object
        // execve(2) takes no variable of more than 128 KiB: a longer state comes with the callback alone.
        let options: JSON.Object =
            JSON.object(object).text.utf8.count <= 32 << 10 ? ["activity": .object(object)] : [:]
        let origin = WakeOrigin(.activity, activity.type.text, by: caller)
        let isThere = worker.life.currentLaunch != nil && !worker.life.isEnding
        let receives =
            worker.life.receivedCallbacks.contains(.continueActivity)
            || (worker.life.policy.readiness == .app && (!isThere || worker.life.isLaunching))
        if receives {
            if !isThere { worker.nextLaunch.options = options }
            let inbound = take(.activity(object), .activity, for: worker, then: answer)
            return rouse(worker, Wake(.activity, intoForeground: true, bringing: inbound), origin)
        }
        guard !isThere, !options.members.isEmpty else { return answer(.refused(.noReceiver)) }
        worker.nextLaunch.options = options
        sayWoken(worker, origin)
        submitRequest(.woken(Wake(.activity, intoForeground: true)), to: worker, for: .active) { outcome in
            switch outcome {
            case .reached: answer(.taken)
            case .refused(let refusal): answer(.refused(refusal))
            case .ended, .replaced, .held, .heldAbove, .stuck, .interrupted, .followersMissing:
                answer(.refused(.ended))
            }
        }
    }
}

/// A question for the state of an activity that is out.
package struct ActivityQuestion: Hashable {
    /// The number of the handoff.
    package let number: UInt32
    /// The task that keeps the worker awake.
    package let token: UInt32
    /// The hook that tells the state.
    package var hook: UInt32?
}
