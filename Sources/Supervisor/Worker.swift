public import Lifecycle

/// One worker: its blueprint, the model of its life, and what is known of it besides.
///
/// Belongs to the supervisor's loop.
final class Worker {
    let id: WorkerID
    var blueprint: Blueprint
    var life: WorkerLifecycle
    /// What it said last with STATUS=.
    var status: String?
    /// When it last changed its state.
    var since: Instant
    var lastRecord: TerminationRecord?
    var waiters: [Waiter] = []

    init(id: WorkerID, _ blueprint: Blueprint, at now: Instant) {
        self.id = id
        self.blueprint = blueprint
        life = WorkerLifecycle(policy: blueprint.policy)
        since = now
    }
}

/// Somebody who waits until a worker is where it was wanted.
struct Waiter {
    let goal: Goal
    let answer: (WaitOutcome) -> Void
}

/// What came of waiting for a goal.
public enum WaitOutcome: Hashable, Sendable {
    /// It is there.
    case reached
    /// Its process ended before it was there, and nothing brings it back.
    case ended(TerminationRecord)
    /// Somebody wanted it elsewhere meanwhile.
    case replaced(by: Goal)
    /// Somebody else has stopped it: SIGCONT or an operator's resume ends that.
    case held
    /// It cannot be put to sleep and stays in the background.
    case stuck
    /// It will not be done.
    case refused(Refusal)
}
