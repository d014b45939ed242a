package import Lifecycle

/// What wakes a worker that sleeps (`[Foreground]`).
package struct WakeRules: Hashable, Sendable {
    /// What is watched (`Wake=`).
    package enum Watching: String, Hashable, Sendable, CaseIterable {
        /// Whatever the worker waits for.
        case auto
        /// Only its listening sockets.
        case listen
        /// Only what the supervisor holds for it.
        case held
        /// Nothing.
        case no
    }

    /// What counts of that (`WakeOn=`).
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A new connection.
        case connection
        /// Data on a connection that is open.
        case data
        /// A datagram.
        case datagram
        /// Input through a pipe, a FIFO or the terminal.
        case input
        /// A new connection on which a byte has come: no port scan, no probe.
        case request
        /// A timer of the worker's own.
        case timer
    }

    /// How many networks `from` and `notFrom` may have each: every peer that connects is compared with all of them.
    package static let mostNetworks = 512

    package var watching = Watching.auto
    package var kinds: Set<Kind> = [.connection, .data, .datagram, .input]
    /// Peers that wake it; nil is all.
    package var from: [IPNetwork]?
    /// Peers that do not, whatever `from` says.
    package var notFrom: [IPNetwork] = []
    /// For how long it stays up after a wake that was one exchange on an old connection (`WakeLingerSec=`).
    package var linger = TimeSpan.seconds(2)

    /// The defaults.
    package init() {}

    /// Whether a new connection may wake it.
    package var hearsConnections: Bool {
        (watching == .auto || watching == .listen) && !kinds.isDisjoint(with: [.connection, .request])
    }

    /// Whether what comes through something that is open may wake it: no new connection.
    package func hears(_ kind: Kind) -> Bool { watching == .auto && kinds.contains(kind) }

    /// Whether a peer of this address wakes it.
    package func admits(_ peer: IPAddress) -> Bool {
        if notFrom.contains(where: { $0.contains(peer) }) { return false }
        return from?.contains { $0.contains(peer) } ?? true
    }

    /// Whether no peer of any address wakes it, since `notFrom` excludes every network of `from`.
    package var admitsNoPeer: Bool {
        guard let from else { return false }
        return from.allSatisfy { admitted in notFrom.contains { $0.contains(admitted) } }
    }

    /// Whether it depends on more than readiness what wakes it, so that each event is looked at by sock_diag(7).
    package var needsLooking: Bool { from != nil || !notFrom.isEmpty || kinds.contains(.request) }
}
