/// What has come at a socket that is none of TCP.
package enum SocketArrival: Hashable, Sendable {
    case unixConnection
    case unixData
    case unixDatagram
    case datagram

    /// As it is told to operators, after `woken by`.
    package var words: String {
        switch self {
        case .unixConnection: "a connection to its Unix socket"
        case .unixData: "data on a Unix socket"
        case .unixDatagram: "a datagram on a Unix socket"
        case .datagram: "a datagram"
        }
    }

    /// As that which wakes a worker.
    package var reason: WakeFilter.Reason { self == .unixConnection ? .localConnection : .ready(words) }

    /// Whether it wakes a worker with these rules.
    package func wakes(by rules: WakeRules) -> Bool {
        switch self {
        case .unixConnection: rules.hearsConnections
        case .unixData: rules.hears(.data)
        case .unixDatagram, .datagram: rules.hears(.datagram)
        }
    }
}

/// The sockets of a network namespace that are none of TCP, as sock_diag(7) tells of them.
package struct OtherSockets: Hashable, Sendable {
    /// What has come at one of them.
    private struct Waiting: Hashable, Sendable {
        var arrival: SocketArrival
        /// The cgroup that it was made in, where the kernel tells.
        var cgroup: UInt64?
    }

    /// The inodes of all of them.
    package private(set) var all: Set<UInt64> = []
    /// The inodes of Unix sockets that are connected to the supervisor, and of those whose other end is gone: what may come there is no use
    /// of a worker, and an end wakes none.
    package private(set) var left: Set<UInt64> = []
    /// The inodes of Unix connections whose other ends are not told: they are gone, or wait to be accepted.
    package private(set) var withUnknownPeers: Set<UInt64> = []
    private var waiting: [UInt64: Waiting] = [:]

    /// None.
    package init() {}

    /// These; `isServer` says of a Unix socket's name whether it is one of the supervisor's.
    package init(unix: [UnixSocket], udp: [InetSocket], isServer: ([UInt8]) -> Bool) {
        for socket in unix {
            let inode = UInt64(socket.inode)
            all.insert(inode)
            if let name = socket.name, let peer = socket.peer, isServer(name) { left.insert(UInt64(peer)) }
            let hasUnknownPeer =
                socket.kind != .datagram && socket.state == .established && socket.peer == nil
            if hasUnknownPeer { withUnknownPeers.insert(inode) }
            guard socket.receiveQueue > 0 else {
                // Until more is known, it is taken for an end.
                if hasUnknownPeer { left.insert(inode) }
                continue
            }
            let arrival: SocketArrival =
                if socket.state == .listen {
                    .unixConnection
                } else {
                    socket.kind == .datagram ? .unixDatagram : .unixData
                }
            waiting[inode] = Waiting(arrival: arrival)
        }
        for socket in udp {
            all.insert(UInt64(socket.inode))
            guard socket.receiveQueue > 0 else { continue }
            waiting[UInt64(socket.inode)] = Waiting(arrival: .datagram, cgroup: socket.cgroup)
        }
    }

    /// Puts those of another network namespace with these.
    package mutating func add(_ others: OtherSockets) {
        all.formUnion(others.all)
        left.formUnion(others.left)
        withUnknownPeers.formUnion(others.withUnknownPeers)
        waiting.merge(others.waiting) { first, _ in first }
    }

    /// Takes what the connection of this inode, of those with unknown peers, tells of its other end itself.
    ///
    /// What a supervisor has sent that is gone, such as the answer to a call that was not read any more, is no use of the worker, nor is what
    /// the next one sends when it accepts; what any other has sent before its end is.
    package mutating func learn(_ peer: UnixPeer, of inode: UInt64, isServer: ([UInt8]) -> Bool) {
        guard withUnknownPeers.contains(inode) else { return }
        if peer.name.map(isServer) ?? false || peer.isGone && !peer.hasBytes {
            left.insert(inode)
        } else {
            left.remove(inode)
        }
    }

    /// Whether a connection to a Unix socket waits to be accepted by `owner`.
    package func leaveWaiting(_ owner: SocketOwner) -> Bool {
        waiting.contains { $0.value.arrival == .unixConnection && owner.inodes.contains($0.key) }
    }

    /// What has come for `owner` that wakes it by `rules`; nil where nothing has.
    package func arrival(for owner: SocketOwner, _ rules: WakeRules) -> SocketArrival? {
        waiting.first { inode, waiting in
            guard waiting.arrival.wakes(by: rules), !left.contains(inode) else { return false }
            return owner.inodes.contains(inode) || owner.cgroup.map { $0 == waiting.cgroup } ?? false
        }?.value.arrival
    }
}
