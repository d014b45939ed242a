import ArgumentParser
import ControlClient
import Glibc
import Operator

/// `torpor bridge`, the far end of `--host`: ssh runs it.
struct BridgeCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge", abstract: "Connect standard input and output to the supervisor.",
        discussion: """
            For 'torpor --host', which runs it by ssh. The end of the input ends the requests; the command ends when the supervisor \
            closes the connection.
            """, shouldDisplay: false)

    @OptionGroup var options: OperatorOptions

    @Flag(help: "Start the supervisor if a service manager holds its socket.")
    var mayLaunch = false

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let client = try session.reach.connect(timeout: CallLimit.signOfLife, mayLaunch: mayLaunch)
        do throws(ControlClientError) {
            // Ignoring whether the reader is gone: then there is no process to tell.
            _ = try client.relay(from: STDIN_FILENO, to: STDOUT_FILENO)
        } catch {
            throw Failure(error, calling: "", at: session.socket)
        }
        return .success
    }
}
