public import ControlAPI
internal import Varlink

/// What became of a goal, for the operator who set it.
public struct GoalOutcome: Hashable, Sendable {
    /// One for each worker.
    public let results: [SupervisorInterface.GoalResult]

    /// The outcome that `results` tell; `waited` is false where nobody asked for more than to set the goal.
    public init(_ results: [SupervisorInterface.GoalResult], waited: Bool) {
        self.results = results
        failures = results.compactMap { Self.failure($0, waited: waited) }
    }

    /// One for each worker that got an error, and for each that is not where it was waited for.
    public let failures: [Failure]

    /// The exit code that is due: that of the first failure.
    public var status: ExitStatus { failures.first?.status ?? .success }

    private static func failure(_ result: SupervisorInterface.GoalResult, waited: Bool) -> Failure? {
        if let error = result.error {
            var parameters: JSON.Object = [
                "name": .string(result.name), "goal": .string(result.goal.rawValue),
                "state": .string(result.state.rawValue),
            ]
            let message = result.message ?? "the supervisor does not say why"
            for key in ["why", "message"] { parameters[key] = .string(message) }
            let method = "io.torpor.Supervisor.Launch"
            if error == "io.torpor.Supervisor.WorkerMasked" || error == "org.varlink.service.PermissionDenied"
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
            "\(result.name) is \(result.state.rawValue), not yet \(result.goal.rawValue)"
                + (result.message.map { ": \($0)" } ?? "; see 'torpor why \(result.name)'"))
    }
}

/// The line that a terminal shows while goals are waited for.
public struct GoalProgress: Sendable {
    /// What is waited for, as `to be active`.
    let expectation: String
    private let names: [String]

    /// The progress of what `names` are asked to do.
    public init(names: [String], expectation: String) {
        self.names = names
        self.expectation = expectation
    }

    /// The line before anything is known.
    public func line(_ style: Style) -> String {
        fitted(
            "Waiting for \(enumeration(Array(names.prefix(4)) + (names.count > 4 ? ["others"] : []))) "
                + "\(expectation)…", style)
    }

    /// The line once there are results, complete or not.
    public func line(_ results: [SupervisorInterface.GoalResult], _ style: Style) -> String {
        let waiting = results.filter { !$0.reached && $0.error == nil }
        guard let first = waiting.first else { return line(style) }
        let done = results.count > 1 ? "[\(results.count - waiting.count)/\(results.count)] " : ""
        let others = waiting.count > 1 ? " and \(count(waiting.count - 1, "other"))" : ""
        return fitted(
            "\(done)Waiting for \(first.name) (\(first.state.rawValue))\(others) \(expectation)…", style)
    }

    private func fitted(_ text: String, _ style: Style) -> String {
        let text = style.isUnicode ? text : text.dropLast() + "..."
        return text.printable.ellipsized(to: (style.width ?? 80) - 1, unicode: style.isUnicode)
    }
}
