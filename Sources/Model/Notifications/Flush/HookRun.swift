/// A flush that hooks carry out: which of them run, which follow, and what was not taken.
///
/// Hooks run one after the other, in the order in which their notifications were posted; a signal stands for all of its topic.
/// When one fails, what follows of its topic waits, so that its order is kept; other topics go on.
package struct HookRun: Hashable, Sendable {
    /// One run of a hook, and the notifications that it stands for.
    package struct Job: Hashable, Sendable {
        /// The topic of all of them.
        package let topic: Topic
        /// How the hook took its topic when the flush was planned.
        package let kind: NotificationHooks.Kind
        /// The notifications, oldest first.
        package internal(set) var entries: [QueuedNotification]
    }

    /// Hooks that have not been run, the next one first.
    private(set) var remaining: ArraySlice<Job> = []
    /// Hooks that run, by their ids.
    private(set) var running: [UInt32: Job] = [:]
    /// Topics of which something was not taken.
    private(set) var failed: Set<Topic> = []
    /// Why the first of them was not.
    private(set) var problem: FlushProblem?

    /// The plan for `entries`, which are in the order in which they go out.
    init(_ entries: [QueuedNotification], by hooks: NotificationHooks) {
        var places: [Topic: Int] = [:]
        for entry in entries {
            guard let kind = hooks[entry.topic] else {
                fail(entry.topic, .noReceiver(entry.topic))
                continue
            }
            if kind == .signal, let place = places[entry.topic] {
                remaining[place].entries.append(entry)
            } else {
                if kind == .signal { places[entry.topic] = remaining.count }
                remaining.append(Job(topic: entry.topic, kind: kind, entries: [entry]))
            }
        }
    }

    /// The numbers of the notifications that the worker has in hand: those of the hooks that run.
    var inHand: Set<UInt64> { Set(running.values.flatMap(\.entries).map(\.sequence)) }

    /// Takes off all signals that have not been sent.
    mutating func takeSignals() -> [Job] {
        let signals = remaining.filter { $0.kind == .signal }
        remaining = remaining.filter { $0.kind != .signal }[...]
        return signals
    }

    /// Takes off the next hook that may run; nil where none is left.
    mutating func takeNext() -> Job? {
        while let job = remaining.popFirst() {
            if !failed.contains(job.topic), !job.entries.isEmpty { return job }
        }
        return nil
    }

    mutating func begin(_ job: Job, as id: UInt32) { running[id] = job }

    /// A hook is over; answers what it was, or nil where none of that id runs.
    mutating func end(_ id: UInt32) -> Job? { running.removeValue(forKey: id) }

    /// Something of this topic was not taken.
    mutating func fail(_ topic: Topic, _ problem: FlushProblem) {
        failed.insert(topic)
        if self.problem == nil { self.problem = problem }
    }

    /// Leaves out the notification of this number, where its hook has not been run.
    mutating func drop(_ sequence: UInt64) {
        for place in remaining.indices { remaining[place].entries.removeAll { $0.sequence == sequence } }
    }
}

/// Why a flush was not taken.
package enum FlushProblem: Hashable, Sendable, CustomStringConvertible {
    /// Nothing takes this topic any more.
    case noReceiver(Topic)
    /// A hook failed, for this reason where one is known.
    case hookFailed(String?)
    /// The connection of the worker refused it, in these words.
    case refused(String?)
    /// The time for it was over.
    case overdue

    /// The same in words.
    package var description: String {
        switch self {
        case .noReceiver(let topic): "\(topic) no longer has a receiver"
        case .hookFailed(let reason): reason ?? "its hook failed"
        case .refused(let reason): reason ?? "the worker did not accept them"
        case .overdue: "the worker did not accept them in time"
        }
    }
}
