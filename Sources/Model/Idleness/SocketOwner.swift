package import Lifecycle

/// Which sockets of a network namespace are one worker's.
package struct SocketOwner: Hashable, Sendable {
    /// The inodes of the sockets that its processes have open.
    package var inodes: Set<UInt64>
    /// Its cgroup, where not all of its processes may be looked at: a socket that was made in it counts, too.
    package var cgroup: UInt64?

    /// An owner of the sockets of these inodes, and of those made in `cgroup`.
    package init(inodes: Set<UInt64> = [], cgroup: UInt64? = nil) {
        self.inodes = inodes
        self.cgroup = cgroup
    }

    /// The owner of what an inventory lists, and of sockets that are held for it: those have the cgroup of the supervisor, which made them.
    package init(of inventory: Inventory, cgroup: UInt64?, held: Set<UInt64> = []) {
        var inodes = held
        for process in inventory.processes {
            for case .socket(let inode) in process.inputs.values { inodes.insert(inode) }
        }
        let isWhole = inventory.processes.allSatisfy { $0.isListed && !$0.isCut }
        self.init(inodes: inodes, cgroup: isWhole ? nil : cgroup)
    }

    /// Whether a socket that some process has is this one's.
    package func owns(_ socket: InetSocket) -> Bool {
        guard socket.inode != 0 else { return false }
        return inodes.contains(UInt64(socket.inode)) || cgroup.map { $0 == socket.cgroup } ?? false
    }

    /// Those of `sockets` that are its own, and the connections that wait at its listeners to be accepted; with those that were accepted
    /// there since its sockets were listed, where these are `withAccepted`.
    fileprivate func select(
        _ sockets: [InetSocket], withAccepted: Bool = false
    ) -> (own: [InetSocket], waiting: [InetSocket]) {
        let own = sockets.filter(owns)
        var doors: [UInt16: [IPAddress]] = [:]
        for listener in own where listener.state == .listen {
            doors[listener.local.port, default: []].append(listener.local.address)
        }
        guard !doors.isEmpty else { return (own, []) }
        let waiting = sockets.filter { socket in
            guard socket.inode == 0 || withAccepted && socket.state != .listen && !owns(socket),
                socket.state != .timeWait, socket.state != .synReceived,
                socket.state != .newSynReceived, let addresses = doors[socket.local.port]
            else { return false }
            return addresses.contains { $0.isUnspecified || $0 == socket.local.address }
        }
        return (own, waiting)
    }
}

extension SocketOwner {
    /// The connection to one of its listening sockets that was closed last, by its own end first; or, where those count, by a client of this
    /// machine, as that client's end.
    ///
    /// Such are those of a server that answers one request in each. It belongs to no process any more. One that a client of another machine
    /// has closed leaves nothing behind.
    fileprivate func latestClosed(
        _ sockets: [InetSocket], _ own: [InetSocket], withClientsEnds: Bool
    ) -> InetSocket? {
        let ports = Set(own.filter { $0.state == .listen }.map(\.local.port))
        guard !ports.isEmpty else { return nil }
        let closed = sockets.filter { socket in
            guard socket.sinceClosed != nil else { return false }
            return ports.contains(socket.local.port)
                || withClientsEnds && ports.contains(socket.remote.port) && socket.staysHere
        }
        return closed.min { ($0.sinceClosed ?? .max) < ($1.sinceClosed ?? .max) }
    }
}

extension InetSocket {
    /// Whether its other end is on this machine for certain.
    fileprivate var staysHere: Bool { remote.address.isLoopback || remote.address == local.address }
}

extension WakeFacts {
    /// Adds what waits for `owner` among `sockets` of one network namespace, listeners and connections; those at which nothing waits may be
    /// left out.
    package mutating func add(_ sockets: [InetSocket], of owner: SocketOwner) {
        let (own, waiting) = owner.select(sockets)
        for socket in own {
            if socket.state == .listen {
                guard socket.receiveQueue > 0 else { continue }
                listeners.append(
                    Listener(
                        inode: UInt64(socket.inode), name: "\(socket.local)", waiting: socket.receiveQueue))
            } else if socket.receiveQueue > 0 {
                connections.append(Connection(socket, isAccepted: true))
            }
        }
        connections += waiting.map { Connection($0, isAccepted: false) }
    }
}

