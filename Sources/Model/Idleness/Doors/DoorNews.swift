/// What has come at a socket that the supervisor itself has open for a worker.
package enum DoorNews: Hashable, Sendable {
    /// Nothing that counts.
    case nothing
    /// Something waits at a listening socket of TCP: which peers, only a look at all sockets tells.
    case knock
    /// A connection to a Unix socket.
    case connection
    /// Datagrams from these peers; none where they cannot be told.
    case datagrams(from: [Endpoint])
    /// Bytes through a FIFO.
    case input

    /// Whether it wants the worker by `rules`, in words for what came to the socket called `door`; nil where it does not, and of a knock.
    package func reason(at door: String, by rules: WakeRules) -> WakeFilter.Reason? {
        switch self {
        case .nothing, .knock: return nil
        case .connection: return rules.hearsConnections ? .ready("a connection to \(door)") : nil
        case .input: return rules.hears(.input) ? .ready("input through \(door)") : nil
        case .datagrams(let peers):
            guard rules.hears(.datagram) else { return nil }
            guard !peers.isEmpty else { return .ready("a datagram to \(door)") }
            return peers.first { rules.admits($0.address) }.map { .datagram(to: door, from: $0) }
        }
    }
}

extension WakeRules {
    /// The same for sockets that the supervisor has open itself: they count wherever anything does.
    package var atDoors: WakeRules {
        var rules = self
        if watching != .no { rules.watching = .auto }
        return rules
    }
}
