internal import ControlAPI
internal import Lifecycle
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
            progress: call.mode == .more
        ) { API.GoalReply(results: $0).json }
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
            wait: parameters.wait ?? true, timeout: parameters.timeoutMs, by: peer, responder, progress: false
        ) { ["result": .object($0[0].json)] }
    }

    func shutdown(
        _ parameters: API.Shutdown.Parameters, by peer: Peer, _ call: Call, _ responder: Responder
    ) throws(MethodError) {
        daemon?.allAreEnding()
        steer(
            roster.all, .goal(.notRunning), wait: parameters.wait ?? true, timeout: parameters.timeoutMs,
            by: peer, responder, progress: call.mode == .more
        ) { API.GoalReply(results: $0).json }
    }

    /// Sets the goals, and answers when all are reached or out of reach, when the time is over, or at once.
    private func steer(
        _ entries: [RosterEntry], _ wish: Wish, wait: Bool, timeout: Int64?, by peer: Peer,
        _ responder: Responder, progress: Bool, isBegun: Bool = false,
        answer: @escaping ([API.GoalResult]) -> JSON.Object
    ) {
        let requester = Requester.operator(uid: peer.uid, pid: peer.pid)
        let waiting = GoalWait(entries.count, progress: progress) { [weak self] results, isComplete in
            guard responder.isOpen else { return }
            if isComplete || !wait {
                // Those that are not there yet are told as they stand.
                let all = zip(entries, results).map { $1 ?? self?.standing($0) }
                responder.reply(answer(all.compactMap(\.self)))
            } else {
                responder.more(EncodedMessage(reply: answer(results.compactMap(\.self)), continues: true))
            }
        }
        for (index, entry) in entries.enumerated() {
            let token = express(wish, of: entry.id, by: requester, isBegun: isBegun) { [weak self] outcome in
                guard let self else { return }
                waiting.settle(index, result(outcome, entry))
            }
            waiting.tokens.append(token)
        }
        finish(waiting, wait: wait, timeout: timeout, responder, entries)
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
            progress: call.mode == .more, isBegun: true
        ) { isTransient ? ["result": .object($0[0].json)] : API.GoalReply(results: $0).json }
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

    private func finish(
        _ waiting: GoalWait, wait: Bool, timeout: Int64?, _ responder: Responder, _ entries: [RosterEntry]
    ) {
        waiting.isComplete = !wait || waiting.isSettled
        if waiting.isComplete {
            if !waiting.isSettled { abandon(waiting) }
            return waiting.answer(waiting.results, waiting.isSettled)
        }
        responder.onClose { [weak self] in self?.abandon(waiting) }
        guard let timeout else { return }
        waiting.timer.handle = try? TimeSource(on: loop, priority: .clients) { [weak self] _ in
            guard let self, !waiting.isComplete else { return }
            for (index, entry) in entries.enumerated() where waiting.results[index] == nil {
                waiting.results[index] = late(entry)
            }
            waiting.isComplete = true
            abandon(waiting)
            waiting.answer(waiting.results, true)
        }
        waiting.timer.handle?.arm(
            at: EventLoop.clock + max(0, timeout.multipliedReportingOverflow(by: 1000).0))
    }

    /// Nobody waits any more; the goals stay.
    private func abandon(_ waiting: GoalWait) {
        waiting.timer.handle = nil
        for token in waiting.tokens { supervisor.assumeIsolated { $0.cancel(token) } }
        waiting.tokens = []
    }

    // MARK: results

    private func standing(_ entry: RosterEntry) -> API.GoalResult {
        let id = entry.id
        let (state, goal) = supervisor.assumeIsolated { $0.standing(of: id) } ?? (.notRunning, .notRunning)
        return API.GoalResult(
            name: entry.name, state: .init(state), goal: .init(goal), reached: state == goal.state)
    }

    private func late(_ entry: RosterEntry) -> API.GoalResult {
        var result = standing(entry)
        result.reached = false
        result.error = "io.torpor.Supervisor.GoalNotReached"
        result.message = "the time is over; it goes on towards \(result.goal.rawValue)"
        return result
    }

    private func result(_ outcome: WaitOutcome, _ entry: RosterEntry) -> API.GoalResult {
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
    typealias Results = [SupervisorInterface.GoalResult?]

    /// What became of each, in the order of the call.
    var results: Results
    var tokens: [WaitToken] = []
    var isComplete = false
    let timer = SourceBox<TimeSource>()
    /// Gets the results, and whether all are there.
    let answer: (Results, Bool) -> Void
    private var left: Int
    private let progress: Bool

    init(_ count: Int, progress: Bool, answer: @escaping (Results, Bool) -> Void) {
        results = Array(repeating: nil, count: count)
        left = count
        self.progress = progress
        self.answer = answer
    }

    /// Whether every worker is where it was wanted, or never will be.
    var isSettled: Bool { left == 0 }

    /// One worker is.
    func settle(_ index: Int, _ result: SupervisorInterface.GoalResult) {
        if results[index] == nil { left -= 1 }
        results[index] = result
        guard !isComplete, tokens.count == results.count else { return }
        if isSettled {
            isComplete = true
            timer.handle = nil
            answer(results, true)
        } else if progress {
            answer(results, false)
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
