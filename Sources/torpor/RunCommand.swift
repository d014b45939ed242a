import ArgumentParser
import Lifecycle
import Linux
import Supervisor
import WorkerFile

/// `torpor run [options] -- CMD…`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Supervises one command in the foreground, as a container's init too.",
        discussion: """
            Every signal that can be caught is passed on, orphans are reaped, and the command's exit status is ours: \
            its own, or 128 and the number of the signal that ended it; 126 when it cannot be executed, 127 when it \
            is not there.
            """)

    enum WorkerType: String, ExpressibleByArgument, CaseIterable {
        case simple, notify
    }

    @Option(help: "When the launch is complete: 'simple' at exec, 'notify' when READY=1 has come.")
    var type: WorkerType = .simple

    @Flag(help: "A process group on our own session for the command; signals reach it alone.")
    var noSession = false

    @Option(
        help: ArgumentHelp(
            "Pass signal FROM on as TO; 0 drops it. Names or numbers, may be repeated.", valueName: "from:to")
    )
    var rewrite: [Rewrite] = []

    @Option(
        help: ArgumentHelp(
            "How long the command may take to end after SIGTERM before it is killed; without it, for ever.",
            valueName: "time"))
    var stopTimeout: StopTimeout?

    @Flag(name: .shortAndLong, help: "Tell the life cycle on stderr, one line per change.")
    var verbose = false

    @Argument(parsing: .captureForPassthrough, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        if commandLine.isEmpty {
            throw ValidationError("no command; give one, as in 'torpor run -- CMD ARGS'")
        }
    }

    /// The command without the `--` in front of it.
    private var commandLine: ArraySlice<String> { command.first == "--" ? command.dropFirst() : command[...] }

    func run() throws {
        // The bytes as they came: arguments need not be UTF-8.
        var options = RunOptions(command: ByteString.processArguments.suffix(commandLine.count))
        options.ownSession = !noSession
        options.waitsForReady = type == .notify
        options.rewrites = Dictionary(rewrite.map { ($0.from, $0.to) }) { _, last in last }
        options.stopTimeout = stopTimeout?.span
        options.isVerbose = verbose
        throw ExitCode(try Run(options)())
    }
}

/// The value of `--rewrite`.
struct Rewrite: ExpressibleByArgument {
    let from: Signal
    let to: Signal?

    init?(argument: String) {
        guard let (from, to) = try? SignalTable.rewrite(argument) else { return nil }
        self.from = from
        self.to = to
    }
}

/// The value of `--stop-timeout`, as systemd.time(7) writes spans.
struct StopTimeout: ExpressibleByArgument {
    let span: TimeSpan?

    init?(argument: String) {
        guard let limit = try? TimeLimit(parsing: argument) else { return nil }
        switch limit {
        case .after(let span): self.span = span
        case .infinity: span = nil
        }
    }
}
