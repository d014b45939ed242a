internal import HeapModule
package import Lifecycle

/// The timers of all workers, soonest first: one clock of the machine serves them all.
///
/// Pure. A timer that was replaced or disarmed stays in the heap until its moment and is then passed over; the heap is made
/// anew when more than half of it is such.
package struct Alarms {
    package struct Entry: Hashable, Comparable {
        package let due: Instant
        package let worker: WorkerID
        package let timer: Timer
        package let generation: UInt32

        package init(due: Instant, worker: WorkerID, timer: Timer, generation: UInt32) {
            self.due = due
            self.worker = worker
            self.timer = timer
            self.generation = generation
        }

        package static func < (a: Entry, b: Entry) -> Bool { a.due < b.due }
    }

    private struct Key: Hashable {
        let worker: WorkerID
        let timer: Timer
    }

    private var heap = Heap<Entry>()
    private var current: [Key: UInt32] = [:]

    /// No timers.
    package init() {}

    /// The number of timers that are armed.
    package var count: Int { current.count }

    package mutating func arm(_ entry: Entry) {
        current[Key(worker: entry.worker, timer: entry.timer)] = entry.generation
        heap.insert(entry)
        dropStale()
    }

    package mutating func disarm(_ worker: WorkerID, _ timer: Timer) {
        guard current.removeValue(forKey: Key(worker: worker, timer: timer)) != nil else { return }
        dropStale()
    }

    /// The soonest moment at which something is due; nil when nothing is.
    package mutating func next() -> Instant? {
        while let first = heap.min, !isCurrent(first) { heap.removeMin() }
        return heap.min?.due
    }

    /// Takes off the soonest timer, if its moment has come.
    package mutating func popDue(at now: Instant) -> Entry? {
        guard let due = next(), due <= now, let first = heap.popMin() else { return nil }
        current.removeValue(forKey: Key(worker: first.worker, timer: first.timer))
        return first
    }

    private func isCurrent(_ entry: Entry) -> Bool {
        current[Key(worker: entry.worker, timer: entry.timer)] == entry.generation
    }

    private mutating func dropStale() {
        guard heap.count > 64, heap.count > 2 * current.count else { return }
        heap = Heap(heap.unordered.filter(isCurrent))
    }
}
