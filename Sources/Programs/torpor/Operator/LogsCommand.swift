import ArgumentParser
internal import ConfigurationSyntax
import ControlAPI
internal import Launching
import Linux
import Operator

/// `torpor logs NAME`.
struct LogsCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Show the output of a worker, and with -f new output as it appears.",
        discussion: """
            The supervisor keeps the last 16 KiB of output that passes through it, per worker and across restarts of the worker. \
            Output that goes to the journal or to a file is read from there, by journalctl or tail.
            """)

    @OptionGroup var options: OperatorOptions

    @Flag(name: [.customShort("f"), .long], help: "Keep printing new output.")
    var follow = false

    @Option(
        name: [.customShort("n", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp("Number of newest lines to show, or 'all'.", valueName: "number"),
        transform: LineCount.reading)
    var lines: LineCount = .newest(SupervisorInterface.Logs.usual)

    @Argument(help: "The name of the worker.", completion: .workers)
    var name: String

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let count: Int64 =
            switch lines {
            case .newest(let count): Int64(clamping: count)
            case .all: .max
            }
        let parameters = SupervisorInterface.Logs.Parameters(name: name, lines: count)
        guard follow else {
            let reply = try session.call(SupervisorInterface.Logs.self, parameters)
            if let place = reply.outputTo { return try read(place, session) }
            try session.show(reply) { Self.text(reply) }
            return .success
        }
        let printer = session
        var place: String?
        try session.follow(SupervisorInterface.Logs.self, parameters) { reply throws(Failure) in
            place = reply.outputTo
            guard place == nil else { return false }
            try printer.show(reply) { Self.text(reply) }
            return true
        }
        if let place { return try read(place, session) }
        return .success
    }

    static func text(_ reply: SupervisorInterface.Logs.Reply) -> String {
        reply.lines.map { $0.printable + "\n" }.joined()
    }

    /// Has the program read it that knows how.
    private func read(_ place: String, _ session: Session) throws(Failure) -> OperatorExit {
        let command = LogPlace(place).command(following: follow, lines)
        let words = session.host?.command(command) ?? command
        do throws(LinuxError) {
            let status = try Subcommand(words).run()
            // Ctrl-C is how one ends following.
            return status == 0 || status == 130 ? .success : .unavailable
        } catch {
            throw Failure(
                .unavailable,
                "the output of \(name) goes to \(place), but \(words[0]) cannot be executed: \(error)")
        }
    }
}

/// `torpor send NAME TEXT`.
struct SendCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Write a line to a worker's standard input.",
        discussion: """
            The supervisor must hold the worker's standard input: with StandardInput=pipe, or with a hook \
            stdin:TEXT. A worker that sleeps reads the line when it wakes.
            """)

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The name of the worker.", completion: .workers)
    var name: String

    @Argument(help: "The words of the line; they are joined with spaces.")
    var text: [String]

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        _ = try session.call(
            SupervisorInterface.Send.self, .init(name: name, text: text.joined(separator: " ")))
        return .success
    }
}

/// `torpor attach NAME`.
struct AttachCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Attach to a worker's console: its output, and lines for its standard input.",
        discussion: """
            The supervisor must hold the worker's standard input (StandardInput=pipe, or a hook stdin:TEXT), and its \
            output must pass through the supervisor. End of input, Ctrl-D or Ctrl-C detaches; the worker keeps running. If the \
            worker ends, a message says so and the exit status is 75.
            """)

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The name of the worker.", completion: .workers)
    var name: String

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let printer = session
        let name = name
        let reach = try session.reach
        let worker = try session.call(SupervisorInterface.Describe.self, .init(name: name)).worker
        guard worker.state != .notRunning else {
            throw Failure(.tryAgain, "\(name) is not running; use 'torpor launch \(name)' to start it")
        }
        var isFirst = true
        try session.follow(SupervisorInterface.Logs.self, .init(name: name)) { reply throws(Failure) in
            if isFirst {
                isFirst = false
                guard reply.hasInput ?? false else {
                    throw Failure(
                        .usage,
                        "\(name) has no console: the supervisor does not hold its standard input; set StandardInput=pipe in its file, "
                            + "or use 'torpor logs -f \(name)' to see its output")
                }
                if let place = reply.outputTo {
                    printer.console.note(
                        "torpor: the output of \(name) goes to \(place) and is not shown here")
                }
                try ConsoleInput(of: name, over: reach).start(printer.console)
            }
            try printer.show(reply) { LogsCommand.text(reply) }
            if let end = reply.ended { throw Failure(.tryAgain, "\(name) has \(end)") }
            return true
        }
        return .success
    }
}