extension WakeFacts.Connection {
    fileprivate init(_ socket: InetSocket, isAccepted: Bool) {
        self.init(
            local: socket.local, remote: socket.remote, state: socket.state, bytes: socket.receiveQueue,
            isAccepted: isAccepted)
    }
}

extension WakeFilter.Reason {
    /// The connection on which something came last among `sockets`, dumped with their traffic: what the worker was woken for without a
    /// look; nil where nothing has come within `span`.
    ///
    /// A connection that is not among `known` inodes is a new one.
    package init?(
        _ sockets: [InetSocket], of owner: SocketOwner, known: Set<UInt64>, within span: TimeSpan
    ) {
        let (own, waiting) = owner.select(sockets, withAccepted: true)
        let connections = own.filter { $0.state != .listen } + waiting
        let latest = connections.filter { ($0.traffic?.received ?? 0) > 0 }
            .min { ($0.traffic?.sinceReceived ?? .max) < ($1.traffic?.sinceReceived ?? .max) }
        guard let latest, let traffic = latest.traffic,
            TimeSpan.milliseconds(Int64(traffic.sinceReceived)) <= span
        else { return nil }
        self =
            known.contains(UInt64(latest.inode)) && latest.inode != 0
            ? .data(from: latest.remote) : .connection(to: latest.local, from: latest.remote)
    }
}

extension UseFacts.Connection {
    /// The connections of `owner` among the sockets of each of its network namespaces, dumped with their traffic at `now`.
    ///
    /// Of those that are closed, the one that clients of this machine have closed last counts `withClientsEnds`: whether it was a request or a
    /// probe is not known of it.
    package static func all(
        in tables: [[InetSocket]], of owner: SocketOwner, at now: Instant, withClientsEnds: Bool = false
    ) -> [UseFacts.Connection] {
        tables.flatMap { all(in: $0, of: owner, at: now, withClientsEnds: withClientsEnds) }
    }

    private static func all(
        in sockets: [InetSocket], of owner: SocketOwner, at now: Instant, withClientsEnds: Bool
    ) -> [UseFacts.Connection] {
        let (own, waiting) = owner.select(sockets)
        let open = own.filter { $0.state != .listen && $0.state != .timeWait } + waiting
        // A process of the worker that waits for another one of it, as a notebook server for its kernel, is no client.
        let ends = Set(own.lazy.filter { $0.state == .established }.map(\.local))
        let closed = owner.latestClosed(sockets, own, withClientsEnds: withClientsEnds)
        let ports = Set(own.filter { $0.state == .listen }.map(\.local.port))
        return (open + [closed].compactMap(\.self)).map { socket in
            func ago(_ milliseconds: UInt32) -> Instant { now + (.zero - .milliseconds(Int64(milliseconds))) }
            let isClients = socket.sinceClosed != nil && !ports.contains(socket.local.port)
            var connection = UseFacts.Connection(peer: "\(isClients ? socket.local : socket.remote)")
            connection.quietSince = (socket.traffic?.quiet ?? socket.sinceClosed).map(ago)
            connection.isOpen = socket.sinceClosed == nil
            if let traffic = socket.traffic, traffic.isOwed, socket.state == .established,
                !ends.contains(socket.remote)
            {
                connection.owedSince = ago(traffic.sinceReceived)
            }
            return connection
        }
    }

    /// Whether one waits to be accepted by `owner` among the sockets of each of its network namespaces.
    package static func areLeftWaiting(in tables: [[InetSocket]], by owner: SocketOwner) -> Bool {
        tables.contains { owner.select($0).waiting.contains { $0.state == .established } }
    }
}
