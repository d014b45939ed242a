package import Lifecycle

/// Something of a worker that is due at a time; what is due at one moment is handled in the order of the cases.
package enum DueItem: Hashable, Comparable, Sendable {
    /// Notifications that were not taken are handed out again.
    case flushRetry(WorkerID)
    /// What an adopted worker has not claimed by connecting anew is over.
    case reattachmentEnd(WorkerID)
    /// A command of its file has to be over.
    case commandDeadline(WorkerID)
    /// Its memory is reclaimed if it still sleeps.
    case reclaim(WorkerID)
    /// The time of one of its interruptions is over.
    case interruptionEnd(WorkerID)
    /// Its budget of wakes is full again, and wakes are kept.
    case budget(WorkerID)
    /// The time of the handoff of one of its activities is over.
    case handoffEnd(WorkerID)
    /// A timer of its model; the generation is that of the timer.
    case timer(WorkerID, Timer)
}
