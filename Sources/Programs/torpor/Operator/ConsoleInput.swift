import ControlAPI
import ControlClient
import Glibc
import Lifecycle
import Linux
import Operator
import Supervisor

/// The lines of our standard input, each sent to a worker's, by a thread and a connection of its own.
struct ConsoleInput: Sendable {
    private let name: String
    private let socket: String

    init(of name: String, at socket: String) {
        self.name = name
        self.socket = socket
    }

    /// Begins to read; the program ends when the input does, or when the worker cannot be written to.
    func start(_ console: Console) throws(Failure) {
        do throws(LinuxError) {
            try DetachedThread.start { run(console) }
        } catch {
            throw Failure(.unavailable, "cannot read standard input: \(error)")
        }
    }

    private func run(_ console: Console) {
        do throws(ControlClientError) {
            let client = try ControlClient(connectingTo: socket, timeout: CallLimit.signOfLife)
            while let line = readLine() {
                client.limit(to: CallLimit.work)
                _ = try client.call(SupervisorInterface.Send.self, .init(name: name, text: line))
            }
            exit(EXIT_SUCCESS)
        } catch {
            let failure = Failure(error, calling: SupervisorInterface.Send.name, at: socket)
            console.report(failure)
            exit(failure.status.rawValue)
        }
    }
}
