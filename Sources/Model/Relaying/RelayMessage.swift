/// What a supervisor tells a relay, one message each over a socket that keeps messages apart (SOCK_SEQPACKET, unix(7)).
///
/// Descriptors come along with ``listen`` and ``take``.
package enum RelayCommand: Hashable, Sendable {
    /// Where connections go, and by which rules; the first message, and once more when that changes.
    case route(RelayRoute)
    /// The descriptors that come along listen: connections are accepted from them.
    case listen
    /// The descriptors that come along are connections that were accepted: they wait for the target.
    case take
    /// What waits at the listeners is accepted, and the listeners are closed; ``RelayReport/released`` says when.
    case release
    /// The target is there: what waits is connected, and so is what comes.
    case open
    /// The target is not there: what comes waits.
    case shut
    /// Browsers that wait get this page; nil takes it back, and they wait like all others.
    case page(RelayPage?)
    /// Accepts no more, and ends when no connection is left, at the latest after so many milliseconds; nil waits without end.
    case drain(milliseconds: UInt32?)
}

/// Where a relay's connections go.
package struct RelayRoute: Hashable, Sendable {
    /// The address that they are connected to; nil is the one that the client used, where the worker listens then.
    package var target: RelayAddress?
    /// The header in front of what the client sends.
    package var header: ProxyHeader?
    /// How many connections there may be at a time; further ones wait to be accepted.
    package var limit: UInt32
    /// How long a connection waits for a target that refuses it, in milliseconds.
    package var patience: UInt32

    /// Connections to `target`.
    package init(
        to target: RelayAddress?, header: ProxyHeader? = nil, limit: UInt32 = 1024, patience: UInt32 = 30_000
    ) {
        (self.target, self.header, self.limit, self.patience) = (target, header, limit, patience)
    }
}

/// What a relay answers browsers with while they wait: whole HTTP messages.
package struct RelayPage: Hashable, Sendable {
    /// The status line and the fields, with the empty line after them.
    package var head: [UInt8]
    /// What follows them for `GET`.
    package var body: [UInt8]

    /// A message of these parts.
    package init(head: [UInt8], body: [UInt8]) { (self.head, self.body) = (head, body) }
}

/// What a relay tells its supervisor.
package enum RelayReport: Hashable, Sendable {
    /// It runs, without privileges; where its filter of system calls could not be set up, why.
    case ready(unfiltered: String?)
    /// A connection was accepted while the target is not there: from whom, as text.
    case knocked(String)
    /// How many there are.
    case counts(RelayCounts)
    /// What waited at the listeners was accepted, and they are closed; so many connections wait.
    case released(waiting: UInt32)
    /// Connections were closed, since the target refused them for too long: how many, and the error of the latest, as in errno(3).
    case gaveUp(UInt32, errno: Int32)
    /// A message of the supervisor's could not be followed: what, and why.
    case failed(String)
}

/// The connections of a relay.
package struct RelayCounts: Hashable, Sendable {
    /// Those that wait for the target, and those that are connected.
    package var waiting: UInt32 = 0
    package var open: UInt32 = 0
    /// How many were connected since it began, and how many pages were shown.
    package var forwarded: UInt64 = 0
    package var pages: UInt64 = 0

    /// None.
    package init() {}
}
