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
    /// It was for a new connection that said something, or waited for a word.
    private var isUse = false
    private var isJudged = true
    /// It was for a connection to a Unix socket.
    private var isLocal = false

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
        // Where it was not looked at, whether it was for something is told by what it is used for.
        isUse = reason.kind == .connection && reason.peer != nil
        // Most often what was not looked at is data, too.
        isOldConnection = reason.kind != .connection && reason.kind != .localConnection
        isLocal = reason.kind == .localConnection
        if isUse || reason.kind == .data { trusts = true }
    }

    /// Whether a connection to a Unix socket of its own may wait that it has not accepted: it woke it.
    package var mayLeaveLocal: Bool { isLocal }

    /// It was woken by something else, or launched.
    package mutating func rose() { self = NapPolicy() }

    /// The answer to the question of its last use; nil where there is none.
    ///
    /// A connection that woke it is a use, also where it is closed again and nothing tells of it any more. `leavesWaiting` says whether a
    /// connection waits that it has not accepted: asleep it would be woken by that at once. With both its delay counts from the wake.
    package mutating func answer(_ use: Use?, leavesWaiting: Bool = false) -> LastUse {
        let answer = use?.answer ?? LastUse(at: nil)
        guard let woke = wokeAt else { return answer }
        let isLater = use.map { $0.at >= woke } ?? false
        if !isJudged {
            isJudged = true
            trusts = isUse || isLater
        }
        if isUse || leavesWaiting { return isLater ? answer : LastUse(at: woke) }
        guard isOldConnection, let use, case .spoke = use.kind else { return answer }
        return LastUse(at: use.at, isExchange: use.at <= woke + Self.exchange)
    }
}
