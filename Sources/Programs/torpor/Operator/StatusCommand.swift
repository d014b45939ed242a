import ArgumentParser
import ControlAPI
import LiveScreen
import Operator

/// `torpor status [NAME…]`.
struct StatusCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show everything about workers, or about the supervisor itself.",
        discussion:
            "Exits with 3 if a worker does not run and 4 if it does not exist; a suspended worker runs.")

    @OptionGroup var options: OperatorOptions

    @Argument(
        help: "Names of workers, or shell patterns; the supervisor itself by default.",
        completion: .workers)
    var names: [String] = []

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let console = session.console
        guard !names.isEmpty else {
            let view = try SupervisorView(at: session.socket, over: &session)
            try session.show(view) { view.rendered(console.style, at: .local) }
            return .success
        }
        var outcome = Outcome(console)
        let found = try session.names(matching: names) { outcome.missed($0) }
        for (index, name) in found.enumerated() {
            do throws(Failure) {
                var reply = try session.call(SupervisorInterface.Describe.self, .init(name: name))
                if console.json == .off, reply.worker.lastOutput == nil {
                    let lines = session.lines(at: reply.worker.outputTo, SupervisorInterface.Logs.usual)
                    if !lines.isEmpty { reply.worker.lastOutput = lines }
                }
                var view = StatusView(reply.worker, at: .local)
                if console.json == .off, session.host == nil, let pid = reply.worker.pid {
                    view.ownSockets = OpenConnections.sockets(of: Int32(clamping: pid))
                }
                try session.show(reply) { (index > 0 ? "\n" : "") + view.rendered(console.style) }
                outcome.add(view.exitStatus)
            } catch  where error.isAboutOneWorker {
                outcome.missed(error)
            }
        }
        return outcome.status
    }

    /// The first exit code that is none of success counts, as with systemctl.
    private struct Outcome {
        let console: Console
        var status = OperatorExit.success

        init(_ console: Console) { self.console = console }

        mutating func add(_ next: OperatorExit) {
            if status == .success { status = next }
        }

        mutating func missed(_ failure: Failure) {
            console.report(failure)
            add(failure.status)
        }
    }
}
