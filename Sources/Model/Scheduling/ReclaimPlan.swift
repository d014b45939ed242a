package import Lifecycle

/// When the memory of suspended workers is reclaimed (2.2): once each has slept for `settling`.
///
/// A worker that is woken at once keeps its pages; one that was awake meanwhile has the whole span again.
package struct ReclaimPlan<Worker: Hashable & Sendable>: Sendable {
    /// How long a worker sleeps before its memory is reclaimed.
    package static var settling: TimeSpan { .seconds(1) }

    /// In the order in which the workers were suspended, which is the order in which they are due.
    private var queue: [(worker: Worker, due: Instant)] = []
    private var first = 0
    private var waiting: Set<Worker> = []

    /// No worker waits.
    package init() {}

    /// When the next worker is due; nil when none waits.
    package var nextDue: Instant? { first < queue.count ? queue[first].due : nil }

    /// A worker was suspended at `now`; one that waits already keeps its place.
    package mutating func suspended(_ worker: Worker, at now: Instant) {
        guard waiting.insert(worker).inserted else { return }
        queue.append((worker, now + Self.settling))
    }

    /// Takes the next worker that is due at `now`, if its memory is to be reclaimed; workers that are not are passed over.
    ///
    /// `asleepSince` tells since when a worker is suspended, nil where it is not, or where another program has stopped it: that one
    /// may want to look at its memory.
    package mutating func popDue(at now: Instant, asleepSince: (Worker) -> Instant?) -> Worker? {
        while let nextDue, nextDue <= now {
            let worker = queue[first].worker
            first += 1
            if first == queue.count || first >= 1024 {
                queue.removeFirst(first)
                first = 0
            }
            waiting.remove(worker)
            guard let since = asleepSince(worker) else { continue }
            if now - since >= Self.settling { return worker }
            suspended(worker, at: now)
        }
        return nil
    }
}
