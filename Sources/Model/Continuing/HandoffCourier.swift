/// The caller that carries an activity from one supervisor to another: what it does next, by what it hears.
///
/// Pure. It tells the first supervisor that the activity was taken only when the second has said so. Where the second falls silent it
/// is asked once more, by the same id, which gives the activity to no worker twice.
package struct HandoffCourier: Hashable, Sendable {
    /// What it waits for.
    private enum Stage: Hashable, Sendable {
        /// The state of the activity, from the first supervisor.
        case asking
        /// The word of the second, at this attempt.
        case carrying(attempt: Int)
        /// That the first has heard how it ended.
        case telling(Result)
        /// Nothing more.
        case over
    }

    /// What it hears.
    package enum Event: Hashable, Sendable {
        /// The first supervisor has given the state.
        case given
        /// The first supervisor does not give it, for this reason.
        case notGiven(String)
        /// This worker of the second supervisor has taken it.
        case taken(by: String)
        /// The second supervisor answers that none has taken it, or cannot be called, for this reason.
        case notTaken(String)
        /// Nothing was heard of the second supervisor since the call, for this reason: it may have taken it.
        case silent(String)
        /// The first supervisor has heard how it ended.
        case told
        /// The first supervisor cannot be told, for this reason.
        case notTold(String)
    }

    /// What it does.
    package enum Order: Hashable, Sendable {
        /// Brings the activity to the second supervisor.
        case carry
        /// Brings it once more, over a new connection, by the same id.
        case carryAgain
        /// Tells the first supervisor that this worker has taken it.
        case tellTaken(by: String)
        /// Tells the first supervisor that none has, for this reason.
        case tellNotTaken(String)
        /// It is over.
        case finish(Result)
    }

    /// How it ended.
    package enum Result: Hashable, Sendable {
        /// This worker has taken it, and the first has left it.
        case done(by: String)
        /// The first worker keeps it, for this reason.
        case kept(String)
        /// The first worker keeps it; the second may have it too, since no answer came for this reason.
        case unknown(String)
        /// The worker has taken it, and the first supervisor could not be told, for this reason: both have it.
        case both(by: String, String)
    }

    private var stage = Stage.asking
    /// How often it is brought.
    package static let attempts = 2

    /// It waits for the state.
    package init() {}

    /// Whether nothing more is to be done.
    package var isOver: Bool { stage == .over }

    /// Applies `event`, and returns what is to be done next; nil for what means nothing here.
    package mutating func handle(_ event: Event) -> Order? {
        switch (stage, event) {
        case (.asking, .given):
            stage = .carrying(attempt: 1)
            return .carry
        case (.asking, .notGiven(let why)): return finish(.kept(why))
        case (.carrying, .taken(let worker)):
            stage = .telling(.done(by: worker))
            return .tellTaken(by: worker)
        case (.carrying(attempt: 1), .notTaken(let why)):
            stage = .telling(.kept(why))
            return .tellNotTaken(why)
        case (.carrying, .notTaken(let why)):
            // The call before got no answer: a supervisor that was started again knows nothing of it, and one that cannot be reached
            // says nothing of it.
            stage = .telling(.unknown(why))
            return .tellNotTaken(why)
        case (.carrying(let attempt), .silent) where attempt < Self.attempts:
            stage = .carrying(attempt: attempt + 1)
            return .carryAgain
        case (.carrying, .silent(let why)):
            stage = .telling(.unknown(why))
            return .tellNotTaken(why)
        case (.telling(let result), .told): return finish(result)
        case (.telling(.done(let worker)), .notTold(let why)): return finish(.both(by: worker, why))
        case (.telling(let result), .notTold): return finish(result)
        case (.asking, _), (.carrying, _), (.telling, _), (.over, _): return nil
        }
    }

    private mutating func finish(_ result: Result) -> Order {
        stage = .over
        return .finish(result)
    }
}
