internal import Glibc
package import Linux

/// Tells the supervisor of this process what it is doing: the sending end of `$NOTIFY_SOCKET` (sd_notify(3)).
package struct NotifySender: ~Copyable, Sendable {
    /// What became of a message.
    package enum Outcome: Hashable, Sendable {
        /// It waits at the receiver.
        case sent
        /// The receiver's queue is full and nothing was sent: try again later, or drop it.
        case wouldBlock
    }

    private let socket: DatagramSocket
    private let address: UnixSocketAddress

    /// Sends to `address`, the value of `$NOTIFY_SOCKET`: an absolute path or an `@abstract` name.
    package init(to address: UnixSocketAddress) throws(LinuxError) {
        socket = try DatagramSocket()
        self.address = address
    }

    /// Sends one message, `READY=1` first in it, with copies of `descriptors`; never waits.
    ///
    /// Throws `EMSGSIZE` for more than 4096 bytes, which a receiver would drop, `EINVAL` for more descriptors
    /// than a message carries (`DatagramSocket.descriptorLimit`), and what sendmsg(2) says when no process
    /// receives.
    package func send(_ fields: [NotifyField], descriptors: [Int32] = []) throws(LinuxError) -> Outcome {
        let bytes = NotifyField.encode(fields)
        guard bytes.count <= NotifyMessage.lengthLimit else {
            throw LinuxError(errno: EMSGSIZE, call: "sendmsg", subject: address.description)
        }
        return try socket.send(bytes, descriptors: descriptors, to: address) ? .sent : .wouldBlock
    }
}
