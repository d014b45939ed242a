import ArgumentParser
import ControlAPI
import Operator

/// `torpor open URL`.
struct OpenCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a URL with the worker that lists its scheme in URLSchemes=.",
        discussion: """
            The worker is moved to the foreground, and launched if it does not run. The command ends when the worker has \
            accepted the URL, or reports why it did not.
            """)

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The URL.")
    var url: String

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let isQuiet = session.console.isQuiet
        let reply = try session.call(SupervisorInterface.Open.self, .init(url: url))
        try session.show(reply) { isQuiet ? "" : "Opened by \(reply.worker).\n" }
        return .success
    }
}
