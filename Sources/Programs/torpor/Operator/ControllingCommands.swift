import ArgumentParser
import ControlAPI
import Operator

extension CommandGroup {
    /// The verbs that do something with workers, in the order of the help.
    static var controlling: CommandGroup {
        CommandGroup(
            name: "Controlling",
            subcommands: [
                LaunchCommand.self, GoalCommand<SupervisorInterface.Restart>.self,
                GoalCommand<SupervisorInterface.Activate>.self,
                GoalCommand<SupervisorInterface.Resign>.self,
                GoalCommand<SupervisorInterface.Background>.self,
                GoalCommand<SupervisorInterface.Suspend>.self,
                GoalCommand<SupervisorInterface.Resume>.self,
                GoalCommand<SupervisorInterface.Terminate>.self,
                GoalCommand<SupervisorInterface.Kill>.self, ShutdownCommand.self, OpenCommand.self,
                PostCommand.self, SendCommand.self, AttachCommand.self, HoldCommand.self,
                InterruptCommand.self, AnswerCommand.self, TransferCommand.self,
                ContinueCommand.self,
            ])
    }
}

/// `torpor shutdown`.
struct ShutdownCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "shutdown", abstract: "Stop all workers gracefully.")

    @OptionGroup var options: OperatorOptions
    @OptionGroup var waiting: WaitOptions

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        try session.steer(
            SupervisorInterface.Shutdown.self,
            .init(wait: waiting.wait, timeoutMs: waiting.timeoutMs(options)),
            GoalProgress(ofAll: "to end"), waits: !waiting.noWait)
    }
}

/// `torpor open URL`.
struct OpenCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a URL with the worker that lists its scheme in URLSchemes=.",
        discussion: """
            The worker is moved to the foreground, and launched if it does not run. The command ends when the worker has \
            accepted the URL, or reports why it did not. Of several workers with the scheme the next is asked where one \
            refuses, in the order of their names.
            """)

    @OptionGroup var options: OperatorOptions

    @Flag(help: "Only show the workers that would be asked, in this order; nothing is launched.")
    var can = false

    @Argument(help: "The URL.")
    var url: String

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let isQuiet = session.console.isQuiet
        if can {
            let reply = try session.call(SupervisorInterface.CanOpen.self, .init(url: url))
            try session.show(reply) { reply.workers.map { $0.printable + "\n" }.joined() }
            return .success
        }
        let reply = try session.call(SupervisorInterface.Open.self, .init(url: url))
        try session.show(reply) { isQuiet ? "" : "Opened by \(reply.worker).\n" }
        return .success
    }
}
