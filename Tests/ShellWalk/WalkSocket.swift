import Glibc

/// The other end of a connection: it speaks real Varlink through a real socket, in pieces, and may go away at any time.
class WalkSocket {
    private(set) var descriptor: Int32
    private var unsent: [UInt8] = []
    private var received: [UInt8] = []

    /// The other end of `descriptor`, which does not block.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    /// Two ends of a connection, of which the first does not block; nil where none can be made.
    static func pair() -> (own: Int32, other: Int32)? {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Leaves a message to be sent.
    func leave(_ text: String) { unsent += Array(text.utf8) + [0] }

    /// How much is left to be sent.
    var unsentCount: Int { unsent.count }

    /// Sends so many bytes.
    func send(_ count: Int) {
        guard descriptor >= 0, count > 0 else { return }
        let sent = unsent.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, min(count, $0.count), Int32(MSG_NOSIGNAL))
        }
        if sent > 0 { unsent.removeFirst(sent) }
    }

    /// What has come; nil where the server has closed the connection, and nothing more comes.
    func receive() -> [[UInt8]]? {
        guard descriptor >= 0 else { return nil }
        var isOver = false
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
            while true {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 {
                    received += buffer[..<count]
                    continue
                }
                isOver = count == 0 || errno == ECONNRESET
                break
            }
        }
        var messages: [[UInt8]] = []
        while let end = received.firstIndex(of: 0) {
            messages.append(Array(received[..<end]))
            received.removeSubrange(...end)
        }
        return isOver && messages.isEmpty ? nil : messages
    }
}
