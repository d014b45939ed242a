import ArgumentParser
internal import ConfigurationSyntax
import ControlAPI
import Lifecycle
import Operator
import WorkerFile

/// `torpor interrupt NAME [-- CMD…]`.
struct InterruptCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "interrupt",
        abstract: "Keep a worker inactive, while a command runs or until it is ended.",
        usage: """
            torpor interrupt [--purpose <purpose>] [--limit <time>] <name> [-- <command> ...]
            torpor interrupt --end [--number <number>] <name>
            """,
        discussion: """
            An active worker becomes inactive, as an app during a phone call, and active again when its last interruption is \
            over: interruptions nest. A worker that sleeps is not woken, and one that is launched meanwhile stays inactive. \
            With a command the interruption lasts as long as the command, and the exit status is that of the command; without \
            one it lasts until 'torpor interrupt --end'.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(help: "The purpose, in a word or two; the name of the command by default.")
    var purpose: String?

    @Option(help: ArgumentHelp("The maximum time, such as 10min; unlimited by default.", valueName: "time"))
    var limit: String?

    @Flag(help: "End an interruption that was begun without a command: the one that began last.")
    var end = false

    @Option(help: ArgumentHelp("With --end, the number of the interruption; see 'torpor status'."))
    var number: Int64?

    @Argument(help: "The worker.", completion: .workers)
    var name: String

    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        if let limit, (try? TimeSpan(parsing: limit)) ?? .zero <= .zero {
            throw ValidationError("invalid --limit '\(limit)'; expected a time span such as 10min or 1h")
        }
        if end, !command.isEmpty || purpose != nil || limit != nil {
            throw ValidationError("--end cannot be combined with a command, --purpose or --limit")
        }
        if number != nil, !end { throw ValidationError("--number requires --end") }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        if end {
            let reply = try session.call(
                SupervisorInterface.EndInterruption.self, .init(name: name, number: number))
            try session.show(reply) { "" }
            return .success
        }
        let parameters = SupervisorInterface.Interrupt.Parameters(
            name: name, purpose: purpose ?? command.first,
            limitUsec: limit.flatMap { try? TimeSpan(parsing: $0).microseconds })
        guard command.isEmpty else { return try accompany(parameters, &session) }
        let reply = try session.call(SupervisorInterface.Interrupt.self, parameters)
        let isQuiet = session.console.isQuiet
        try session.show(reply) { isQuiet ? "" : "Interruption \(reply.number) of \(name) began.\n" }
        return .success
    }

    /// Runs the command; the connection is what interrupts the worker, to our end.
    private func accompany(
        _ parameters: SupervisorInterface.Interrupt.Parameters, _ session: inout Session
    ) throws(Failure) -> OperatorExit {
        let console = session.console
        let subcommand = AccompaniedCommand(command, console)
        do throws(Failure) {
            try session.stream(SupervisorInterface.Interrupt.self, parameters) { reply in
                switch reply.over {
                case nil: subcommand.start()
                case .limit:
                    console.report(
                        Failure(.tryAgain, "\(name) is no longer interrupted: the limit has expired"))
                case .ended, .unlocked, .answered, .workerEnded, .callLost:
                    subcommand.isLost = true
                    console.report(Failure(.tryAgain, "\(name) is no longer interrupted by this command"))
                }
            }
        } catch {
            guard subcommand.hasBegun else { throw error }
            subcommand.isLost = true
            console.report(
                Failure(error.status, "\(name) is no longer interrupted by this command: \(error)"))
        }
        // The command runs on, and this process ends with it.
        subcommand.outlast()
    }
}

/// `torpor answer NAME`.
struct AnswerCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answer an alert of a worker, which ends its interruption.",
        discussion: """
            Of several alerts the one that began first is answered, unless --number names another. 'torpor status' lists them. \
            Alerts are posted by 'torpor post --alert'.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(help: "The number of the alert; see 'torpor status'.")
    var number: Int64?

    @Argument(help: "The worker.", completion: .workers)
    var name: String

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(SupervisorInterface.Answer.self, .init(name: name, number: number))
        let isQuiet = session.console.isQuiet
        try session.show(reply) { isQuiet ? "" : "Answered alert \(reply.number) (\(reply.topic)).\n" }
        return .success
    }
}
