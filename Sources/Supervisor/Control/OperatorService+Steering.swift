internal import ControlAPI
internal import Lifecycle
internal import Linux
internal import Systemd
internal import Varlink

/// The verbs that set goals, and those who wait for them.
extension OperatorService {
    /// What a verb wants of each worker.
    enum Wish {
        case goal(Lifecycle.Goal)
        case resume
        case kill
    }

    /// All names are looked up first: if one matches no worker, nothing is done.
    func resolve(_ names: [String], creating: Bool) throws(MethodError) -> [RosterEntry] {
        // What nearly every call is: one name that is known.
        if names.count == 1, let entry = roster[names[0]] { return [entry] }
        var found: [String: RosterEntry] = [:]
        for name in names {
            let matching = roster.matching(name)
            for entry in matching { found[entry.name] = entry }
            guard matching.isEmpty else { continue }
            guard creating, !Roster.isPattern(name), let daemon else { throw API.noSuchWorker(name: name) }
            found[name] = try daemon.instantiate(name)
        }
        return found.values.sorted { $0.name < $1.name }
    }

    func steer(
        _ wish: Wish, _ parameters: API.GoalParameters, by peer: Peer, _ call: Call, _ responder: Responder
    ) throws(MethodError) {
        let creates: Bool
        switch wish {
        case .goal(.active), .goal(.background): creates = true
        case .goal(.inactive), .goal(.suspended), .goal(.notRunning), .resume, .kill: creates = false
        }
        let entries = try resolve(parameters.names, creating: creates)
        if creates, daemon?.isShuttingDown ?? false { throw API.shuttingDown }
        steer(
            entries, wish, wait: parameters.wait ?? true, timeout: parameters.timeoutMs, by: peer, responder,
            progress: call.mode == .more)
    }

    func launch(
        _ parameters: API.Launch.Parameters, by peer: Peer, _ call: Call, _ responder: Responder
    ) throws(MethodError) {
        let goals = API.GoalParameters(
            names: parameters.names, wait: parameters.wait, timeoutMs: parameters.timeoutMs)
        try steer(
            .goal(parameters.background ?? false ? .background : .active), goals, by: peer, call, responder)
    }

    func launchTransient(
        _ parameters: API.LaunchTransient.Parameters, by peer: Peer, _ responder: Responder
    ) throws(MethodError) {
        let daemon = try daemonOnly()
        if daemon.isShuttingDown { throw API.shuttingDown }
        let entry = try daemon.defineTransient(parameters)
        responder.note = ["worker": .string(entry.name)]
        let goal = Lifecycle.Goal.self
        steer(
            [entry], .goal(parameters.background ?? false ? goal.background : goal.active),
            wait: parameters.wait ?? true, timeout: parameters.timeoutMs, by: peer, responder,
            answer: .transient)
    }

    func shutdown(
        _ parameters: API.Shutdown.Parameters, by peer: Peer, _ call: Call, _ responder: Responder
    ) throws(MethodError) {
        daemon?.allAreEnding()
        steer(
            roster.all, .goal(.notRunning), wait: parameters.wait ?? true, timeout: parameters.timeoutMs,
            by: peer, responder, progress: call.mode == .more)
    }

    /// Sets the goals, and answers when all are reached or out of reach, when the time is over, or at once.
    private func steer(
        _ entries: [RosterEntry], _ wish: Wish, wait: Bool, timeout: Int64?, by peer: Peer,
        _ responder: Responder, progress: Bool = false, isBegun: Bool = false,
        answer: GoalWait.Answer = .list
    ) {
        let requester = Requester.operator(uid: peer.uid, pid: peer.pid)
        let waiting = GoalWait(for: entries, wait: wait, progress: progress, answer, responder, self)
        for index in entries.indices {
            let then: @Sendable (WaitOutcome) -> Void = { waiting.settle(index, $0) }
            waiting.tokens.append(
                express(wish, of: entries[index].id, by: requester, isBegun: isBegun, then: then))
        }
        finish(waiting, timeout: timeout)
        switch wish {
        case .goal(.notRunning): endWished(.terminate)
        case .kill: endWished(.kill)
        case .goal(.active), .goal(.inactive), .goal(.background), .goal(.suspended), .resume: break
        }
    }

