import ControlAPI
import Operator

extension Session {
    /// Calls a method that sets goals, shows its progress, and says of each worker what went wrong.
    mutating func steer<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters, _ progress: GoalProgress, waits: Bool
    ) throws(Failure) -> OperatorExit where M.Reply == SupervisorInterface.GoalReply {
        var (last, progress) = (SupervisorInterface.GoalReply(results: []), progress)
        let console = console
        let style = console.progressStyle
        if waits { console.progress(progress.line(style)) }
        defer { if waits { console.progress("") } }
        try stream(method, parameters) { reply throws(Failure) in
            last = reply
            progress.settled(reply.results)
            if waits { console.progress(progress.line(waiting: reply.waiting ?? [], style)) }
        }
        if waits { console.progress("") }
        if console.json != .off { try show(last) { "" } }
        let outcome = GoalOutcome(last.results, waited: waits)
        report(outcome)
        return outcome.status
    }

    /// Says which of `names` are those of no worker among `workers`; a pattern may match none.
    ///
    /// Returns the exit code that is due.
    func reportUnknown(
        _ names: [String], among workers: [SupervisorInterface.WorkerSummary]
    ) -> OperatorExit {
        let known = Set(workers.map(\.name))
        let unknown = names.filter { !$0.isShellPattern && !known.contains($0) }
        for name in unknown {
            console.report(Failure(SupervisorInterface.noSuchWorker(name: name), calling: ""))
        }
        return unknown.isEmpty ? .success : .noSuchWorker
    }

    /// Does `body` for every worker that `patterns` mean; what fails for one of them is said, and the others go on.
    ///
    /// Returns the exit code of the first failure.
    mutating func forEach(
        _ patterns: [String], _ body: (inout Session, _ name: String) throws(Failure) -> Void
    ) throws(Failure) -> OperatorExit {
        let console = console
        var status = OperatorExit.success
        func report(_ failure: Failure) {
            console.report(failure)
            if status == .success { status = failure.status }
        }
        for name in try names(matching: patterns, onFailure: report) {
            do throws(Failure) { try body(&self, name) } catch  where error.isAboutOneWorker { report(error) }
        }
        return status
    }
}
