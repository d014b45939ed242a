package import Lifecycle

/// When workers get the CPU and I/O priorities of their states, where no controller gives them their shares (2.2).
///
/// A worker that passes the background on its way to sleep, or to the foreground, needs none of that state. What has stayed there for
/// `settling` gets them all the same.
package struct PriorityPlan<Worker: Hashable & Comparable & Sendable>: Sendable {
    /// How long a worker that is on its way elsewhere is in the background before it gets the priorities of that state.
    ///
    /// Longer than what it is told on the way takes as a rule: a look at every thread takes longer than most of its callbacks.
    package static var settling: TimeSpan { .milliseconds(100) }

    /// Workers that have come to the background on their way elsewhere.
    private var passing: Set<Worker> = []
    /// When those are looked at, together, that pass the background; nil where none does.
    package private(set) var nextDue: Instant?

    /// No worker passes the background.
    package init() {}

    /// Whether a worker is looked at when it has been in the background for a while.
    package func awaits(_ worker: Worker) -> Bool { passing.contains(worker) }

    /// A worker has come to `state` at `now`, and is wanted at `goal`; whether it gets the priorities of that state at once.
    package mutating func changed(_ worker: Worker, to state: State, goal: Goal?, at now: Instant) -> Bool {
        if state != .background { pass(worker) }
        switch state {
        case .inactive, .active: return true
        case .background:
            if goal == .background { return true }
            wait(for: worker, at: now)
            return false
        case .notRunning, .suspended: return false
        }
    }

    /// A worker is in the background on its way elsewhere.
    package mutating func wait(for worker: Worker, at now: Instant) {
        if nextDue == nil { nextDue = now + Self.settling }
        passing.insert(worker)
    }

    /// A worker is not in the background any more; where none is left that passes it, there is nothing to look at.
    private mutating func pass(_ worker: Worker) {
        guard nextDue != nil, passing.remove(worker) != nil, passing.isEmpty else { return }
        nextDue = nil
    }

    /// Takes the workers that get the priorities of the background at `now`, in their order; those of them that are in it still.
    package mutating func takeDue(at now: Instant, state: (Worker) -> State?) -> [Worker] {
        guard let nextDue, nextDue <= now else { return [] }
        self.nextDue = nil
        defer { passing = [] }
        return passing.sorted().filter { state($0) == .background }
    }

    /// Whether a worker that has the priorities of `present` is given others in `state`; without a process it has none.
    package static func areOther(in state: State, than present: State) -> Bool {
        present == .notRunning || present.isForeground != state.isForeground
    }
}
