import ArgumentParser
internal import ConfigurationSyntax
import ControlAPI
import Lifecycle
import Operator
import WorkerFile

/// `torpor hold NAME -- CMD…`.
struct HoldCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Keep a worker awake while a command runs.",
        discussion: """
            A background task for shell scripts: the worker is not suspended until the command has ended. It does not \
            count against the worker's background time and never causes the worker to be killed. The exit status is that \
            of the command, or 128 plus the number of the signal that killed it. If the worker ends or the supervisor goes \
            away, a message is printed at once, the command keeps running, and the exit status is 75 instead of 0.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(help: "The purpose, in a word or two; the name of the command by default.")
    var purpose: String?

    @Option(help: "The maximum time, such as 1h; until the command ends by default.")
    var limit: String?

    @Argument(help: "The worker.", completion: .workers)
    var name: String

    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty {
            throw ValidationError("no command given; usage: torpor hold NAME -- CMD ARGS")
        }
        if let limit, (try? TimeSpan(parsing: limit)) ?? .zero <= .zero {
            throw ValidationError("invalid --limit '\(limit)'; expected a time span such as 10min or 1h")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let console = session.console
        let subcommand = AccompaniedCommand(command, console)
        // The connection is what holds it, to our end.
        let call = SupervisorInterface.Hold.Parameters(
            name: name, purpose: purpose ?? command[0],
            limitUsec: limit.flatMap { try? TimeSpan(parsing: $0).microseconds })
        do throws(Failure) {
            try session.stream(SupervisorInterface.Hold.self, call) { reply in
                switch reply.over {
                case nil: subcommand.start()
                case .limit:
                    console.report(Failure(.tryAgain, "\(name) is no longer held: the limit has expired"))
                case .workerEnded:
                    subcommand.isLost = true
                    let reason = reply.reason ?? "it has ended"
                    console.report(Failure(.tryAgain, "\(name) is no longer held: \(reason)"))
                }
            }
        } catch {
            guard subcommand.hasBegun else { throw error }
            subcommand.isLost = true
            console.report(Failure(error.status, "\(name) is no longer held: \(error)"))
        }
        // The command runs on, and this process ends with it.
        subcommand.outlast()
    }
}
