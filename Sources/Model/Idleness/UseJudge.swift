package import Lifecycle

/// What counts as use of a worker (`[Foreground]`).
package struct UseRules: Hashable, Sendable {
    /// Which connections count (`IdleWhen=`).
    package enum Connections: Hashable, Sendable {
        /// Those on which data has passed (`quiet`).
        case withData
        /// All that are open (`unconnected`).
        case open
    }

    package var connections = Connections.withData
    /// The share of one CPU, in percent, from which on it counts as used (`IdleCPU=`); nil is never.
    package var cpu: Double? = 10
    /// For how long a request without an answer counts as use (`IdlePendingSec=`).
    package var pending = TimeSpan.seconds(300)
    /// Whether one that no socket of its own could wake counts as used: where nothing else would ever wake it.
    package var needsSockets = false
    /// Whether an idle worker is suspended, or it is only told what would have happened (`Idle=`).
    package var acts = true

    /// The defaults.
    package init() {}
}

/// What is known of a worker at the moment at which its idle time has run out.
package struct UseFacts: Hashable, Sendable {
    /// One open connection of the worker's.
    package struct Connection: Hashable, Sendable {
        /// The other end, in words: an address and port, or the process behind a Unix socket.
        package var peer: String
        /// Since when neither end has sent anything; nil where that is not told.
        package var quietSince: Instant?
        /// Since when the other end waits for an answer; nil where it does not.
        package var owedSince: Instant?
        /// Whether it is open: one that was closed a moment ago tells of use as well.
        package var isOpen = true

        /// A connection, by its parts.
        package init(peer: String, quietSince: Instant? = nil, owedSince: Instant? = nil) {
            self.peer = peer
            self.quietSince = quietSince
            self.owedSince = owedSince
        }
    }

    /// Something that passed through the supervisor.
    package struct Passage: Hashable, Sendable {
        /// What it was, in words: input, a post, a request of an operator.
        package var what: String
        package var at: Instant

        /// A passage, by its parts.
        package init(_ what: String, at: Instant) {
            self.what = what
            self.at = at
        }
    }

    package var connections: [Connection] = []
    /// The share of one CPU that it has used since it was looked at before, in percent; nil where that is not known.
    package var cpu: Double?
    /// The latest that has passed through the supervisor.
    package var passage: Passage?
    /// Whether it has a socket, by which it can be woken.
    package var hasSockets = true
    /// Whether a connection waits at one of its listening sockets, which it has not accepted.
    package var leavesWaiting = false
    /// Those that hold it, in words.
    package var holders: [String] = []

    /// Nothing is known.
    package init() {}
}

/// The latest use of a worker, and what it was.
package struct Use: Hashable, Sendable {
    /// What counts as use.
    package enum Kind: Hashable, Sendable {
        /// The worker has said so.
        case said
        /// Nothing could wake it.
        case unwakeable
        /// It is held; `by` describes the holder.
        case held(by: String)
        /// This end of a connection waits for an answer.
        case owes(peer: String, since: Instant)
        /// A connection is open to this end, and open ones count.
        case connected(peer: String)
        /// It uses this share of one CPU, in percent.
        case computes(percent: Double)
        /// Data passed on the connection to this end.
        case spoke(peer: String)
        /// Something passed through the supervisor.
        case passed(String)
    }

    package let kind: Kind
    /// When it was; of a use that lasts, now.
    package let at: Instant
    /// When it was looked for; nil where that is when it is told.
    package var seen: Instant?

    /// A use, by its parts.
    package init(_ kind: Kind, at: Instant) {
        self.kind = kind
        self.at = at
    }

    /// Whether it lasts, as far as is known.
    package var lasts: Bool {
        switch kind {
        case .said, .unwakeable, .held, .owes, .connected, .computes: true
        case .spoke, .passed: false
        }
    }

    /// What is answered to the question of the last use, where this was it.
    package var answer: LastUse { lasts ? .lasting : LastUse(at: at) }
}

extension LastUse {
    /// A use that lasts: the idle time counts from when this is heard, however long that took.
    package static let lasting = LastUse(at: Instant(microseconds: .max))
}

extension UseRules {
    /// The latest use that `facts` tell of, as of `now`; nil where they tell of none.
    ///
    /// A use that lasts comes before one that is over, and of several the first in this order: a hold, an answer that is owed, an open
    /// connection, CPU. Of a worker that says that it is in use it is not asked.
    package func lastUse(_ facts: UseFacts, at now: Instant) -> Use? {
        if needsSockets, !facts.hasSockets { return Use(.unwakeable, at: now) }
        if let holder = facts.holders.first { return Use(.held(by: holder), at: now) }
        let owed = facts.connections.compactMap { connection in
            connection.owedSince.map { (peer: connection.peer, since: $0) }
        }
        // The one that was asked last: it counts for longest.
        if let debt = owed.max(by: { $0.since < $1.since }), now - debt.since < pending {
            return Use(.owes(peer: debt.peer, since: debt.since), at: now)
        }
        if connections == .open, let connection = facts.connections.first(where: \.isOpen) {
            return Use(.connected(peer: connection.peer), at: now)
        }
        if let limit = cpu, let used = facts.cpu, used >= limit {
            return Use(.computes(percent: used), at: now)
        }
        let spoken = facts.connections.compactMap { connection in
            connection.quietSince.map { Use(.spoke(peer: connection.peer), at: min($0, now)) }
        }
        let passed = facts.passage.map { Use(.passed($0.what), at: min($0.at, now)) }
        return (spoken + [passed].compactMap(\.self)).max { $0.at < $1.at }
    }
}

extension InetSocket.Traffic {
    /// How much later than a request an answer must be to be told from it: the grain of the kernel's ages, twice (4 ms at 250 Hz).
    private static let grain: UInt32 = 8

    /// Whether the other end has sent something and waits for what is sent back.
    package var isOwed: Bool {
        guard received > 0 else { return false }
        return sent == 0 || sinceSent > sinceReceived && sinceSent - sinceReceived > Self.grain
    }

    /// How long neither end has sent anything, in milliseconds; nil where neither ever has.
    package var quiet: UInt32? {
        switch (received > 0, sent > 0) {
        case (true, true): min(sinceSent, sinceReceived)
        case (true, false): sinceReceived
        case (false, true): sinceSent
        case (false, false): nil
        }
    }
}
