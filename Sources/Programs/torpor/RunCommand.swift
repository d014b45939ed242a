import ArgumentParser
internal import ConfigurationSyntax
internal import Glibc
import Lifecycle
import Linux
import MemoryPressureShell
import Places
import Standalone
import Supervisor
import SupervisorPorts
import WorkerFile

/// `torpor run [options] -- CMD…`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Supervise one command in the foreground, also as the init of a container.",
        discussion: """
            All signals that can be caught are forwarded, orphans are reaped, and the exit status is that of the command, \
            or 128 plus the number of the signal that killed it; 126 if the command cannot be executed, 127 if it is \
            not found.
            """)

    enum WorkerType: String, ExpressibleByArgument, CaseIterable {
        case simple, notify
    }

    @Option(help: "When the launch is complete: 'simple' at exec, 'notify' when READY=1 is received.")
    var type: WorkerType = .simple

    @Flag(
        help:
            "Run the command in a process group in the caller's session; signals are sent to it alone, and processes that it leaves behind keep running."
    )
    var noSession = false

    @Option(
        help: ArgumentHelp(
            "Forward signal FROM as TO; 0 drops it. Names or numbers; may be repeated.", valueName: "from:to")
    )
    var rewrite: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long the command may take to end after SIGTERM before it is killed; unlimited by default.",
            valueName: "time"))
    var stopTimeout: String?

    @Option(
        help: ArgumentHelp(
            "The action for a callback, or for notifications of a topic: signal:NAME, exec:PATH ARGS or stdin:TEXT; may be repeated.",
            valueName: "callback=action"))
    var on: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file whose change is settingsChanged, for --on settingsChanged=ACTION; may be repeated.",
            valueName: "path"))
    var watchSettings: [String] = []

    @Option(
        help: ArgumentHelp(
            "When the action is complete: immediately, exit, notify or output:REGEX; may be repeated.",
            valueName: "callback=completion"))
    var completes: [String] = []

    @Option(
        help: ArgumentHelp(
            "An activity that the command continues (--on continueActivity=) or offers (--on userActivity=exec:, which prints its state), such as org.example.editing; may be repeated.",
            valueName: "type"))
    var activityType: [String] = []

    @Option(
        help: ArgumentHelp(
            "Suspend the command when it has not been used for this time: no data on its connections, no input, little CPU.",
            valueName: "time"))
    var idle: String?

    @Option(
        help: ArgumentHelp(
            "A stream socket that is held for the command and passed to it (LISTEN_FDS), as ListenStream= of a worker: PORT, ADDRESS:PORT, /PATH or @NAME; may be repeated.",
            valueName: "address"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "What wakes the command: connection, data, datagram, input (these by default), request, timer; may be repeated.",
            valueName: "kind,…"),
        completion: .list(["connection", "data", "datagram", "input", "request", "timer"]))
    var wakeOn: [String] = []

    @Option(
        help: ArgumentHelp(
            "The only peers whose connections and data wake the command: addresses, networks, any, localhost, link-local or multicast; may be repeated.",
            valueName: "network,…"))
    var wakeFrom: [String] = []

    @Option(
        help: ArgumentHelp(
            "Peers whose connections and data do not wake the command, such as monitors; may be repeated.",
            valueName: "network,…"))
    var wakeNotFrom: [String] = []

    @Option(
        help: ArgumentHelp(
            "What wakes the command into the background: fetch (--on performFetch=ACTION) or remote-notification (torpor post --wake); may be repeated.",
            valueName: "mode,…"), completion: .list(["fetch", "remote-notification"]))
    var mode: [String] = []

    @Option(
        help: ArgumentHelp(
            "The time between two fetches of --mode fetch; 1h by default.", valueName: "time"))
    var fetchInterval: String?

    @Option(
        help: ArgumentHelp(
            "How often per hour posts and fetches may wake the command, and for how long: as WakeBudget= of a worker, '60 10min' by default, or infinity.",
            valueName: "budget"))
    var wakeBudget: String?

    @Option(
        help: ArgumentHelp(
            "The most memory that the command and its descendants may use, such as 512M or 25%.",
            valueName: "size"))
    var memoryMax: String?

    @Option(
        help: ArgumentHelp(
            "How the command may be ended when memory is critical, to be launched again on demand: 'silent' at once while it sleeps, 'graceful' by willTerminate, 'no' never (the default).",
            valueName: "silent|graceful|no"), completion: .list(["silent", "graceful", "no"]))
    var evictable: String?

    @Option(
        help: ArgumentHelp(
            "Where the control socket is: a path or @NAME, for 'torpor --socket'; by default an abstract name of its own, which 'torpor run -v' prints.",
            valueName: "address"), completion: .file())
    var control: String?

    @Flag(name: .shortAndLong, help: "Print the life cycle on stderr, one line per change.")
    var verbose = false

    @Argument(parsing: .captureForPassthrough, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        // All that stands before the command is captured with it, what the parser knows of itself too.
        if ["-h", "--help"].contains(command.first) { throw CleanExit.helpRequest(self) }
        if command.first == "--version" { throw CleanExit.message(Version.current) }
        if let option = command.first, option.hasPrefix("-"), option != "--", option != "-" {
            throw ValidationError(
                "unknown option '\(option)'; usage: torpor run [options] -- CMD ARGS")
        }
        if commandLine.isEmpty {
            throw ValidationError("no command given; usage: torpor run [options] -- CMD ARGS")
        }
        _ = try options()
    }

    /// The command without the `--` in front of it.
    private var commandLine: ArraySlice<String> { command.first == "--" ? command.dropFirst() : command[...] }

    private func options() throws -> RunOptions {
        // The bytes as they came: arguments need not be UTF-8.
        var options = RunOptions(command: ByteString.processArguments.suffix(commandLine.count))
        options.ownSession = !noSession
        options.waitsForReady = type == .notify
        do throws(SignalTable.RewriteError) {
            for text in rewrite {
                let (from, to) = try SignalTable.rewrite(text)
                options.rewrites[from] = .some(to)
            }
        } catch {
            throw ValidationError(error.description)
        }
        options.stopTimeout = try limit("--stop-timeout", stopTimeout)
        options.idle = try limit("--idle", idle)
        if let memoryMax {
            guard let limit = try? MemoryLimit(parsing: memoryMax) else {
                throw ValidationError(
                    "invalid --memory-max \(memoryMax); expected \(MemoryLimit.expectation)")
            }
            options.memoryMax = MemorySettings.bytes(limit)
        }
        if let evictable {
            guard let choice = Policy.Evictable(rawValue: evictable) else {
                throw ValidationError("invalid --evictable \(evictable); expected silent, graceful or no")
            }
            options.evictable = choice
        }
        if let control {
            // A relative path is one from where the command was given.
            guard !control.isEmpty, control != "@",
                let path = control.hasPrefix("@") ? control : try? ThisProcess.absolutePath(control),
                let address = try? UnixSocketAddress(path)
            else {
                throw ValidationError(
                    "invalid --control '\(control)'; expected a path of at most 107 bytes or @NAME")
            }
            options.control = address
        }
        do throws(RunCallbacks.Problem) {
            for text in on { try options.callbacks.add(on: text) }
            for text in completes { try options.callbacks.add(completes: text) }
            for text in watchSettings { try options.callbacks.add(settings: text) }
            for text in activityType { try options.callbacks.add(activityType: text) }
            try options.callbacks.check()
        } catch {
            throw ValidationError(error.description)
        }
        do throws(RunWaking.Problem) {
            for text in listen { try options.waking.add(listen: text) }
            for text in wakeOn { try options.waking.add(on: text) }
            for text in wakeFrom { try options.waking.add(from: text) }
            for text in wakeNotFrom { try options.waking.add(notFrom: text) }
            try options.waking.check()
        } catch {
            throw ValidationError(error.description)
        }
        do throws(RunBackground.Problem) {
            for text in mode { try options.background.add(mode: text) }
            if let fetchInterval { try options.background.set(fetchInterval: fetchInterval) }
            if let wakeBudget { try options.background.set(wakeBudget: wakeBudget) }
            try options.background.check(with: options.callbacks)
        } catch {
            throw ValidationError(error.description)
        }
        options.isVerbose = verbose
        return options
    }

    /// As systemd.time(7) writes spans; zero and `infinity` are for ever.
    private func limit(_ option: String, _ text: String?) throws -> TimeSpan? {
        guard let text else { return nil }
        guard let limit = try? TimeLimit(parsing: text) else {
            throw ValidationError(
                "invalid \(option) \(text); expected a time span such as 10, 1min 30s or 500ms")
        }
        return limit.span.flatMap { $0 == .zero ? nil : $0 }
    }

    func run() throws {
        do {
            throw ExitCode(try Run(options())())
        } catch let error as ControlSocketError {
            StandardError.write("torpor: \(error)\n")
            throw ExitCode(error.exitStatus)
        }
    }

    /// Runs the last `words` arguments, with nothing but what is so by default.
    static func perform(words: Int) throws {
        let status = try Run(RunOptions(command: ByteString.processArguments.suffix(words)))()
        // Nothing is left to be written, and no library that was loaded need end.
        _exit(status)
    }
}
