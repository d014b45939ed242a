package import Lifecycle

/// When the supervisor itself did not run: no worker is to blame for a deadline that passed meanwhile.
package struct StallRule: Hashable, Sendable {
    /// A timer that fires later than this after it was due tells of a stall.
    package static let longest = TimeSpan.seconds(1)

    /// When the supervisor ran last: no timer that was armed before was armed later.
    package var lastRan: Instant?

    /// It has not run yet.
    package init() {}

    /// The supervisor runs at `now`, and the soonest timer is due at `due`; how long it was away, nil where it was not.
    ///
    /// The moment at which the absence began is not known. Counted from the last run, every worker has as much time as was left
    /// then; counted from the first deadline, that one would be due again at once. A timer that was armed for the past is due at
    /// once, and no sign of an absence.
    package mutating func runs(at now: Instant, due: Instant?) -> TimeSpan? {
        let before = lastRan ?? now
        lastRan = now
        guard let due, now - max(due, before) > Self.longest else { return nil }
        return now - before
    }
}
