internal import Lifecycle

/// A part of the core that hears of every change of state, when the model of the worker stands in the new one.
///
/// It has its place in ``Supervisor/lifecycleObservers``. It keeps nothing itself: what it knows is the supervisor's and the worker's.
/// An event that it gives a model is handled after those that wait already.
protocol LifecycleObserver: Sendable {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor)
}

/// A part of the core that hears of every event that a model has handled, when its effects have been carried out.
///
/// It has its place in ``Supervisor/turnObservers``.
protocol TurnObserver: Sendable {
    func handled(_ event: Event, of worker: Worker, in supervisor: Supervisor)
}

extension Supervisor {
    /// The parts of the core that hear of a change of state, in their order.
    ///
    /// A new one is a line here. What the worker's group and its notifications are to be in the new state is settled before others hear of
    /// it; what depends on the worker comes last, since that changes the states of others.
    static let lifecycleObservers: [any LifecycleObserver] = [
        WorkerFigures(), OutputSnapshots(), GroupSettings(), Reattachment(), CommandsAfterThaw(),
        HookFailures(), InterruptedNotifications(), RecordedTopicStates(), MemoryOfState(), NoticeObservers(),
        EvictionEligibilities(), Dependents(),
    ]

    /// The parts of the core that hear of a handled event, in their order.
    ///
    /// A new one is a line here. The record of the worker is written before the effects, where they act on its process, and at the end
    /// of all events.
    static let turnObservers: [any TurnObserver] = [
        Deliveries(), Budgets(), UnwantedLaunches(), ForegroundFollowers(), Requests(), RequiredWorkers(),
        Waiters(),
    ]
}
