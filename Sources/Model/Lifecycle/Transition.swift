/// One change of state: what is recorded, published and logged, once, in one place.
public struct Transition: Hashable, Sendable {
    /// Why a state changed.
    public enum Cause: Hashable, Sendable {
        /// A process was started.
        case launched(LaunchReason)
        /// A step towards the goal that this requester set.
        case goal(Requester)
        /// Something woke it for the background.
        case woken
        /// A session was locked, or the like.
        case interruption
        /// It said RELOADING=1.
        case reload
        /// Another program stopped, froze, continued or thawed it.
        case outside
        /// Its process ended.
        case ended(TerminationRecord.Cause)
    }

    /// The state before.
    public let from: State
    /// The state after.
    public let to: State
    /// Why.
    public let cause: Cause
    /// Callbacks that belong to this change and that the worker was not given.
    public let notTold: CallbackSet
    /// How long it had been asleep, on the way out of `suspended`.
    public let suspendedFor: TimeSpan?
    /// When.
    public let at: Instant

    /// Whether there is such a change; any other is a bug of the model.
    public static func isLegal(from: State, to: State) -> Bool {
        switch (from, to) {
        case (.notRunning, .inactive), (.notRunning, .background), (.inactive, .active), (.active, .inactive),
            (.inactive, .background), (.background, .inactive), (.background, .suspended),
            (.suspended, .background):
            true
        case (.inactive, .notRunning), (.active, .notRunning), (.background, .notRunning),
            (.suspended, .notRunning):
            true
        case (.notRunning, .notRunning), (.notRunning, .active), (.notRunning, .suspended),
            (.inactive, .inactive), (.inactive, .suspended), (.active, .active), (.active, .background),
            (.active, .suspended), (.background, .background), (.background, .active),
            (.suspended, .suspended), (.suspended, .inactive), (.suspended, .active):
            false
        }
    }
}
