package import Lifecycle

/// What is learnt of the wakes of one worker.
///
/// A look at all connections costs as much as the wake itself, so that it is spared while wakes prove to be for something; after one that
/// was for nothing, such as a probe's, what comes is looked at first until one is not. And a wake for one exchange on a connection that was
/// open before, a ping, earns a shorter stay.
package struct NapPolicy: Hashable, Sendable {
    private var trusts = false
    private var wokeAt: Instant?
    private var isOldConnection = false
    private var isJudged = true

    /// Nothing is known yet: what comes is looked at.
    package init() {}

    /// How long after the wake an exchange that it was for may take.
    private static let exchange = TimeSpan.milliseconds(250)

    /// Whether readiness is looked at before it wakes a worker with these rules.
    package func looksFirst(_ rules: WakeRules) -> Bool { rules.needsLooking || !trusts }

    /// It was woken by its sockets.
    package mutating func woke(by reason: WakeFilter.Reason, at now: Instant) {
        wokeAt = now
        isJudged = false
        switch reason.kind {
        case .connection:
            // Where it was not looked at, whether it was for something is told by what it is used for.
            if reason.peer != nil { trusts = true }
            isOldConnection = false
        case .data:
            trusts = true
            isOldConnection = true
        // Not looked at: what it was is not known, and most often it is data.
        case .datagram, .ready: isOldConnection = true
        }
    }

    /// It was woken by something else, or launched.
    package mutating func rose() { self = NapPolicy() }

    /// The answer to the question of its last use; nil where there is none.
    package mutating func answer(_ use: Use?) -> LastUse {
        guard let woke = wokeAt else { return LastUse(at: use?.at) }
        if !isJudged {
            isJudged = true
            trusts = use.map { $0.at >= woke } ?? false
        }
        guard isOldConnection, let use else { return LastUse(at: use?.at) }
        guard case .spoke = use.kind else { return LastUse(at: use.at) }
        return LastUse(at: use.at, isExchange: use.at <= woke + Self.exchange)
    }
}
