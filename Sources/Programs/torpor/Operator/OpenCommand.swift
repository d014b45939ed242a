import ArgumentParser
import ControlAPI
import Operator

/// `torpor open URL`.
struct OpenCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a URL with the worker that says so in URLSchemes=.",
        discussion: """
            The worker is brought to the foreground, launched for it where it does not run; the command ends when the \
            worker has taken the URL, or says why it did not.
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
