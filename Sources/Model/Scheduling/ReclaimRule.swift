package import Lifecycle

/// When the memory of suspended workers is reclaimed (2.2): once each has slept for `settling`.
///
/// A worker that is woken at once keeps its pages; one that was awake meanwhile has the whole span again.
package enum ReclaimRule {
    /// What becomes of a worker whose reclaim is due.
    package enum Verdict: Hashable, Sendable {
        case reclaim
        /// It is looked at again then.
        case wait(until: Instant)
        /// It does not sleep: its next sleep counts anew.
        case drop
    }

    /// How long a worker sleeps before its memory is reclaimed.
    package static var settling: TimeSpan { .seconds(1) }

    /// What becomes of a worker whose reclaim is due at `now`.
    ///
    /// `asleepSince` tells since when it is suspended; nil where it is not, or where another program has stopped it: that one may want to
    /// look at its memory.
    package static func verdict(asleepSince: Instant?, at now: Instant) -> Verdict {
        guard let asleepSince else { return .drop }
        return now - asleepSince >= settling ? .reclaim : .wait(until: now + settling)
    }
}
