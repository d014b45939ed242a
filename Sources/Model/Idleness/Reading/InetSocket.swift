/// A socket of TCP or UDP as sock_diag(7) tells of it.
package struct InetSocket: Hashable, Sendable {
    /// The state of a connection, by the kernel's numbers (`include/net/tcp_states.h`).
    package enum State: UInt8, Hashable, Sendable, CaseIterable {
        case established = 1
        case synSent, synReceived, finWait1, finWait2, timeWait, closed, closeWait, lastAck, listen, closing
        case newSynReceived
    }

    /// What the kernel remembers of a connection's data; ages have the grain of its clock tick.
    package struct Traffic: Hashable, Sendable {
        /// How long ago data was sent last, in milliseconds; where none was, since the connection was made.
        package var sinceSent: UInt32
        /// How long ago data came last, in milliseconds; where none did, since the connection was made.
        package var sinceReceived: UInt32
        /// Bytes that have come.
        package var received: UInt64
        /// Bytes that were sent, with those that were sent again; before Linux 4.19 those that were acknowledged.
        package var sent: UInt64

        /// What is remembered, by its parts.
        package init(sinceSent: UInt32, sinceReceived: UInt32, received: UInt64, sent: UInt64) {
            self.sinceSent = sinceSent
            self.sinceReceived = sinceReceived
            self.received = received
            self.sent = sent
        }
    }

    package let state: State
    package let local: Endpoint
    package let remote: Endpoint
    /// Its inode in sockfs; 0 of a connection that waits to be accepted.
    package let inode: UInt32
    /// Bytes that wait to be read, a FIN counting as one; of a listener, how many connections wait to be accepted.
    package let receiveQueue: UInt32
    /// Bytes that are not acknowledged yet; of a listener, how many connections may wait.
    package let sendQueue: UInt32
    /// The id of the cgroup of the process that made it; nil where the kernel does not tell (before Linux 5.9).
    package let cgroup: UInt64?
    /// What the kernel remembers of its data; nil where that was not asked for.
    package let traffic: Traffic?
    /// How long ago it was closed, in milliseconds, of one in TIME_WAIT; nil of any other.
    package let sinceClosed: UInt32?

    /// A socket, by its parts.
    package init(
        state: State, local: Endpoint, remote: Endpoint, inode: UInt32, receiveQueue: UInt32,
        sendQueue: UInt32, cgroup: UInt64? = nil, traffic: Traffic? = nil, sinceClosed: UInt32? = nil
    ) {
        self.state = state
        self.local = local
        self.remote = remote
        self.inode = inode
        self.receiveQueue = receiveQueue
        self.sendQueue = sendQueue
        self.cgroup = cgroup
        self.traffic = traffic
        self.sinceClosed = sinceClosed
    }
}
