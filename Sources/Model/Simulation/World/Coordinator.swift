package import Lifecycle

/// A decision over several workers at once: which of a group has the foreground, which is evicted when memory is short.
///
/// A world asks it about every event before the event is handled, and after every one that was. It is as pure as the
/// models are: it sees them, and answers with events.
package protocol Coordinator: Sendable {
    /// The events, in order, that `event` for `worker` means; that event alone where there is nothing to decide.
    mutating func events(
        for event: Event, to worker: Int, among lives: [WorkerLifecycle], at now: Instant
    ) -> [(worker: Int, event: Event)]

    /// What is to happen next, now that `event` has brought these effects upon `worker`.
    mutating func events(
        after event: Event, of worker: Int, _ effects: [Effect], among lives: [WorkerLifecycle],
        at now: Instant
    ) -> [(worker: Int, event: Event)]
}

/// One event of a simulated world, and what the model made of it.
package struct Step: Hashable, Sendable {
    /// When, from the beginning of the world.
    package let at: Instant
    /// The worker, by its number.
    package let worker: Int
    package let event: Event
    package let effects: [Effect]
}
