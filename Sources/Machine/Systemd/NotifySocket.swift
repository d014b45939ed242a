package import Linux

/// Where workers send their notify messages: the receiving end of `$NOTIFY_SOCKET`.
///
/// Watch `descriptor` at priority `notifications`, so that what a worker said is read before it is reaped: a
/// reaped sender cannot be told any more. Senders block when `net.unix.max_dgram_qlen` messages wait, so
/// drain eagerly.
package struct NotifySocket: ~Copyable, Sendable {
    private let socket: DatagramSocket
    /// Where it receives; its description is the value of `$NOTIFY_SOCKET`.
    package let address: UnixSocketAddress

    /// The room for messages, in bytes.
    static let receiveBuffer: Int32 = 8 << 20
    /// How many datagrams are drained at once unless told otherwise: several full queues.
    package static let batch = 64
    /// How many datagrams of one socket are taken before others have their turn.
    package static let turn = 16

    /// Receives at an absolute path or an `@abstract` name.
    ///
    /// A process that `access` lets write to its file may send, and is judged by credentials. A socket
    /// that a predecessor left there is removed; that of this value is removed when the value ends.
    package init(at address: UnixSocketAddress, access: SocketAccess = .ours) throws(LinuxError) {
        socket = try DatagramSocket(receivingAt: address, access: access, receiveBuffer: Self.receiveBuffer)
        self.address = address
    }

    /// Takes over a socket of this process that came through execve(2), with all that waits in it.
    package init(inheriting descriptor: Int32, at address: UnixSocketAddress) throws(LinuxError) {
        socket = try DatagramSocket(inheriting: descriptor, at: address)
        self.address = address
    }

    /// The socket's number, borrowed: to wait for messages.
    package var descriptor: Int32 { socket.rawValue }

    /// Takes the next datagram; nil when none waits.
    package func receive() throws(LinuxError) -> NotifyDelivery? {
        // One byte more than is allowed is not needed: the kernel tells the whole length.
        guard let datagram = try socket.receive(capacity: NotifyMessage.lengthLimit) else { return nil }
        return NotifyDelivery(datagram)
    }

    /// Hands over what waits, datagram by datagram, `limit` at most; true when more may be waiting.
    ///
    /// Each is handled before the next is taken, so that a barrier is answered only after all that came
    /// before it has been handled. `handle` must not drop the socket.
    package func drain(
        atMost limit: Int = batch, _ handle: (consuming NotifyDelivery) -> Void
    ) throws(LinuxError) -> Bool {
        for _ in 0..<limit {
            guard let delivery = try receive() else { return false }
            handle(delivery)
        }
        return true
    }
}
