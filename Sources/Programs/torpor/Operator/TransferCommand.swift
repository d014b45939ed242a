import ArgumentParser
internal import ConfigurationSyntax
import ControlAPI
import Lifecycle
import Operator
import WorkerFile

/// `torpor transfer NAME -- CMD…`.
struct TransferCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Run a command beside a worker, which is told of its end; or cancel one.",
        usage: """
            torpor transfer [--purpose <purpose>] [--limit <time>] [--working-directory <dir>] <name> -- <command> ...
            torpor transfer --cancel <number> <name>
            """,
        discussion: """
            The command runs as the worker's user, with its environment and in its working directory, but apart from it: it \
            goes on when the worker sleeps, is evicted or ends, and when the supervisor is restarted or killed. When it ends, \
            the worker receives handleTransferEvents; with Modes=transfer it is woken or launched for that, otherwise it is \
            told when it runs next. The command may print lines 'X_TORPOR_PROGRESS=DONE/TOTAL TEXT'; 'torpor transfers' and \
            'torpor status' show its progress. --cancel ends a transfer, or forgets one that has ended and whose worker has \
            not been told.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(help: "The purpose, in a word or two; the name of the command by default.")
    var purpose: String?

    @Option(
        help: ArgumentHelp(
            "The maximum time, such as 2h; as in TransferLimitSec= by default.", valueName: "time"))
    var limit: String?

    @Option(
        help: ArgumentHelp(
            "The directory to run the command in; that of the worker by default.", valueName: "dir"))
    var workingDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Cancel the transfer with this number; see 'torpor transfers'.", valueName: "number"))
    var cancel: Int64?

    @Argument(help: "The worker.", completion: .workers)
    var name: String

    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        if cancel != nil {
            guard command.isEmpty, purpose == nil, limit == nil, workingDirectory == nil else {
                throw ValidationError("--cancel cannot be combined with a command or its options")
            }
            return
        }
        if command.isEmpty {
            throw ValidationError("no command given; usage: torpor transfer NAME -- CMD ARGS")
        }
        if let limit, (try? TimeSpan(parsing: limit)) ?? .zero <= .zero {
            throw ValidationError("invalid --limit '\(limit)'; expected a time span such as 10min or 1h")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        if let cancel {
            let reply = try session.call(
                SupervisorInterface.CancelTransfer.self, .init(name: name, number: cancel))
            try session.show(reply) { "" }
            return .success
        }
        let host = session.host
        let reply = try session.call(
            SupervisorInterface.BeginTransfer.self,
            .init(
                name: name, command: try words(on: host), purpose: purpose,
                workingDirectory: try workingDirectory.map { path throws(Failure) in
                    try AbsolutePath(path, on: host).text
                }, limitUsec: limit.flatMap { try? TimeSpan(parsing: $0).microseconds }))
        let isQuiet = session.console.isQuiet
        try session.show(reply) { isQuiet ? "" : "Transfer \(reply.number) of \(name) began.\n" }
        return .success
    }

    /// The command: a program that is named by a relative path is the caller's.
    private func words(on host: RemoteHost?) throws(Failure) -> [String] {
        guard let program = command.first, program.contains("/") else { return command }
        return [try AbsolutePath(program, on: host).text] + command.dropFirst()
    }
}

/// `torpor transfers [NAME]`.
struct TransfersCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfers",
        abstract: "Show the transfers that run, and those whose end their workers have not been told.")

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The worker; all by default.", completion: .workers)
    var name: String?

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(SupervisorInterface.Transfers.self, .init(name: name))
        let style = session.console.style
        try session.show(reply) { TransfersView(reply.transfers, at: .local).rendered(style) }
        return .success
    }
}
