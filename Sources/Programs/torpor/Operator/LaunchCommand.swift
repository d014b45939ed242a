import ArgumentParser
internal import ConfigurationSyntax
import ControlAPI
import Linux
import Operator

/// `torpor launch NAME…` and `torpor launch --transient -- CMD…`.
struct LaunchCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch", abstract: "Start workers, or a command as a worker without a file.",
        usage: """
            torpor launch [options] NAME…
            torpor launch [options] --transient [--name NAME] [-p Section.Key=Value …] -- CMD…
            """)

    @OptionGroup var options: OperatorOptions
    @OptionGroup var waiting: WaitOptions

    @Flag(help: "Into the background.")
    var background = false

    @Flag(help: "The arguments are a command; its worker is forgotten when it ends.")
    var transient = false

    @Option(help: "The transient worker's name; one is made up without it.")
    var name: String?

    @Option(
        name: [.short, .customLong("property")],
        help: ArgumentHelp("A setting as in a worker file; may be repeated.", valueName: "Section.Key=Value"))
    var properties: [String] = []

    @Option(
        name: .customLong("setenv"),
        help: ArgumentHelp(
            "A variable of its environment, the caller's own without a value; may be repeated.",
            valueName: "NAME[=VALUE]"))
    var variables: [String] = []

    @Option(help: ArgumentHelp("Where the command runs; the root without it.", valueName: "directory"))
    var workingDirectory: String?

    @Argument(
        help: "Names of workers, or shell patterns; with --transient the command and its arguments.",
        completion: .workers)
    var words: [String]

    func validate() throws {
        let isForTransient =
            name != nil || !properties.isEmpty || !variables.isEmpty || workingDirectory != nil
        if !transient, isForTransient {
            throw ValidationError("--name, --property, --setenv and --working-directory need --transient")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        if transient { return try launchTransient(&session) }
        return try session.steer(
            SupervisorInterface.Launch.self,
            .init(
                names: words, background: background ? true : nil, wait: waiting.wait,
                timeoutMs: waiting.timeoutMs(options)),
            GoalProgress(names: words, expectation: expectation), waits: !waiting.noWait)
    }

    private var expectation: String { background ? "to run in the background" : "to be active" }

    private func launchTransient(_ session: inout Session) throws(Failure) -> OperatorExit {
        let console = session.console
        let parameters = try transientParameters
        if !waiting.noWait {
            let progress = GoalProgress(names: [name ?? words[0]], expectation: expectation)
            console.progress(progress.line([], console.progressStyle))
        }
        defer { console.progress("") }
        let reply = try session.call(SupervisorInterface.LaunchTransient.self, parameters)
        console.progress("")
        let outcome = GoalOutcome([reply.result], waited: !waiting.noWait)
        if console.json != .off {
            try session.show(reply) { "" }
        } else if !console.isQuiet, reply.result.error == nil {
            console.note("Running as worker \(reply.result.name).")
            if reply.result.reached, let message = reply.result.message { console.note("torpor: \(message)") }
        }
        session.report(outcome)
        return outcome.status
    }

    private var transientParameters: SupervisorInterface.LaunchTransient.Parameters {
        get throws(Failure) {
            guard
                ByteString.processArguments.allSatisfy({ String(validating: $0.bytes, as: UTF8.self) != nil })
            else { throw Failure(.usage, "an argument is not UTF-8; the control socket cannot carry it") }
            var parsed: [SupervisorInterface.Property] = []
            for property in properties { parsed.append(try .init(parsing: property)) }
            var environment: [String] = []
            for variable in variables { environment.append(try assignment(variable)) }
            return .init(
                name: name, arguments: try commandLine, properties: parsed.isEmpty ? nil : parsed,
                environment: environment.isEmpty ? nil : environment,
                workingDirectory: try workingDirectory.map { path throws(Failure) in
                    try AbsolutePath(path).text
                }, background: background ? true : nil,
                wait: waiting.wait, timeoutMs: waiting.timeoutMs(options))
        }
    }

    /// The command: a program that is named by a relative path is the caller's.
    private var commandLine: [String] {
        get throws(Failure) {
            guard let program = words.first, program.contains("/") else { return words }
            return [try AbsolutePath(program).text] + words.dropFirst()
        }
    }

    /// `NAME=VALUE` of what `--setenv` was given; a name alone takes our own value, as with systemd-run.
    private func assignment(_ variable: String) throws(Failure) -> String {
        if variable.utf8.dropFirst().contains(UInt8(ascii: "=")) { return variable }
        guard !variable.isEmpty, !variable.hasPrefix("="), let value = Console.variable(variable) else {
            throw Failure(
                .usage,
                "“\(variable)” is no variable of the caller's environment; expected --setenv NAME=VALUE")
        }
        return "\(variable)=\(value)"
    }
}