    /// Goes on waiting for the goals that a predecessor was asked for; false for a call of another kind.
    func steerOn(_ call: Call, _ note: JSON.Object, _ responder: Responder) throws(MethodError) -> Bool {
        let goal = Lifecycle.Goal.self
        let wish: Wish
        switch call.member {
        case API.Launch.member, API.LaunchTransient.member:
            wish = .goal(call.parameters["background"]?.bool ?? false ? goal.background : goal.active)
        case API.Activate.member: wish = .goal(.active)
        case API.Resign.member: wish = .goal(.inactive)
        case API.Background.member: wish = .goal(.background)
        case API.Suspend.member: wish = .goal(.suspended)
        case API.Resume.member: wish = .resume
        case API.Terminate.member, API.Shutdown.member: wish = .goal(.notRunning)
        case API.Kill.member: wish = .kill
        default: return false
        }
        var entries = roster.all
        if let name = note["worker"]?.string {
            entries = roster.matching(name)
        } else if let names = call.parameters["names"]?.array?.compactMap(\.string) {
            entries = try resolve(names, creating: false)
        }
        responder.note = note
        let isTransient = call.member == API.LaunchTransient.member
        steer(
            entries, wish, wait: true, timeout: call.parameters["timeoutMs"]?.int, by: responder.peer,
            responder,
            progress: call.mode == .more, isBegun: true, answer: isTransient ? .transient : .list)
        return true
    }

    private func express(
        _ wish: Wish, of id: WorkerID, by requester: Requester, isBegun: Bool,
        then: @escaping @Sendable (WaitOutcome) -> Void
    ) -> WaitToken {
        supervisor.assumeIsolated { supervisor in
            switch wish {
            case .goal(let goal) where isBegun: supervisor.waitOn(for: goal, id, then: then)
            case .resume where isBegun: supervisor.waitOn(for: nil, id, then: then)
            case .kill where isBegun: supervisor.waitOn(for: .notRunning, id, then: then)
            case .goal(let goal): supervisor.request(Request(goal, by: requester), of: id, then: then)
            case .resume: supervisor.resume(id, by: requester, then: then)
            case .kill: supervisor.forceQuit(id, by: requester, then: then)
            }
        }
    }

    private func finish(_ waiting: GoalWait, timeout: Int64?) {
        waiting.isComplete = !waiting.waits || waiting.isSettled
        if waiting.isComplete {
            if !waiting.isSettled { abandon(waiting) }
            return waiting.answer()
        }
        waiting.responder.onClose { [weak self] in self?.abandon(waiting) }
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

    /// Nobody waits any more; the goals stay.
    private func abandon(_ waiting: GoalWait) {
        waiting.timer.handle = nil
        for token in waiting.tokens { supervisor.assumeIsolated { $0.cancel(token) } }
        waiting.tokens = []
    }

    // MARK: results

    fileprivate func standing(_ entry: RosterEntry) -> API.GoalResult {
        let id = entry.id
        let (state, goal) = supervisor.assumeIsolated { $0.standing(of: id) } ?? (.notRunning, .notRunning)
        return API.GoalResult(
            name: entry.name, state: .init(state), goal: .init(goal), reached: state == goal.state)
    }

    fileprivate func late(_ entry: RosterEntry) -> API.GoalResult {
        var result = standing(entry)
        result.reached = false
        result.error = "io.torpor.Supervisor.GoalNotReached"
        result.message = "the time is over; it goes on towards \(result.goal.rawValue)"
        return result
    }

    fileprivate func result(_ outcome: WaitOutcome, _ entry: RosterEntry) -> API.GoalResult {
        var result = standing(entry)
        result.reached = outcome == .reached
        guard let (error, message) = outcome.complaint else { return result }
        result.error = "io.torpor.Supervisor.\(error)"
        result.message = message
        return result
    }
}

// Unchecked: made, settled and answered on the thread of the loop.

/// One call that waits for the goals of several workers.
final class GoalWait: @unchecked Sendable {
    /// How the results are told.
    enum Answer {
        case list
        /// The one worker that was made for this call.
        case transient
    }

