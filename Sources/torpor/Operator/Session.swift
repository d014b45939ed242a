import ArgumentParser
import ControlAPI
import Linux
import Operator
import Supervisor
import Varlink

/// One run of a verb: where it says things, and the supervisor, connected to on the first call.
struct Session: ControlTransport {
    let console: Console
    let socket: String
    private var client: ControlClient?

    init(_ options: OperatorOptions, _ console: Console) throws(Failure) {
        self.console = console
        guard let path = options.socket else {
            socket = Self.defaultSocket
            return
        }
        // An abstract name is one everywhere.
        socket = path.hasPrefix("@") ? path : try AbsolutePath(path).text
    }

    /// Where a supervisor of ours would be (3.4): root's under /run, another user's in the user's runtime directory, and root's
    /// for a user that has none.
    private static var defaultSocket: String {
        let directory = ThisProcess.isRoot ? nil : UserRuntimeDirectory.find()
        return (directory ?? "/run") + "/torpor/" + DaemonOptions.socketName
    }

    mutating func call<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters
    ) throws(Failure) -> M.Reply {
        let client = try connected(for: M.self)
        do throws(ControlClientError) { return try client.call(method, parameters) } catch {
            throw Failure(error, calling: M.name, at: socket)
        }
    }

    mutating func stream<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters, _ receive: (M.Reply) throws(Failure) -> Void
    ) throws(Failure) {
        let client = try connected(for: M.self)
        do {
            try client.call(more: method, parameters) { reply in
                try receive(reply)
                return true
            }
        } catch let error as Failure {
            throw error
        } catch let error as ControlClientError {
            throw Failure(error, calling: M.name, at: socket)
        } catch {
            throw Failure(.unavailable, "\(M.member) failed: \(error)")
        }
    }

    /// Calls `method` with `more` and returns its first reply; the call goes on as long as we do.
    mutating func first<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters
    ) throws(Failure) -> M.Reply? {
        let client = try connected(for: M.self)
        var first: M.Reply?
        do {
            try client.call(more: method, parameters) { reply in
                first = reply
                return false
            }
        } catch let error as ControlClientError {
            throw Failure(error, calling: M.name, at: socket)
        } catch {
            throw Failure(.unavailable, "\(M.member) failed: \(error)")
        }
        return first
    }

    /// The connection, made on the first call, for a call of `method`.
    ///
    /// What the supervisor says is made printable here, once for all that is shown: a supervisor may be another user's, and its
    /// texts are those of workers. What is shown as JSON is spelled out there, and a file when it is shown.
    private mutating func connected<M: SupervisorInterface.Method>(
        for method: M.Type
    ) throws(Failure) -> ControlClient {
        let client: ControlClient
        if let known = self.client { client = known } else { client = try connect() }
        self.client = client
        let isAsItIs = console.json != .off || M.member == SupervisorInterface.Cat.member
        client.rewrite = isAsItIs ? { $0 } : { $0.printable }
        return client
    }

    private func connect() throws(Failure) -> ControlClient {
        do throws(ControlClientError) { return try ControlClient(connectingTo: socket) } catch {
            throw Failure(error, calling: "", at: socket)
        }
    }

    /// Prints `reply`: as JSON where that is wanted, else as `text` makes it.
    func show(_ reply: some Encodable, as text: () -> String) throws(Failure) {
        guard console.json != .off else { return console.print(text()) }
        do throws(JSON.Mismatch) {
            console.print(try JSON(encoding: reply).document(console.json))
        } catch {
            throw Failure(.unavailable, "cannot print the reply as JSON: \(error)")
        }
    }
}

/// A verb of the operator's: arguments, and what to do with a session.
protocol OperatorCommand: ParsableCommand {
    var options: OperatorOptions { get }
    /// Does it; what is thrown is reported, what is returned is the exit code.
    func operate(_ session: inout Session) throws(Failure) -> OperatorExit
}

extension OperatorCommand {
    func run() throws {
        let console = Console(options)
        let status: OperatorExit
        do throws(Failure) {
            var session = try Session(options, console)
            status = try operate(&session)
        } catch {
            console.report(error)
            throw ExitCode(error.status.rawValue)
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
