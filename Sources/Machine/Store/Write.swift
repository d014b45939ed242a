package import Records

/// One thing to store.
package enum Write: Hashable, Sendable {
    /// An entry of the history: the first to be given up when nothing can be written.
    case history(HistoryEntry)
    /// How a process ended: the last to be given up.
    case termination(TerminationEntry)
    /// Changes of what is kept for a worker until it has taken it: never given up.
    case notifications(worker: String, [NotificationChange])
}

/// Writes that are stored together or not at all.
package struct Batch: Hashable, Sendable {
    /// The writes, in their order.
    package var writes: [Write]
    /// Whether a caller waits for it: it is committed at once, and told of by `stored(upTo:)`.
    ///
    /// A write without a waiting caller is gathered for a moment, unless it holds the end of a process.
    package var isAwaited: Bool

    /// A batch of `writes`.
    package init(_ writes: [Write], isAwaited: Bool = false) {
        self.writes = writes
        self.isAwaited = isAwaited
    }
}

/// The number of a batch: each has a greater one than those before it.
package struct Sequence: Hashable, Comparable, Sendable {
    /// Counted from 1; 0 is before all.
    package let rawValue: UInt64

    /// The batch of this number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Whether `a` was before `b`.
    package static func < (a: Sequence, b: Sequence) -> Bool { a.rawValue < b.rawValue }
}
