import ArgumentParser
import ControlAPI
import Glibc
import Linux
import Operator

/// `torpor hold NAME -- CMD…`.
struct HoldCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Keep a worker awake while a command runs.",
        discussion: """
            A background task for shell scripts: the worker is not suspended until the command has ended, within its \
            background time. The exit status is the command's own, or 128 and the number of the signal that ended it.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(help: "What for, in a word or two; the command's name when left out.")
    var purpose: String?

    @Argument(help: "The worker.", completion: .workers)
    var name: String

    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty {
            throw ValidationError("no command; give one, as in 'torpor hold NAME -- CMD ARGS'")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let purpose = purpose ?? command[0]
        // The connection is what holds it, to our end.
        _ = try session.first(SupervisorInterface.Hold.self, .init(name: name, purpose: purpose))
        do throws(LinuxError) {
            Glibc.exit(try Subcommand(command).run())
        } catch {
            let reason = error.isMissing ? "it is not there" : "\(error)"
            session.console.report(Failure(.usage, "cannot run \(command[0]): \(reason)"))
            Glibc.exit(error.isMissing ? 127 : 126)
        }
    }
}
