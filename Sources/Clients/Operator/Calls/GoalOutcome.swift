package import ControlAPI
internal import Varlink

/// What became of a goal, for the operator that set it.
package struct GoalOutcome: Hashable, Sendable {
    /// One for each worker.
    package let results: [SupervisorInterface.GoalResult]
    private let waited: Bool

    /// The outcome that `results` tell; `waited` is false where the call was only to set the goal.
    package init(_ results: [SupervisorInterface.GoalResult], waited: Bool) {
        self.results = results
        self.waited = waited
        failures = results.compactMap { Self.failure($0, waited: waited) }
    }

    /// What a worker printed last that has ended instead, each line behind a mark; empty where `failure` is of another one.
    package func output(of failure: Failure) -> [String] {
        let lines = zip(failed, failures).first { $0.1 == failure }?.0.lastOutput ?? []
        return lines.map { "  | \($0.printable)" }
    }

    private var failed: [SupervisorInterface.GoalResult] {
        results.filter { Self.failure($0, waited: waited) != nil }
    }

    /// One for each worker that got an error, and for each that is not where it was waited for.
    package let failures: [Failure]

    /// The exit code that is due: that of the first failure.
    package var status: OperatorExit { failures.first?.status ?? .success }

    private static func failure(_ result: SupervisorInterface.GoalResult, waited: Bool) -> Failure? {
        let wanted = result.wanted ?? result.goal
        if let error = result.error {
            var parameters: JSON.Object = [
                "name": .string(result.name), "goal": .string(wanted.rawValue),
                "state": .string(result.state.rawValue),
            ]
            let message = result.message ?? "the supervisor gives no reason"
            if error == SupervisorInterface.ErrorName.goalNotReached.rawValue {
                // It may have been there, and have left again.
                let missed = wanted.rawValue == result.state.rawValue ? "" : ", not \(wanted.rawValue)"
                return Failure(.tryAgain, "\(result.name) is \(result.state.rawValue)\(missed): \(message)")
            }
            for key in ["why", "message"] { parameters[key] = .string(message) }
            let method =
                switch result.wanted {
                case .active: SupervisorInterface.Launch.name
                case .inactive: SupervisorInterface.Resign.name
                case .background: SupervisorInterface.Background.name
                case .suspended: SupervisorInterface.Suspend.name
                case .notRunning, nil: ""
                }
            if error == SupervisorInterface.ErrorName.workerMasked.rawValue
                || error == MethodError.permissionDenied.name
            {
                // The sentence knows the file; the parameters do not.
                let status = Failure(MethodError(error, parameters), calling: method).status
                return Failure(status, "\(result.name): \(message)")
            }
            return Failure(MethodError(error, parameters), calling: method)
        }
        guard waited, !result.reached else { return nil }
        return Failure(
            .tryAgain,
            "\(result.name) is \(result.state.rawValue), not yet \(wanted.rawValue)"
                + (result.message.map { ": \($0)" } ?? "; see 'torpor why \(result.name)'"))
    }
}

/// The line that a terminal shows while goals are waited for.
package struct GoalProgress: Sendable {
    private let names: [String]
    private let expectation: String
    /// Whether they are all: what is done of them are those, too, that did not run.
    private let isOfAll: Bool
    /// Those whose goal is reached or out of reach.
    private var done: Set<String> = []

    /// The progress of what `names` are asked to do; `expectation` is what is waited for, as `to be active`.
    package init(names: [String], expectation: String) {
        self.names = names
        self.expectation = expectation
        isOfAll = false
    }

    /// The same of all workers, however many there are.
    package init(ofAll expectation: String) {
        names = ["all workers"]
        self.expectation = expectation
        isOfAll = true
    }

    /// The goals of these are reached or out of reach, too.
    package mutating func settled(_ results: [SupervisorInterface.GoalResult]) {
        done.formUnion(results.map(\.name))
    }

    /// The line as it stands; empty when none is left.
    ///
    /// `waiting` says what the others are waited for.
    package func line(waiting: [SupervisorInterface.GoalWaiting] = [], _ style: Style) -> String {
        // How many workers a pattern matches is unknown; it is waited for to the end.
        let left = names.filter { !done.contains($0) }
        guard !left.isEmpty else { return "" }
        let total = names.contains(where: \.isShellPattern) ? "" : "/\(Set(names).count)"
        let count = done.isEmpty || isOfAll ? "" : "[\(done.count)\(total)] "
        let shown = left.prefix(3) + (left.count > 3 ? ["\(left.count - 3) more"] : [])
        let text = "\(count)Waiting for \(enumeration(Array(shown))) \(expectation)"
        let told = waiting.filter { !done.contains($0.name) }
        // Of several, the one whose time is over first.
        let first = told.min { $0.deadline?.remainingUsec ?? .max < $1.deadline?.remainingUsec ?? .max }
        let facts = first.map { $0.words(isNamed: left.count > 1) } ?? ""
        return ((text + facts).printable + (style.isUnicode ? "…" : "..."))
            .ellipsized(to: (style.width ?? 80) - 1, unicode: style.isUnicode)
    }
}

extension SupervisorInterface.GoalWaiting {
    /// The deadline and the time that is left, else what holds it up: `: didEnterBackground, 4s left`; empty for nothing.
    fileprivate func words(isNamed: Bool) -> String {
        let fact = deadline.map { "\($0.name), \(span($0.remainingUsec)) left" } ?? on
        return fact.map { (isNamed ? "; \(name): " : ": ") + $0 } ?? ""
    }
}
