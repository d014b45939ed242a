package import Budgeting
package import Lifecycle

/// When workers are woken for a background fetch (1.3 performFetch).
///
/// `FetchIntervalSec=` counts from one fetch to the next, with a slack of a tenth of it, a minute at most, so that the fetches of many
/// workers come together. The interval adapts to what the fetches bring (``FetchPace``). In low-power mode no fetch is due.
package struct FetchPlan<Worker: Hashable & Comparable & Sendable>: Sendable {
    private struct Entry {
        let base: TimeSpan
        var pace = FetchPace()
        var due: Instant

        /// The present interval.
        var interval: TimeSpan { pace.interval(of: base) }

        /// How much sooner or later than asked it may come.
        var slack: TimeSpan {
            min(FetchPlan.longestSlack, TimeSpan(microseconds: interval.microseconds / 10))
        }
    }

    /// The shortest interval: a file may ask for less.
    private static var shortestInterval: TimeSpan { .seconds(1) }
    private static var longestSlack: TimeSpan { .seconds(60) }

    private var entries: [Worker: Entry] = [:]
    /// Whether fetches wait until this is over: what came due meanwhile is due then.
    package var isPaused = false

    /// No worker fetches.
    package init() {}

    /// When the next fetch is due; nil where no worker fetches, or fetches wait.
    package var nextDue: Instant? { isPaused ? nil : entries.values.map(\.due).min() }

    /// How late the timer for it may be; nil where no worker fetches.
    package var slack: TimeSpan? { entries.values.map(\.slack).min() }

    /// When a worker is woken for a fetch next; nil where it does not fetch.
    package func due(of worker: Worker) -> Instant? { entries[worker]?.due }

    /// A worker fetches every `interval` from `now` on; nil is never.
    ///
    /// True where that changes anything.
    package mutating func set(_ worker: Worker, every interval: TimeSpan?, at now: Instant) -> Bool {
        guard let interval else { return entries.removeValue(forKey: worker) != nil }
        let counted = max(Self.shortestInterval, interval)
        guard entries[worker]?.base != counted else { return false }
        entries[worker] = Entry(base: counted, due: now + counted)
        return true
    }

    /// A fetch of a worker is over: the interval after it follows from `pace`, and the next fetch moves with it.
    package mutating func adapt(_ worker: Worker, to pace: FetchPace) {
        guard var entry = entries[worker] else { return }
        let before = entry.interval
        entry.pace = pace
        entry.due = entry.due + (entry.interval - before)
        entries[worker] = entry
    }

    /// The interval between two fetches as it is now; nil where the worker does not fetch.
    package func interval(of worker: Worker) -> TimeSpan? { entries[worker]?.interval }

    /// An interval began under a predecessor, and the fetch was due at `due`: the sooner one counts, since the files may ask for
    /// fetches more often now.
    package mutating func resume(_ worker: Worker, due: Instant?) {
        guard let due, let planned = entries[worker]?.due else { return }
        entries[worker]?.due = min(due, planned)
    }

    /// Takes the workers whose fetch is due at `now`, in their order; those that are nearly due come along.
    package mutating func takeDue(at now: Instant) -> [Worker] {
        guard !isPaused else { return [] }
        let due = entries.filter { $0.value.due <= now + $0.value.slack }.keys.sorted()
        for worker in due {
            guard let interval = entries[worker]?.interval else { continue }
            entries[worker]?.due = now + interval
        }
        return due
    }
}

extension WorkerLifecycle {
    /// Whether a fetch may wake this worker, or launch it.
    ///
    /// A worker that has never run, that an operator has ended by force, or that backs off is not brought by a fetch. One that has
    /// ended or was evicted is launched where its process would take the fetch: by its own connection, or by a hook (`hasHook`).
    package func mayFetch(hasHook: Bool) -> Bool {
        switch restReason {
        case .neverLaunched, .forceQuit, .backingOff: false
        case .evicted, .exited, .failed: policy.readiness == .app || hasHook
        case nil: receivedCallbacks.contains(.performFetch) && !isHeld
        }
    }
}
