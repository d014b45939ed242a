import ArgumentParser
import Glibc
import Operator
import Places
import Supervisor

/// `torpor`: everything but the daemon.
@main
struct Torpor: ParsableCommand {
    /// All verbs; or just the one that is run, where its start is what counts.
    ///
    /// Merely naming the type of a verb costs the runtime a search through all conformances of the program, a
    /// millisecond and a half for all of them.
    static var configuration: CommandConfiguration {
        let only = alone(line.verb)
        return CommandConfiguration(
            commandName: "torpor", abstract: "Give ordinary programs the life cycle of an app.",
            version: Version.current,
            subcommands: only, groupedSubcommands: only.isEmpty ? groups : [])
    }

    /// The verb alone, where its start is what counts.
    private static func alone(_ verb: String?) -> [any ParsableCommand.Type] {
        switch verb {
        case "run": [RunCommand.self]
        case "list": [ListCommand.self]
        case "bridge": [BridgeCommand.self]
        default: []
        }
    }

    /// What was typed, the verb first.
    private static let line = VerbFirst(Array(CommandLine.arguments.dropFirst()))

    private static var groups: [CommandGroup] {
        [
            CommandGroup(name: "Standalone", subcommands: [RunCommand.self]),
            .observing, .controlling, .administering,
        ]
    }

    /// What is wrong is said in one line; help and the version go the parser's own way.
    static func main() {
        do {
            guard !CommandLine.arguments.isEmpty else {
                throw ValidationError("the arguments of the program cannot be read: /proc is not mounted")
            }
            // A connection must not get the number of standard output, nor what is printed there.
            if line.verb != "run" { StandardDescriptors.fill(takesOutput: false) }
            guard let short = ShortLine(line.arguments), try perform(short) else {
                try requireVerb()
                var command = try parseAsRoot(line.arguments)
                return try command.run()
            }
        } catch {
            // A verb that ends with a status has said what there is to say.
            if let status = error as? ExitCode { Glibc.exit(status.rawValue) }
            let code = exitCode(for: error)
            if code == .validationFailure {
                let problem = message(for: error)
                complain(problem.inOneLine + remedy(for: problem.prefix { $0 != "\n" }))
            } else if !code.isSuccess {
                complain("\(error)")
            } else {
                return StandardOutput.print(fullMessage(for: error), of: "torpor")
            }
            exit(withError: code)
        }
    }

    /// What to do about an argument that is missing, as the parser tells of it; empty for anything else.
    private static func remedy(for sentence: Substring) -> String {
        if sentence.hasPrefix("Missing value for '-"),
            let option = sentence.split(separator: "'").dropFirst().first
        {
            let name = option.prefix { $0 != " " }
            let value = line.arguments.drop { $0 != name }.dropFirst().first
            return value?.hasPrefix("-") ?? false
                ? "; a value that begins with '-' is given as \(name)=VALUE" : ""
        }
        guard sentence.hasPrefix("Missing expected argument"), let verb = line.verb else { return "" }
        return "; see 'torpor help \(verb)'"
    }

    /// Says what a verb of another supervisor is called here.
    private static func requireVerb() throws {
        guard var verb = line.verb, alone(verb).isEmpty else { return }
        let verbs = groups.flatMap(\.subcommands).compactMap { $0.configuration.commandName }
        if verb == "help" {
            guard let subject = line.arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) else {
                return
            }
            verb = subject
        }
        guard !verbs.contains(verb), verb != "help" else { return }
        let advice =
            ForeignVerbs.advice(for: verb)
            ?? ForeignVerbs.nearest(to: verb, of: verbs).map { "did you mean '\($0)'?" }
            ?? "see 'torpor --help'"
        throw ValidationError("unknown verb '\(verb)'; \(advice)")
    }

    func run() throws {
        throw ValidationError("no verb given; see 'torpor --help'")
    }

    private static func complain(_ problem: String) {
        StandardError.write("torpor: \(problem)\n")
    }
}
