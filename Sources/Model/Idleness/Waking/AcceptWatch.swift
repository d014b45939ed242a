internal import ConfigurationSyntax
package import Lifecycle

/// Whether a worker accepts the connection for which it was woken (section 13 of the spec's `5-waking`).
///
/// One that does not will not answer: it waits for something else, or what woke it is left over of a program that is gone. That is told once
/// for each; as long as the connection waits, the worker is not put to sleep again before `IdleSec=` (``NapPolicy``).
package struct AcceptWatch: Hashable, Sendable {
    /// What happened.
    package enum Event: Hashable, Sendable {
        /// It was woken for this, or what it was woken for has been found out.
        case woken(WakeFilter.Reason, at: Instant)
        /// The time to look has come.
        case due(at: Instant)
        /// Whether the connection still waits to be accepted.
        case looked(isWaiting: Bool)
        /// It sleeps, or has ended.
        case rests
    }

    /// What is to be done.
    package enum Action: Hashable, Sendable {
        /// Answer with `due` at this time.
        case lookLater(at: Instant)
        /// Find out whether such a connection waits to be accepted; answer with `looked`.
        case look(Sought)
        /// Warn the operator, in these words.
        case warn(String)
    }

    /// The connection that is looked for.
    package enum Sought: Hashable, Sendable {
        /// That of this peer, or where it is not known, any of TCP.
        case tcp(Endpoint?)
        /// Any to a Unix socket.
        case unix
    }

    private enum State: Hashable, Sendable {
        case none
        case waiting(WakeFilter.Reason, until: Instant)
        case looking(WakeFilter.Reason)
    }

    private var state = State.none
    private var told: WakeFilter.Reason?

    /// A worker that has not been woken.
    package init() {}

    /// For how long a connection may wait after the wake.
    package static let patience = TimeSpan.seconds(5)

    /// Takes what happened, and returns what is to be done.
    package mutating func handle(_ event: Event) -> Action? {
        switch (event, state) {
        case (.woken(let reason, let at), _):
            guard reason.kind == .connection || reason.kind == .localConnection, reason != told else {
                state = .none
                return nil
            }
            let due = at + Self.patience
            state = .waiting(reason, until: due)
            return .lookLater(at: due)
        case (.due(let now), .waiting(let reason, let until)):
            // That of an earlier wake.
            guard now >= until else { return nil }
            state = .looking(reason)
            return .look(reason.kind == .localConnection ? .unix : .tcp(reason.peer))
        case (.looked(let isWaiting), .looking(let reason)):
            state = .none
            guard isWaiting else { return nil }
            told = reason
            return .warn(
                "no process has accepted \(reason.words) within \(Self.patience.legible) of the wake")
        case (.rests, _):
            state = .none
            return nil
        case (.due, .none), (.due, .looking), (.looked, .none), (.looked, .waiting): return nil
        }
    }
}
