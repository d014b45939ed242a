internal import ControlAPI
internal import Operator
internal import Screen
internal import Varlink

/// The verbs that keys stand for.
extension LiveTop {
    /// How long the supervisor waits for the goal, in milliseconds; it is not given up then.
    private static let limit: Int64 = 120_000

    func steer(_ verb: TopVerb, _ names: [String]) {
        let goal = API.GoalParameters(names: names, timeoutMs: Self.limit)
        do throws(Failure) {
            switch verb {
            case .launch:
                try steer(API.Launch.self, .init(names: names, timeoutMs: Self.limit), verb, names)
            case .activate: try steer(API.Activate.self, goal, verb, names)
            case .resign: try steer(API.Resign.self, goal, verb, names)
            case .background: try steer(API.Background.self, goal, verb, names)
            case .suspend: try steer(API.Suspend.self, goal, verb, names)
            case .resume: try steer(API.Resume.self, goal, verb, names)
            case .restart: try steer(API.Restart.self, goal, verb, names)
            case .reload: try steer(API.ReloadWorker.self, goal, verb, names)
            case .terminate: try steer(API.Terminate.self, goal, verb, names)
            case .kill: try steer(API.Kill.self, goal, verb, names)
            }
        } catch {
            say("\(verb.rawValue): \(error.description)", isBad: true)
        }
    }

    private func steer<M: API.Method>(
        _ method: M.Type, _ parameters: M.Parameters, _ verb: TopVerb, _ names: [String]
    ) throws(Failure) where M.Reply == API.GoalReply {
        let subject = names.count == 1 ? names[0] : "\(names.count) workers"
        try link.act(method, parameters) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let failure): say("\(verb.rawValue) \(subject): \(failure)", isBad: true)
            case .success(let object):
                guard let reply = decoded(object.printable, as: M.Reply.self) else { return }
                tell(GoalOutcome(reply.results, waited: true), verb, subject)
            }
        }
        say("\(verb.rawValue) \(subject): under way")
    }

    private func tell(_ outcome: GoalOutcome, _ verb: TopVerb, _ subject: String) {
        guard let first = outcome.failures.first else { return say("\(verb.rawValue) \(subject): done") }
        let count = outcome.failures.count
        let more = count > 1 ? " (and \(count - 1) more)" : ""
        say("\(verb.rawValue) \(subject): \(first.description)\(more)", isBad: true)
    }
}
