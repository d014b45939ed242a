/// What a worker's file says of a relay.
package struct RelayTerms: Hashable, Sendable {
    /// What browsers see while the worker is launched.
    package enum Page: Hashable, Sendable {
        /// Nothing: they wait like all others.
        case none
        /// The page of Torpor.
        case builtIn
        /// The file at this path.
        case file(String)
    }

    /// Where the worker listens itself; nil where it takes the sockets that are held for it (`ForwardTo=`).
    package var target: RelayAddress?
    /// What stands in front of each connection (`ProxyProtocol=`).
    package var header: ProxyHeader?
    /// How many connections there may be at a time (`ForwardMaxConnections=`).
    package var limit: UInt32 = 1024
    /// What browsers see (`Placeholder=`).
    package var page = Page.none
    /// How long a launch may take until they see it, in microseconds (`PlaceholderAfterSec=`).
    package var pageAfter: Int64 = 2_000_000
    /// What the worker is, for people (`Description=`).
    package var description = ""

    /// No relay.
    package init() {}

    /// Whether there is ever a relay.
    package var isNeeded: Bool { target != nil || page != .none }

    /// Where connections go.
    package var route: RelayRoute { RelayRoute(to: target, header: header, limit: limit) }
}

/// What a worker's relay does, as the worker stands.
package enum RelayStand: Hashable, Sendable {
    /// There is none: clients wait at the sockets, or those are closed and so are the connections that wait.
    case none(isClosed: Bool)
    /// One that is there keeps what comes; one is started in so many microseconds, to show the page.
    case soon(Int64)
    /// Connections are accepted and wait, and browsers get the page.
    case shows
    /// Connections are accepted and connected.
    case forwards
    /// Connections are accepted and wait: the first of them wakes the worker.
    case holds
    /// What waits is connected, and the worker accepts what comes.
    case leaves

    /// How a worker stands.
    package enum Life: Hashable, Sendable {
        /// It has no process. Its sockets may be closed, so that clients are told at once.
        case resting(isClosed: Bool)
        /// It is being launched, or will be by itself, since so many microseconds.
        case launching(Int64)
        /// It has its process, and its launch is complete.
        case running
        /// It sleeps, and may see its clients only at the sockets that are held for it (`Wake=held`).
        case sleeping(isBlind: Bool)
    }

    /// What the relay of a worker does that stands like this.
    package init(_ life: Life, _ terms: RelayTerms) {
        switch life {
        case _ where !terms.isNeeded: self = .none(isClosed: false)
        case .resting(let isClosed): self = .none(isClosed: isClosed)
        case .launching(let since):
            if terms.page == .none {
                self = terms.target == nil ? .none(isClosed: false) : .soon(.max)
            } else {
                self = since >= terms.pageAfter ? .shows : .soon(terms.pageAfter - since)
            }
        case .running: self = terms.target == nil ? .leaves : .forwards
        case .sleeping(let isBlind):
            if terms.target == nil { self = .leaves } else { self = isBlind ? .holds : .forwards }
        }
    }
}

extension RelayStand {
    /// What becomes of clients, as operators are told; nil where they go to the worker itself.
    package func words(_ terms: RelayTerms, _ counts: RelayCounts) -> String? {
        let target = terms.target.map { "forwarded to \($0)" }
        switch self {
        case .none, .soon: return target
        case .shows:
            let pages = counts.pages == 1 ? "1 page" : "\(counts.pages) pages"
            return
                "browsers see a page while it is launched (\(pages) shown, \(Self.connections(counts.waiting)) waiting)"
        case .forwards, .holds:
            guard let target else { return nil }
            let waiting = counts.waiting == 0 ? "" : ", \(counts.waiting) waiting"
            return "\(target): \(Self.connections(counts.open))\(waiting), \(counts.forwarded) so far"
        case .leaves: return nil
        }
    }

    private static func connections(_ count: UInt32) -> String {
        count == 1 ? "1 connection" : "\(count) connections"
    }
}
