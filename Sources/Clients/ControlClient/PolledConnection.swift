package import ControlAPI
internal import Launching
internal import Linux
package import Varlink

/// A connection to a supervisor for a program that waits for other things too: nothing here waits, once it is made.
///
/// Its owner waits for ``descriptor`` and then has it ``advance()``.
package final class PolledConnection {
    /// The command that leads to the supervisor; nil where that is of this machine.
    package let bridge: BridgeProcess?
    private let socket: StreamSocket
    private var varlink = ClientConnection()
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Reads of one ``advance()`` at most: others have their turn.
    private static let mostReads = 16

    /// Connects to the supervisor at `path` (or `@` and an abstract name); this waits for `timeout` microseconds at most, where its queue is
    /// full.
    package init(connectingTo path: String, timeout: Int64) throws(ControlClientError) {
        bridge = nil
        do {
            socket = try StreamSocket(connectingTo: UnixSocketAddress(path), timeout: timeout)
        } catch {
            throw ControlClientError(error, at: path)
        }
    }

    /// Starts `command`, which connects its standard input and output to a supervisor.
    package init(through command: [String]) throws(ControlClientError) {
        var bridge: BridgeProcess?
        socket = try StreamSocket.pair { (theirs: Int32) throws(ControlClientError) in
            do throws(LaunchError) {
                bridge = try BridgeProcess(command, on: theirs, ignoresKeyboard: true)
            } catch {
                throw ControlClientError(.noBridge, errno: error.errno, "\(error)")
            }
        } failing: {
            ControlClientError(.system, errno: $0.errno, "\($0)")
        }
        self.bridge = bridge
    }

    deinit { bridge?.end() }

    /// What to wait for: until it can be read, and written too while ``wantsToWrite``.
    package var descriptor: Int32 { socket.rawValue }

    /// Whether calls wait to be sent.
    package var wantsToWrite: Bool { varlink.outputPending > 0 }

    /// Calls `method`, as soon as the socket takes it; its replies come out of ``advance()``.
    package func call<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters, mode: CallMode = .once
    ) throws(JSON.Mismatch) -> ClientConnection.CallID {
        try varlink.call(M.name, encoding: parameters, mode: mode)
    }

    /// Sends and receives what can be, and returns what came; the last event is `closed` where the connection has ended.
    package func advance() -> [ClientConnection.Event] {
        var events: [ClientConnection.Event] = []
        do throws(LinuxError) {
            try varlink.sendOutput { (bytes) throws(LinuxError) in try socket.write(bytes) }
        } catch {
            // Ignoring which error it was: reading tells what the supervisor said before it went, and that it is gone.
        }
        for _ in 0..<Self.mostReads {
            guard varlink.closeReason == nil else { return events }
            do throws(LinuxError) {
                guard let count = try socket.read(into: &buffer) else { return events }
                guard count > 0 else { return events + varlink.inputEnded() }
                // Held here meanwhile: what programs that ship are built with lets no span of a property out.
                let received = buffer
                events += varlink.receive(received.span.extracting(..<count))
            } catch {
                // Ignoring which error it was: each means that the peer is gone.
                return events + varlink.inputEnded()
            }
        }
        return events
    }
}