    let entries: [RosterEntry]
    /// Whether the answer is due when all are settled, and not at once.
    let waits: Bool
    let responder: Responder
    let timer = SourceBox<TimeSource>()
    var tokens: [WaitToken] = []
    var isComplete = false
    /// The time that was given is over.
    var isLate = false
    /// What became of each, in the order of the call.
    private var results: [SupervisorInterface.GoalResult?]
    private var left: Int
    private let progress: Bool
    private let shape: Answer
    private let service: OperatorService

    init(
        for entries: [RosterEntry], wait: Bool, progress: Bool, _ shape: Answer, _ responder: Responder,
        _ service: OperatorService
    ) {
        self.entries = entries
        waits = wait
        self.responder = responder
        results = Array(repeating: nil, count: entries.count)
        left = entries.count
        self.progress = progress
        self.shape = shape
        self.service = service
    }

    /// Whether every worker is where it was wanted, or never will be.
    var isSettled: Bool { left == 0 }

    /// One worker is.
    func settle(_ index: Int, _ outcome: WaitOutcome) {
        if results[index] == nil { left -= 1 }
        results[index] = service.result(outcome, entries[index])
        guard !isComplete, tokens.count == results.count else { return }
        if isSettled {
            isComplete = true
            timer.handle = nil
            answer()
        } else if progress {
            answer()
        }
    }

    /// Tells what there is to tell: at the end of those that are not there yet, too, how they stand.
    func answer() {
        guard responder.isOpen else { return }
        guard isComplete else {
            let reply = SupervisorInterface.GoalReply(results: results.compactMap(\.self))
            return responder.more(reply.message(continues: true))
        }
        let all = results.indices.map { index in
            results[index] ?? (isLate ? service.late(entries[index]) : service.standing(entries[index]))
        }
        switch shape {
        case .list: responder.reply(SupervisorInterface.GoalReply(results: all).message())
        case .transient: responder.reply(SupervisorInterface.LaunchTransient.Reply(result: all[0]))
        }
    }
}

extension WaitOutcome {
    /// The error's name and a sentence that says what is in the way; nil when the goal is reached.
    var complaint: (error: String, message: String)? {
        switch self {
        case .reached: nil
        case .ended(let record): ("GoalNotReached", "it \(Narrator.sentence(record))")
        case .replaced(let goal): ("GoalNotReached", "it is wanted elsewhere meanwhile: \(goal)")
        case .held: ("Refused", "somebody else has stopped it; 'torpor resume' or SIGCONT ends that")
        case .stuck: ("GoalNotReached", "it cannot be put to sleep and stays in the background")
        case .refused(let refusal): ("Refused", refusal.sentence)
        }
    }
}

extension Refusal {
    /// What is in the way, and what to do about it.
    var sentence: String {
        switch self {
        case .notRunning: "it does not run; 'torpor launch' starts it"
        case .onlyFromActive: "only an active worker can resign; 'torpor activate' makes it active"
        case .heldOutside: "somebody else has stopped it; 'torpor resume' or SIGCONT ends that"
        case .forceQuit: "it was ended by force; only an operator brings it back"
        case .startLimit: "it was started too often in too short a time; wait, or see why it ends"
        case .refusedByWorker: "it refused its launch options"
        case .noReceiver: "it has no receiver for that"
        case .ended: "it ended before"
        case .notSuspended: "it is awake already"
        case .notEvictable: "it may not be evicted"
        }
    }
}
