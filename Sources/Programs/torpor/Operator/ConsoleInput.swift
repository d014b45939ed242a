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
    private let reach: SupervisorReach

    init(of name: String, over reach: SupervisorReach) {
        self.name = name
        self.reach = reach
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
        do throws(Failure) {
            let client = try reach.connect(timeout: CallLimit.signOfLife)
            while let line = readLine() { try send(line, over: client) }
            exit(EXIT_SUCCESS)
        } catch {
            console.report(error)
            exit(error.status.rawValue)
        }
    }

    private func send(_ line: String, over client: ControlClient) throws(Failure) {
        client.limit(to: CallLimit.work)
        do throws(ControlClientError) {
            _ = try client.call(SupervisorInterface.Send.self, .init(name: name, text: line))
        } catch {
            if case .remote(let host) = reach, let bridge = client.bridge,
                let failure = host.failure(error, of: bridge, wasAlive: true, kind: .working)
            {
                throw failure
            }
            throw Failure(error, calling: SupervisorInterface.Send.name, at: reach.address)
        }
    }
}
