/// What a socket is that is bound, or is about to be, as far as one can stand for another.
package struct SocketTraits: Hashable, Sendable {
    /// How it carries what is sent.
    package enum Kind: Hashable, Sendable {
        case tcp
        case udp
        /// No socket of the internet, or of another protocol.
        case other
    }

    package var kind: Kind
    package var isIPv6: Bool
    /// Whether one of IPv6 leaves IPv4 to others (IPV6_V6ONLY, ipv6(7)).
    package var isIPv6Only: Bool
    package var inode: UInt64
    /// Whether it is in the supervisor's own network namespace.
    package var isHere: Bool

    /// A socket, by its parts.
    package init(
        _ kind: Kind, isIPv6: Bool = false, isIPv6Only: Bool = false, inode: UInt64, isHere: Bool = true
    ) {
        (self.kind, self.isIPv6, self.isIPv6Only) = (kind, isIPv6, isIPv6Only)
        (self.inode, self.isHere) = (inode, isHere)
    }
}

/// A socket of the evicted worker that its next process is given where it binds the address.
package struct LentDoor: Hashable, Sendable {
    /// Its place among those of the worker.
    package let place: Int
    package let endpoint: Endpoint
    package let traits: SocketTraits

    /// A socket, by its parts.
    package init(_ place: Int, _ endpoint: Endpoint, _ traits: SocketTraits) {
        (self.place, self.endpoint, self.traits) = (place, endpoint, traits)
    }
}

/// What a bind(2) of a worker is answered with.
package enum BindAnswer: Hashable, Sendable {
    /// The kernel carries it out.
    case goesOn
    /// The socket of this place takes that of the worker's own, and the call succeeds.
    case give(Int)
    /// The worker has that of this place already, since its call was interrupted: it succeeds.
    case given(Int)
    /// Those of these places are closed, since they would be in the way and cannot stand for the worker's; then the kernel carries it out.
    case yields([Int])

    /// The answer to a bind(2) to `address` of the worker's socket `own`, both as they were looked at, while it may be given these.
    ///
    /// It depends on nothing that the worker can still change. `address` is nil where it is none of the internet.
    package init(_ address: BindAddress?, of own: SocketTraits, _ doors: [LentDoor]) {
        guard let address, address.endpoint.port != 0, own.kind != .other, own.isHere,
            address.isIPv6 == own.isIPv6
        else {
            self = .goesOn
            return
        }
        let same = doors.filter { $0.endpoint == address.endpoint && $0.traits.isSame(as: own) }
        if let had = same.first(where: { $0.traits.inode == own.inode }) {
            self = .given(had.place)
        } else if address.scope == 0, let door = same.first {
            self = .give(door.place)
        } else {
            let inTheWay = doors.filter { $0.excludes(address.endpoint, own) }.map(\.place)
            self = inTheWay.isEmpty ? .goesOn : .yields(inTheWay)
        }
    }
}

extension SocketTraits {
    /// Whether clients find no difference between the two.
    fileprivate func isSame(as other: SocketTraits) -> Bool {
        kind == other.kind && isIPv6 == other.isIPv6 && isIPv6Only == other.isIPv6Only
            && isHere == other.isHere
    }
}

extension LentDoor {
    /// Whether the kernel may refuse another socket this address while the door is open (EADDRINUSE).
    fileprivate func excludes(_ other: Endpoint, _ own: SocketTraits) -> Bool {
        guard traits.kind == own.kind, endpoint.port == other.port else { return false }
        return endpoint.address == other.address || covers(endpoint, traits, other, own)
            || covers(other, own, endpoint, traits)
    }

    /// Whether the first one is for every address, the other one's among them.
    private func covers(
        _ all: Endpoint, _ traits: SocketTraits, _ one: Endpoint, _ own: SocketTraits
    ) -> Bool {
        guard all.address.isUnspecified else { return false }
        if traits.isIPv6, all.address.ipv4 == nil {
            return !traits.isIPv6Only || own.isIPv6 && one.address.ipv4 == nil
        }
        // 0.0.0.0, also as it is mapped.
        return one.address.ipv4 != nil || one.address.isUnspecified && own.isIPv6 && !own.isIPv6Only
    }
}
