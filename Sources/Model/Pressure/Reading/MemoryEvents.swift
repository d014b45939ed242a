/// How often a cgroup has met its limits: its `memory.events` (Documentation/admin-guide/cgroup-v2.rst).
package struct MemoryEvents: Hashable, Sendable {
    /// Reclaimed although it was under what `memory.low` protects.
    package var low: Int64
    /// Throttled over `memory.high`.
    package var high: Int64
    /// Held at `memory.max`.
    package var max: Int64
    /// Out of memory: an allocation was about to fail.
    package var oom: Int64
    /// Processes that the kernel's OOM killer has ended.
    package var oomKill: Int64
    /// Times that it ended the group as a whole; 0 before Linux 5.17, which does not count it.
    package var oomGroupKill: Int64

    /// These counts.
    package init(
        low: Int64 = 0, high: Int64 = 0, max: Int64 = 0, oom: Int64 = 0, oomKill: Int64 = 0,
        oomGroupKill: Int64 = 0
    ) {
        self.low = low
        self.high = high
        self.max = max
        self.oom = oom
        self.oomKill = oomKill
        self.oomGroupKill = oomGroupKill
    }

    /// Reads `memory.events`, or `memory.events.local`; nil when it is neither.
    ///
    /// A count that an older kernel lacks is 0, but there is none without `max` and `oom`.
    package init?(parsing text: String) {
        let table = KernelTable(text)
        guard let max = table["max"], let oom = table["oom"] else { return nil }
        self.init(
            low: table["low"] ?? 0, high: table["high"] ?? 0, max: max, oom: oom,
            oomKill: table["oom_kill"] ?? 0, oomGroupKill: table["oom_group_kill"] ?? 0)
    }

    /// What has happened since `before`; a count that went back belongs to another group, and counts as it is.
    package func since(_ before: MemoryEvents) -> MemoryEvents {
        func more(_ count: KeyPath<MemoryEvents, Int64>) -> Int64 {
            let now = self[keyPath: count]
            let then = before[keyPath: count]
            return now < then ? now : now - then
        }
        return MemoryEvents(
            low: more(\.low), high: more(\.high), max: more(\.max), oom: more(\.oom),
            oomKill: more(\.oomKill),
            oomGroupKill: more(\.oomGroupKill))
    }
}
