package import Lifecycle

/// What waits for a sleeper, as sock_diag(7) tells.
package struct WakeFacts: Hashable, Sendable {
    /// A listening socket of the worker's.
    package struct Listener: Hashable, Sendable {
        package var inode: UInt64
        /// Where it listens, in words.
        package var name: String
        /// How many connections wait to be accepted; those that were reset meanwhile count.
        package var waiting: UInt32

        /// A listener, by its parts.
        package init(inode: UInt64, name: String, waiting: UInt32) {
            (self.inode, self.name, self.waiting) = (inode, name, waiting)
        }
    }

    /// A connection that waits to be accepted, or is open.
    package struct Connection: Hashable, Sendable {
        package var local: Endpoint
        package var remote: Endpoint
        package var state: InetSocket.State
        /// Bytes to be read, a FIN counting as one.
        package var bytes: UInt32
        /// Whether it has been accepted.
        package var isAccepted: Bool

        /// A connection, by its parts.
        package init(
            local: Endpoint, remote: Endpoint, state: InetSocket.State = .established, bytes: UInt32 = 0,
            isAccepted: Bool = false
        ) {
            self.local = local
            self.remote = remote
            self.state = state
            self.bytes = bytes
            self.isAccepted = isAccepted
        }

        /// What tells it from others.
        fileprivate var key: Key { Key(local: local, remote: remote) }
        fileprivate struct Key: Hashable, Sendable {
            var local: Endpoint
            var remote: Endpoint
        }

        /// Whether there is more to read than a FIN.
        fileprivate var hasData: Bool { state == .established ? bytes > 0 : bytes > 1 }
    }

    package var listeners: [Listener] = []
    package var connections: [Connection] = []
    /// Something else than TCP may have come: a datagram, input, what an epoll instance watches besides.
    package var mayBeOther = false

    /// Nothing waits.
    package init() {}
}

