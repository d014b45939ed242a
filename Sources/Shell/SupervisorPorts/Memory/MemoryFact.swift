package import Pressure

/// What the machine tells of a worker's memory.
package enum MemoryFact: Hashable, Sendable {
    /// It has met one of its limits: its `memory.events` read so now.
    case eventsChanged(MemoryEvents)
    /// What it holds asleep has been reclaimed, as far as that went; told once for each time that it was asked, and not when
    /// the worker is thawed or ends before.
    case reclaimed(MemoryReclaim)
    /// Nothing of it is left, and its memory is back: its main process has been reaped, and its group is empty. Its exit
    /// follows.
    case released
    /// A limit could not be set, for this reason.
    case limitRefused(String)
}

/// What reclaiming a worker's memory has brought.
package struct MemoryReclaim: Hashable, Sendable {
    /// What it held before.
    package let before: WorkerMemory
    /// What it holds after.
    package let after: WorkerMemory
    /// How it was done, or why it was not.
    package let means: Means

    /// The ways to do it.
    package enum Means: Hashable, Sendable {
        /// By `memory.reclaim` of its group.
        case group
        /// By process_madvise(2) of each process.
        case processes
        /// Not at all, for this reason.
        case none(String)
    }

    /// Figures before and after.
    package init(before: WorkerMemory, after: WorkerMemory, means: Means) {
        self.before = before
        self.after = after
        self.means = means
    }

    /// Bytes that are not in memory any more.
    package var givenBack: Int64 { max(0, before.resident - after.resident) }
}
