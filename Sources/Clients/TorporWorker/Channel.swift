#if canImport(Linux)
internal import Linux
internal import Varlink

/// One connection to the supervisor, which never blocks.
final class Channel {
    private let socket: StreamSocket
    private var varlink = ClientConnection()
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    /// Connects to the supervisor at `path`, which accepts within a second or is as good as away.
    init(_ path: String) throws(LinuxError) {
        socket = try StreamSocket(connectingTo: UnixSocketAddress(path), timeout: 1_000_000)
    }

    var descriptor: Int32 { socket.rawValue }

    var hasOutput: Bool { varlink.outputPending > 0 }

    func call(_ method: String, _ parameters: JSON.Object, mode: CallMode = .once) -> ClientConnection.CallID
    {
        varlink.call(method, parameters, mode: mode)
    }

    /// Sends what the socket takes, and returns what has come; the last event is `closed` when it is over.
    func exchange() -> [ClientConnection.Event] {
        var events: [ClientConnection.Event] = []
        do {
            try varlink.sendOutput { (bytes) throws(LinuxError) in try socket.write(bytes) }
        } catch {
            // Ignoring which error it was: reading finds the end, behind what was said before it.
        }
        while varlink.closeReason == nil {
            do {
                guard let count = try socket.read(into: &buffer) else { break }
                let chunk = buffer
                events +=
                    count == 0 ? varlink.inputEnded() : varlink.receive(chunk.span.extracting(..<count))
            } catch {
                // Ignoring which error it was: the connection is over all the same.
                events += varlink.inputEnded()
            }
        }
        return events
    }
}
#endif
