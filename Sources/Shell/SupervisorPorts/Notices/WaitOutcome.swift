package import Lifecycle

/// What came of waiting for a goal.
package enum WaitOutcome: Hashable, Sendable {
    /// It is there.
    case reached
    /// Its process ended before it was there, and nothing brings it back.
    case ended(TerminationRecord)
    /// Another request has set a different goal meanwhile.
    case replaced(by: Goal)
    /// It was stopped from outside: SIGCONT or an operator's resume ends that.
    case held
    /// A group that its own is in is frozen: thawing that one ends it.
    case heldAbove(group: String)
    /// It cannot be put to sleep and stays in the background.
    case stuck
    /// An interruption keeps it inactive; it becomes active when that is over.
    case interrupted
    /// It is there, and these that ended with it are not.
    case followersMissing([String])
    /// It will not be done.
    case refused(Refusal)
}
