/// A Unix socket as sock_diag(7) tells of it.
package struct UnixSocket: Hashable, Sendable {
    /// How bytes pass through it, by the numbers of socket(2).
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case stream = 1
        case datagram = 2
        case sequentialPacket = 5
    }

    package let kind: Kind
    /// Established, listening, or closed: that is said of one that is not connected, and of any for datagrams.
    package let state: InetSocket.State
    /// Its inode in sockfs; a connection that waits to be accepted has none, and is not told.
    package let inode: UInt32
    /// The inode of the other end; nil where it has none, or the end waits to be accepted.
    package let peer: UInt32?
    /// Its path, or a NUL and its abstract name, which an accepted connection has of its listener; nil where it has none.
    package let name: [UInt8]?
    /// Bytes that wait to be read, of datagrams those of the first; of a listener, how many connections wait to be accepted.
    package let receiveQueue: UInt32
    /// Bytes of memory that what was sent and not read yet takes; of a listener, how many connections may wait.
    package let sendQueue: UInt32

    /// A socket, by its parts.
    package init(
        kind: Kind, state: InetSocket.State, inode: UInt32, peer: UInt32? = nil, name: [UInt8]? = nil,
        receiveQueue: UInt32 = 0,
        sendQueue: UInt32 = 0
    ) {
        self.kind = kind
        self.state = state
        self.inode = inode
        self.peer = peer
        self.name = name
        self.receiveQueue = receiveQueue
        self.sendQueue = sendQueue
    }
}
