internal import ConfigurationSyntax
internal import ControlAPI
internal import ControlServer
internal import Lifecycle
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import WorkerFile

/// One call that waits for the goals of several workers.
final class GoalWait {
    /// How the results are told.
    enum Answer {
        case list
        /// The one worker that was made for this call.
        case transient
    }

    let entries: [RegisteredWorker]
    /// Whether the answer is due when all are settled, and not at once.
    let waits: Bool
    let responder: Responder
    let timer = SourceBox<TimeSource>()
    private let ticker = SourceBox<TimeSource>()
    /// When the goals were set.
    private let began: Instant
    var tokens: [WaitToken] = []
    /// Where each was asked to be; nil where no goal was.
    var wanted: [SupervisorInterface.Goal?]
    var isComplete = false
    /// Whether all of it has been asked for: what comes before is told together.
    var hasBegun = false
    /// The time that was given is over.
    var isLate = false
    /// What became of each, in the order of the call.
    private var results: [SupervisorInterface.GoalResult?]
    /// The places of those that were not told yet.
    private var news: [Int] = []
    private var left: Int
    private let progress: Bool
    private let shape: Answer
    private let service: OperatorService

    init(
        for entries: [RegisteredWorker], wait: Bool, progress: Bool, _ shape: Answer, _ responder: Responder,
        _ service: OperatorService
    ) {
        self.entries = entries
        waits = wait
        self.responder = responder
        results = Array(repeating: nil, count: entries.count)
        wanted = Array(repeating: nil, count: entries.count)
        left = entries.count
        self.progress = progress
        self.shape = shape
        self.service = service
        began = service.now
    }

    /// Whether every worker is where it was wanted, or never will be.
    var isSettled: Bool { left == 0 }

    /// One worker is.
    func settle(_ index: Int, _ outcome: WaitOutcome) {
        settle(index, service.result(outcome, entries[index], wanted: wanted[index], since: began))
    }

    /// The same where the result is known.
    func settle(_ index: Int, _ result: SupervisorInterface.GoalResult) {
        if results[index] == nil { left -= 1 }
        results[index] = result
        if progress { news.append(index) }
        guard !isComplete, hasBegun else { return }
        if isSettled {
            isComplete = true
            timer.handle = nil
            ticker.handle = nil
            answer()
        } else if progress {
            answer()
        }
    }

    /// How often a caller that wants to know is told what is waited for, and of how many workers at most.
    private static let pace = TimeSpan.seconds(1)
    private static let mostTold = 8

    /// From now on tells a caller that wants progress, once a second, what is waited for.
    func tick(on loop: EventLoop) {
        guard progress else { return }
        ticker.handle = try? TimeSource(on: loop, accuracy: 100_000, priority: .clients) { [weak self] _ in
            guard let self, !isComplete, responder.isOpen else { return }
            let left = results.indices.lazy.filter { self.results[$0] == nil }
            let waiting = left.prefix(Self.mostTold).map { self.service.waiting(for: self.entries[$0]) }
            let reply = SupervisorInterface.GoalReply(results: takeNews(), waiting: Array(waiting))
            responder.more(reply.message(continues: true))
            arm()
        }
        arm()
    }

    /// What became of those that were not told yet: of many workers, all of them each time would be more than a caller reads.
    private func takeNews() -> [SupervisorInterface.GoalResult] {
        defer { news = [] }
        return news.compactMap { results[$0] }
    }

    private func arm() { ticker.handle?.arm(at: (service.now + Self.pace).microseconds) }

    /// No call waits any more.
    func end() {
        timer.handle = nil
        ticker.handle = nil
    }

    /// Tells what there is to tell: at the end of those that are not there yet, too, how they stand.
    func answer() {
        guard responder.isOpen else { return }
        guard isComplete else {
            let reply = SupervisorInterface.GoalReply(results: takeNews())
            return responder.more(reply.message(continues: true))
        }
        let all = results.indices.map { index in
            results[index] ?? (isLate ? service.late(entries[index]) : service.currentResult(entries[index]))
        }
        switch shape {
        case .list: responder.reply(SupervisorInterface.GoalReply(results: all).message())
        case .transient:
            var result = all[0]
            // What was asked for and comes to nothing is said with what came of the rest.
            let advice = entries[0].loaded?.warnings.filter { $0.severity == .advice } ?? []
            if result.message == nil, !advice.isEmpty {
                result.message = advice.map { "\($0.key)=: \($0.problem)" }.joined(separator: "; ")
            }
            responder.reply(SupervisorInterface.LaunchTransient.Reply(result: result))
        }
    }
}

extension WaitOutcome {
    /// Whether it is about a process that has ended, or never was.
    var tellsOfEnd: Bool {
        switch self {
        case .ended, .refused(.startLimit), .refused(.ended): true
        case .reached, .replaced, .held, .heldAbove, .stuck, .interrupted, .followersMissing, .refused: false
        }
    }

    /// The error's name and a sentence that says what is in the way; nil when the goal is reached.
    var complaint: (error: SupervisorInterface.ErrorName, message: String)? {
        switch self {
        case .reached: nil
        case .ended(let record): (.goalNotReached, "it \(StatusPrinter.sentence(record))")
        case .replaced(let goal): (.goalNotReached, "another goal was set in the meantime: \(goal)")
        case .held: (.refused, "another program stopped it; use 'torpor resume' or SIGCONT to continue it")
        case .heldAbove(let group): (.refused, Explanation.heldAbove(group))
        case .interrupted:
            (.goalNotReached, "it is interrupted; it becomes active when the interruption is over")
        case .followersMissing(let names):
            (
                .goalNotReached,
                "it was restarted, but workers that were stopped with it did not come back: \(names.joined(separator: ", "))"
            )
        case .stuck: (.goalNotReached, "it was not suspended and stays in the background; see 'torpor why'")
        case .refused(let refusal): (refusal.isLasting ? .unsupported : .refused, refusal.sentence)
        }
    }
}
