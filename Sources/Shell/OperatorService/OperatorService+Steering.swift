internal import ControlAPI
internal import ControlServer
internal import Lifecycle
internal import Linux
internal import Notifications
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import Varlink

/// The verbs that set goals, and the calls that wait for them.
extension OperatorService {
    /// What a verb wants of each worker.
    enum PendingRequest {
        case goal(Lifecycle.Goal)
        case resume
        case restart
        case kill
        case reload

        /// Whether a worker that sleeps has to run for it.
        var wantsItAwake: Bool {
            switch self {
            case .goal(let goal): goal != .suspended && goal != .notRunning
            case .resume: true
            case .restart, .kill, .reload: false
            }
        }
    }

    /// All names are looked up first: if one matches no worker, nothing is done.
    func resolve(_ names: [String], creating: Bool) throws(MethodError) -> [RegisteredWorker] {
        // What nearly every call is: one name that is known.
        if names.count == 1, let entry = registry[names[0]] { return [entry] }
        var found: [String: RegisteredWorker] = [:]
        for name in names {
            let matching = registry.matching(name)
            for entry in matching { found[entry.name] = entry }
            guard matching.isEmpty else { continue }
            guard creating, !WorkerRegistry.isPattern(name), let daemon else {
                throw WorkerRegistry.isPattern(name) ? API.noSuchWorker(name: name) : missing(name)
            }
            found[name] = try daemon.instantiate(name)
        }
        return found.values.sorted { $0.name < $1.name }
    }

    static let steeringMethods: [MethodHandler<OperatorService>] =
        requests.map { member, request in
            MethodHandler(member) { (service, call, responder) throws(MethodError) in
                try service.steer(request, try call.read(API.GoalParameters.init(reading:)), responder)
            }
        } + [
            MethodHandler(API.Launch.self, OperatorService.launch),
            MethodHandler(API.LaunchTransient.self, OperatorService.launchTransient),
            MethodHandler(API.Shutdown.self, OperatorService.shutdown),
        ]

    /// The methods that name workers and ask one thing of each, and what that is.
    private static let requests: [String: PendingRequest] = [
        API.Activate.member: .goal(.active),
        API.Resign.member: .goal(.inactive),
        API.Background.member: .goal(.background),
        API.Suspend.member: .goal(.suspended),
        API.Resume.member: .resume,
        API.Restart.member: .restart,
        API.Terminate.member: .goal(.notRunning),
        API.Kill.member: .kill,
        API.ReloadWorker.member: .reload,
    ]

    private func steer(
        _ request: PendingRequest, _ parameters: API.GoalParameters, _ responder: Responder,
        options: LaunchOptions? = nil
    ) throws(MethodError) {
        // Its process is the one command of `torpor run`, and nothing is left when that has ended.
        if case .restart = request { _ = try daemonOnly("torpor run ends with its command") }
        let creates: Bool
        switch request {
        case .goal(.active), .goal(.background), .restart: creates = true
        case .goal(.inactive), .goal(.suspended), .goal(.notRunning), .resume, .kill, .reload:
            creates = false
        }
        let entries = try resolve(parameters.names, creating: creates)
        if creates { try reopen() }
        steer(
            entries, request, wait: parameters.wait ?? true, timeout: parameters.timeoutMs,
            by: responder.peer, responder, progress: responder.mode == .more, options: options)
    }

    func launch(
        _ parameters: API.Launch.Parameters, _ responder: Responder
    ) throws(MethodError) {
        let goals = API.GoalParameters(
            names: parameters.names, wait: parameters.wait, timeoutMs: parameters.timeoutMs)
        try steer(
            .goal(parameters.background ?? false ? .background : .active), goals, responder,
            options: try options(parameters.options))
    }

    func launchTransient(
        _ parameters: API.LaunchTransient.Parameters, _ responder: Responder
    ) throws(MethodError) {
        let daemon = try daemonOnly()
        let options = try options(parameters.options)
        try reopen()
        let entry = try daemon.defineTransient(parameters)
        responder.note = ["worker": .string(entry.name)]
        let goal = Lifecycle.Goal.self
        steer(
            [entry], .goal(parameters.background ?? false ? goal.background : goal.active),
            wait: parameters.wait ?? true, timeout: parameters.timeoutMs, by: responder.peer, responder,
            answer: .transient, options: options)
    }

    private func options(_ json: JSON?) throws(MethodError) -> LaunchOptions? {
        guard let json, json != .null else { return nil }
        do throws(LaunchOptions.Problem) { return try LaunchOptions(json) } catch {
            throw .invalidParameter("options")
        }
    }

