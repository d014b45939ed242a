/// Reads what the kernel answers to a dump of Unix sockets (sock_diag(7), `UNIX_DIAG`), with their queues and peers.
///
/// Pure. What it does not know it passes over, as ``SockDiagReader`` does.
package struct UnixDiagReader {
    /// What was read so far, in the order of the dump.
    package private(set) var sockets: [UnixSocket] = []
    private var messages: DiagMessages

    /// Reads the answer to the request of this number.
    package init(sequence: UInt32) { messages = DiagMessages(sequence: sequence) }

    /// Reads one datagram.
    package mutating func read(_ datagram: ArraySlice<UInt8>) -> SockDiagReader.Progress {
        messages.read(datagram) { body in
            if let socket = UnixSocket(body) { sockets.append(socket) }
        }
    }
}

extension UnixSocket {
    // struct unix_diag_msg and its attributes (linux/unix_diag.h).
    private static let size = 16
    private static let family: UInt8 = 1
    private static let name: UInt16 = 0
    private static let peer: UInt16 = 2
    private static let queues: UInt16 = 4

    /// The socket of a `unix_diag_msg`; nil where it is shorter than that, of another family, or of a kind or in a state unknown here.
    fileprivate init?(_ body: Fields) {
        guard body.count >= Self.size, body.u8(0) == Self.family, let kind = body.u8(1).flatMap(Kind.init),
            let state = body.u8(2).flatMap(InetSocket.State.init), let inode = body.u32(4)
        else { return nil }
        var peer: UInt32?
        var name: [UInt8]?
        var (receiveQueue, sendQueue): (UInt32, UInt32) = (0, 0)
        body.part(from: Self.size, to: body.count).forEachAttribute { attribute, value in
            switch attribute {
            case Self.peer: peer = value.u32(0)
            case Self.name: name = value.text
            case Self.queues:
                guard let receive = value.u32(0), let send = value.u32(4) else { return }
                (receiveQueue, sendQueue) = (receive, send)
            default: break
            }
        }
        self.init(
            kind: kind, state: state, inode: inode, peer: peer == 0 ? nil : peer, name: name,
            receiveQueue: receiveQueue,
            sendQueue: sendQueue)
    }
}