/// Whether what came for a sleeper wakes it (`WakeOn=`, `WakeFrom=`, `WakeNotFrom=`).
///
/// A FIN alone never does, nor a port scan or a probe, which connect and are gone (section 7). No byte is read for that.
package struct WakeFilter: Hashable, Sendable {
    /// What wakes it.
    package struct Reason: Hashable, Sendable {
        /// What came.
        package enum Kind: Hashable, Sendable {
            /// A new connection of TCP.
            case connection
            /// A new connection to a Unix socket.
            case localConnection
            /// Data on an open connection.
            case data
            /// A datagram.
            case datagram
            /// Something that was not looked at or has no peer.
            case ready
        }

        package let kind: Kind
        /// The other end, where it is known.
        package let peer: Endpoint?
        /// Where a new connection came to, or what is ready.
        private let subject: Subject

        /// An address is put into words only where it is told: a client waits meanwhile.
        private enum Subject: Hashable, Sendable {
            case endpoint(Endpoint)
            case text(String)

            var words: String {
                switch self {
                case .endpoint(let endpoint): endpoint.description
                case .text(let text): text
                }
            }

            static func == (a: Subject, b: Subject) -> Bool { a.words == b.words }

            func hash(into hasher: inout Hasher) { hasher.combine(words) }
        }

        private init(kind: Kind, peer: Endpoint?, subject: Subject) {
            (self.kind, self.peer, self.subject) = (kind, peer, subject)
        }

        /// A new connection, where it listens, of this peer; nil where that is not known yet.
        package static func connection(to listener: String, from peer: Endpoint?) -> Reason {
            Reason(kind: .connection, peer: peer, subject: .text(listener))
        }

        /// The same, by the address at which it listens.
        package static func connection(to listener: Endpoint, from peer: Endpoint?) -> Reason {
            Reason(kind: .connection, peer: peer, subject: .endpoint(listener))
        }

        /// Data on an open connection.
        package static func data(from peer: Endpoint) -> Reason {
            Reason(kind: .data, peer: peer, subject: .text(""))
        }

        /// A datagram of this peer to a socket of this name.
        package static func datagram(to socket: String, from peer: Endpoint) -> Reason {
            Reason(kind: .datagram, peer: peer, subject: .text(socket))
        }

        /// A new connection to a Unix socket of its own.
        package static let localConnection = Reason(
            kind: .localConnection, peer: nil, subject: .text("its Unix socket"))

        /// Something that was not looked at or has no peer, in words.
        package static func ready(_ what: String) -> Reason {
            Reason(kind: .ready, peer: nil, subject: .text(what))
        }

        /// Something came that was not looked at.
        package static let unnamed = Reason.ready("something that it waits for")

        /// As it is told to operators, after `woken by`.
        package var words: String {
            let origin = peer.map { " from \($0)" } ?? ""
            let subject = subject.words
            return switch kind {
            case .connection, .localConnection: "a connection\(origin) to \(subject)"
            case .data: "data\(origin)"
            case .datagram: "a datagram\(origin) to \(subject)"
            case .ready: subject
            }
        }

        /// Whether it says what came, and from where.
        package var isKnown: Bool { kind == .ready ? self != .unnamed : peer != nil }
    }

    /// What is to be done.
    package enum Verdict: Hashable, Sendable {
        case wake(Reason)
        /// A connection that has said nothing yet may be a probe: look again after this time.
        case lookAgain(TimeSpan)
        /// Nothing that counts came; whatever comes next is looked at again.
        case leave
    }

    package let rules: WakeRules
    /// When a connection without a word was first seen, and how often it was looked at.
    private var silent: [WakeFacts.Connection.Key: UInt8] = [:]
    /// What was seen, and wakes nothing.
    private var dismissed: Set<WakeFacts.Connection.Key> = []
    private var waiting: UInt32 = 0

    /// Judges by `rules`.
    package init(_ rules: WakeRules) { self.rules = rules }

    /// After which a connection without a word is looked at again: it may be gone by then.
    private static let looks: [TimeSpan] = [1, 5, 20, 100, 500].map { .milliseconds($0) }
    /// How many such looks a connection gets before it counts although it says nothing: servers that speak first need that.
    private static let patience: UInt8 = 3
    /// How many peers are remembered.
    private static let most = 4096

    /// Judges what waits now: after an event, or because the time to look again has come (`wasEvent` is false).
    package mutating func judge(_ facts: WakeFacts, wasEvent: Bool) -> Verdict {
        let sum = facts.listeners.reduce(0) { $0 &+ $1.waiting }
        var isExplained = sum > waiting
        waiting = sum
        forget(but: facts)
        var again: TimeSpan?
        for connection in facts.connections {
            let key = connection.key
            let isKnown = dismissed.contains(key)
            switch look(at: connection) {
            case .wake(let reason): return .wake(reason)
            case .lookAgain(let span):
                isExplained = true
                again = again.map { min($0, span) } ?? span
            case .leave:
                if !isKnown {
                    isExplained = true
                    if dismissed.count < Self.most { dismissed.insert(key) }
                }
            }
        }
        if wasEvent, !isExplained, facts.mayBeOther { return .wake(.unnamed) }
        return again.map { .lookAgain($0) } ?? .leave
    }

    /// Judges what has come on connections that the worker has, as they were found one by one.
    package func judge(own connections: [WakeFacts.Connection]) -> Verdict {
        for connection in connections {
            if case .wake(let reason) = look(atOwn: connection) { return .wake(reason) }
        }
        return .leave
    }

    private func look(atOwn connection: WakeFacts.Connection) -> Verdict {
        guard rules.admits(connection.remote.address), rules.hears(.data), connection.hasData else {
            return .leave
        }
        return .wake(.data(from: connection.remote))
    }

    /// What is gone is not remembered: its port may be another peer's next time.
    private mutating func forget(but facts: WakeFacts) {
        let present = Set(facts.connections.map(\.key))
        dismissed.formIntersection(present)
        silent = silent.filter { present.contains($0.key) }
    }

    private mutating func look(at connection: WakeFacts.Connection) -> Verdict {
        if connection.isAccepted { return look(atOwn: connection) }
        guard rules.admits(connection.remote.address), rules.hearsConnections else { return .leave }
        if connection.hasData {
            return .wake(.connection(to: connection.local, from: connection.remote))
        }
        // A probe, which has closed it already.
        guard connection.state == .established else { return .leave }
        let looks = silent[connection.key, default: 0]
        if looks >= Self.patience, rules.kinds.contains(.connection) {
            return .wake(.connection(to: connection.local, from: connection.remote))
        }
        if silent.count < Self.most { silent[connection.key] = min(looks + 1, UInt8(Self.looks.count)) }
        return .lookAgain(Self.looks[min(Int(looks), Self.looks.count - 1)])
    }
}
