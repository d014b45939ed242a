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
    /// What was refused by the event that was handled last.
    var refusal: Refusal?
    /// Why it could not be frozen the last time that it could not.
    var freezeFailure: String?

    init(id: WorkerID, _ blueprint: Blueprint, at now: Instant) {
        self.id = id
        self.blueprint = blueprint
        life = WorkerLifecycle(policy: blueprint.policy)
        since = now
    }
}

/// What somebody wants, until the model has heard of it.
struct Wish {
    let token: WaitToken
    /// Nil is the goal that the worker has after it.
    let goal: Goal?
    let answer: (WaitOutcome) -> Void
}

/// Somebody who waits until a worker is where it was wanted.
struct Waiter {
    let token: WaitToken
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

/// A wait that can be given up.
public struct WaitToken: Hashable, Sendable {
    let worker: WorkerID
    let number: UInt64
}

/// A worker as it stands at one moment.
public struct WorkerView: Sendable {
    /// Its number.
    public let id: WorkerID
    /// Its name.
    public let name: String
    /// The model of its life.
    public let life: WorkerLifecycle
    /// When it entered its state.
    public let since: Instant
    /// What it said last with STATUS=.
    public let statusText: String?
    /// How its last process ended.
    public let lastRecord: TerminationRecord?
}
