package import Lifecycle

/// Workers in the order in which they went to sleep, which is the order in which they are due.
package struct SleeperQueue {
    private var sleepers: [(worker: WorkerID, due: Instant)] = []
    private var first = 0

    package init() {}

    /// When the next one is due.
    package var nextDue: Instant? { first < sleepers.count ? sleepers[first].due : nil }

    package mutating func append(_ worker: WorkerID, due: Instant) { sleepers.append((worker, due)) }

    /// Takes the next one that is due.
    package mutating func popDue(at now: Instant) -> WorkerID? {
        guard let nextDue, nextDue <= now else { return nil }
        let worker = sleepers[first].worker
        first += 1
        if first == sleepers.count || first >= 1024 {
            sleepers.removeFirst(first)
            first = 0
        }
        return worker
    }
}
