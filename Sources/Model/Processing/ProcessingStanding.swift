package import Lifecycle
package import SnapshotCoding

/// How a worker stands with its long work, for those that ask, and for the next supervisor.
package struct ProcessingStanding: Hashable, Sendable {
    /// When it is due.
    package var due: Instant
    /// Since when it is under way; nil while it is not.
    package var began: Instant?
    /// What was in its way when that was looked at last; not for the next supervisor, which looks anew.
    package var obstacle: ProcessingObstacle?

    /// A standing, by its parts.
    package init(due: Instant, began: Instant? = nil, obstacle: ProcessingObstacle? = nil) {
        (self.due, self.began, self.obstacle) = (due, began, obstacle)
    }
}

extension ProcessingStanding: SnapshotObject {
    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: ProcessingStanding?) throws(C.Failure) {
        due = try c.required("due", 1, value?.due)
        began = try c.optional("began", 2, value?.began)
        try c.checkPast("began", began?.microseconds)
    }
}

/// What happened to the long work of a worker.
package enum ProcessingNews: Hashable, Sendable {
    /// It is given time for it, so long at most.
    case began(limit: TimeSpan?)
    /// It has completed it, or has lost it with its deadline.
    case completed(isDone: Bool)
    /// Its time is over, for this reason.
    case revoked(String)
    /// It is over, and was done or not.
    case over(isDone: Bool)
}