    func shutdown(
        _ parameters: API.Shutdown.Parameters, _ responder: Responder
    ) throws(MethodError) {
        daemon?.allAreEnding()
        // A wake event would launch again what has ended while the others are still ending.
        supervisor.close()
        steer(
            registry.all, .goal(.notRunning), wait: parameters.wait ?? true, timeout: parameters.timeoutMs,
            by: responder.peer, responder, progress: responder.mode == .more)
    }

    /// Has workers launched again after `torpor shutdown`, for an operator that asks for one.
    ///
    /// - Throws: that the end of all workers is under way.
    func reopen() throws(MethodError) {
        if daemon?.isShuttingDown ?? false { throw API.shuttingDown }
        guard supervisor.reopen() else { throw API.shuttingDown }
    }

    /// Sets the goals, and answers when all are reached or out of reach, when the time is over, or at once.
    private func steer(
        _ entries: [RegisteredWorker], _ request: PendingRequest, wait: Bool, timeout: Int64?, by peer: Peer,
        _ responder: Responder, progress: Bool = false, isBegun: Bool = false,
        answer: GoalWait.Answer = .list, options: LaunchOptions? = nil
    ) {
        let requester = Requester.operator(uid: peer.uid, pid: peer.pid)
        let waiting = GoalWait(for: entries, wait: wait, progress: progress, answer, responder, self)
        if case .goal(let goal) = request { waiting.wanted = entries.map { _ in .init(goal) } }
        for index in order(of: entries, for: request) {
            var then: (WaitOutcome) -> Void = { waiting.settle(index, $0) }
            if let options {
                guard pass(options, to: entries[index], isBegun: isBegun, by: peer) else {
                    waiting.settle(index, refusal(of: entries[index]))
                    continue
                }
                let id = entries[index].id
                then = { [supervisor] outcome in
                    supervisor.withdraw(options, from: id)
                    waiting.settle(index, outcome)
                }
            }
            if case .reload = request {
                reload(entries[index], by: requester) { waiting.settle(index, $0) }
                continue
            }
            waiting.tokens.append(
                express(request, of: entries[index].id, by: requester, isBegun: isBegun, then: then))
            switch request {
            case .resume, .restart: waiting.wanted[index] = goal(of: entries[index])
            case .goal, .kill, .reload: break
            }
        }
        waiting.hasBegun = true
        finish(waiting, timeout: timeout)
        switch request {
        case .goal(.notRunning):
            forgetTransient(entries)
            endRequested(.terminate)
        case .kill:
            forgetTransient(entries)
            endRequested(.kill)
        case .goal(.active), .goal(.inactive), .goal(.background), .goal(.suspended), .resume, .restart,
            .reload:
            break
        }
    }

    /// Has the next process of a worker given `options`; false where there is none to come.
    ///
    /// A call that a predecessor has begun is answered all the same.
    private func pass(_ options: LaunchOptions, to entry: RegisteredWorker, isBegun: Bool, by peer: Peer)
        -> Bool
    {
        supervisor.pass(options, to: entry.id, by: isBegun ? nil : CallerIdentity(peer)) || isBegun
    }

    /// The result of a worker that could not be given the options of its launch.
    private func refusal(of entry: RegisteredWorker) -> API.GoalResult {
        var result = currentResult(entry)
        result.reached = false
        result.error = API.ErrorName.refused.rawValue
        result.message = LaunchOptions.refusal
        return result
    }

    /// Has transient workers forgotten that were about to be launched again, and are not any more: nothing else tells of that.
    private func forgetTransient(_ entries: [RegisteredWorker]) {
        for entry in entries where entry.isTransient { daemon?.depart(entry.id) }
    }

    /// Goes on waiting for the goals that a predecessor was asked for; false for a call of another kind.
    func steerOn(_ call: Call, _ note: JSON.Object, _ responder: Responder) throws(MethodError) -> Bool {
        let goal = Lifecycle.Goal.self
        let request: PendingRequest
        switch call.member {
        case API.Launch.member, API.LaunchTransient.member:
            request = .goal(call.parameters["background"]?.bool ?? false ? goal.background : goal.active)
        case API.Shutdown.member: request = .goal(.notRunning)
        // Its commands are begun anew.
        case API.ReloadWorker.member: return false
        default:
            guard let known = Self.requests[call.member] else { return false }
            request = known
        }
        var entries = registry.all
        if let name = note["worker"]?.string {
            entries = registry.matching(name)
        } else if let names = call.parameters["names"]?.array?.compactMap(\.string) {
            entries = try resolve(names, creating: false)
        }
        responder.note = note
        if call.member == API.Shutdown.member { supervisor.close() }
        let isTransient = call.member == API.LaunchTransient.member
        steer(
            entries, request, wait: true, timeout: call.parameters["timeoutMs"]?.int, by: responder.peer,
            responder,
            progress: call.mode == .more, isBegun: true, answer: isTransient ? .transient : .list,
            options: try options(call.parameters["options"]))
        return true
    }

