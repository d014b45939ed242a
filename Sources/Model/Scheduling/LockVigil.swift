package import Lifecycle

/// When the locks of suspended workers are looked at again (2.5): no event of the kernel says that a process waits for a lock.
///
/// Only workers that hold one are looked at, all in one read, and the seldomer the longer they have slept: 5 s after the last of them has
/// fallen asleep, and then each time after twice that, up to 5 min. Where there are none, nothing is due. A worker of which a waiter has
/// been told is looked at no more in this sleep.
package struct LockVigil<ID: Hashable & Comparable & Sendable>: Hashable, Sendable {
    private var holders: Set<ID> = []
    private var looks = 0
    /// When they are looked at next; nil where none is to be.
    package private(set) var nextDue: Instant?

    /// Nothing is looked at.
    package init() {}

    private static var pace: Backoff { Backoff(first: .seconds(5), longest: .seconds(300)) }

    /// How much later than `nextDue` a look may be, so that it shares a wake of the processor with something else.
    package static var slack: TimeSpan { .seconds(30) }

    /// A suspended worker holds a lock for which no process waits.
    package mutating func watch(_ worker: ID, at now: Instant) {
        guard holders.insert(worker).inserted else { return }
        looks = 0
        nextDue = now + Self.pace.delay(after: looks)
    }

    /// A process waits, and that is told; or the worker sleeps no more.
    package mutating func forget(_ worker: ID) {
        holders.remove(worker)
        if holders.isEmpty { nextDue = nil }
    }

    /// The workers that are to be looked at now: those that sleep still, in their order.
    package mutating func takeDue(at now: Instant, where sleeps: (ID) -> Bool) -> [ID] {
        guard let due = nextDue, due <= now else { return [] }
        holders = holders.filter(sleeps)
        looks += 1
        nextDue = holders.isEmpty ? nil : now + Self.pace.delay(after: looks)
        return holders.sorted()
    }
}