    private func express(
        _ request: PendingRequest, of id: WorkerID, by requester: Requester, isBegun: Bool,
        then: @escaping (WaitOutcome) -> Void
    ) -> WaitToken {
        if request.wantsItAwake, !isBegun, let group = supervisor.frozenGroup(over: id) {
            // The goal holds when the group is thawed; until then it would be waited for in vain.
            let token = express(request, of: id, by: requester, then: { _ in })
            supervisor.cancel(token)
            then(.heldAbove(group: group))
            return token
        }
        return express(request, of: id, isBegun: isBegun, by: requester, then: then)
    }

    private func express(
        _ request: PendingRequest, of id: WorkerID, isBegun: Bool = false, by requester: Requester,
        then: @escaping (WaitOutcome) -> Void
    ) -> WaitToken {
        switch request {
        case .goal(let goal) where isBegun: supervisor.waitOn(for: goal, id, then: then)
        case .resume where isBegun, .restart where isBegun: supervisor.waitOn(for: nil, id, then: then)
        case .kill where isBegun: supervisor.waitOn(for: .notRunning, id, then: then)
        case .goal(let goal): supervisor.request(Request(goal, by: requester), of: id, then: then)
        case .resume: supervisor.resume(id, by: requester, then: then)
        case .restart: supervisor.restart(id, by: requester, then: then)
        case .kill:
            supervisor.forceQuit(id, by: requester) { [weak daemon] outcome in
                daemon?.isBarred(id)
                then(outcome)
            }
        // It sets no goal.
        case .reload: supervisor.waitOn(for: nil, id, then: then)
        }
    }

    /// The places of `entries` in the order in which they are asked: what others come after first, or last where they leave.
    private func order(of entries: [RegisteredWorker], for request: PendingRequest) -> [Int] {
        guard entries.count > 1 else { return Array(entries.indices) }
        let ids = entries.map(\.id)
        let places = Dictionary(zip(ids, entries.indices), uniquingKeysWith: { first, _ in first })
        let order = supervisor.launchOrder(ids).compactMap { places[$0] }
        switch request {
        case .goal(.active), .goal(.background), .resume, .restart, .reload: return order
        case .goal(.inactive), .goal(.suspended), .goal(.notRunning), .kill: return order.reversed()
        }
    }

    /// Has a worker reloaded; answers what came of it.
    private func reload(
        _ entry: RegisteredWorker, by requester: Requester, then: @escaping (API.GoalResult) -> Void
    ) {
        let id = entry.id
        let answer: (ReloadOutcome) -> Void = { [unowned self] outcome in
            var result = currentResult(entry)
            switch outcome {
            case .done: result.reached = true
            case .refused(let why):
                result.reached = false
                result.error = API.ErrorName.refused.rawValue
                result.message = why
            case .unsupported(let why):
                result.reached = false
                result.error = API.ErrorName.unsupported.rawValue
                result.message = why
            }
            then(result)
        }
        supervisor.reload(id, by: requester, then: answer)
    }

    private func finish(_ waiting: GoalWait, timeout: Int64?) {
        waiting.isComplete = !waiting.waits || waiting.isSettled
        if waiting.isComplete {
            if !waiting.isSettled { abandon(waiting) }
            return waiting.answer()
        }
        waiting.responder.onClose { [weak self] in self?.abandon(waiting) }
        waiting.tick(on: loop)
        guard let timeout else { return }
        waiting.timer.handle = try? TimeSource(on: loop, priority: .clients) { [weak self] _ in
            guard let self, !waiting.isComplete else { return }
            waiting.isLate = true
            waiting.isComplete = true
            abandon(waiting)
            waiting.answer()
        }
        waiting.timer.handle?.arm(at: (now + .milliseconds(max(0, timeout))).microseconds)
    }

    /// No call waits any more; the goals stay.
    private func abandon(_ waiting: GoalWait) {
        waiting.end()
        for token in waiting.tokens { supervisor.cancel(token) }
        waiting.tokens = []
    }
}
