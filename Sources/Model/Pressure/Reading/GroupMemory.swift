/// What a group with a limit of memory holds, in bytes: a container's own machine, as far as memory goes.
///
/// From `memory.max`, `memory.current` and `memory.stat` (Documentation/admin-guide/cgroup-v2.rst), or from what cgroup v1 has of
/// them.
package struct GroupMemory: Hashable, Sendable {
    /// The most that it may have.
    package let limit: Int64
    /// What it has.
    package let used: Int64
    /// What of that the kernel takes back at once when it is needed: pages of files, and what it remembers of them.
    package let reclaimable: Int64

    /// These figures; what cannot be is brought to what can.
    package init(limit: Int64, used: Int64, reclaimable: Int64 = 0) {
        self.limit = max(1, limit)
        self.used = max(0, used)
        self.reclaimable = min(max(0, reclaimable), self.used)
    }

    /// Reads the three files; nil where one is none, or there is no limit.
    package init?(limit: String, usage: String, stat: String) {
        guard let limit = Self.limit(parsing: limit), let used = Self.number(usage) else { return nil }
        let table = KernelTable(stat)
        // On cgroup v1 the plain names leave out what is in the groups below.
        let files = ["inactive_file", "active_file"].map { name in
            table["total_\(name)"] ?? table[name] ?? 0
        }
        let parts = files + [table["slab_reclaimable"] ?? 0]
        self.init(limit: limit, used: used, reclaimable: parts.reduce(0) { Self.sum($0, $1) })
    }

    /// The limit that `memory.max` or `memory.limit_in_bytes` tells; nil is none.
    package static func limit(parsing text: String) -> Int64? {
        // Without a limit cgroup v1 tells the highest number of pages that there could be.
        guard let limit = number(text), limit > 0, limit < unlimited else { return nil }
        return limit
    }

    /// What could be had in it without swapping.
    package var available: Int64 { min(limit, max(0, limit - used + reclaimable)) }

    private static let unlimited = Int64.max / (1 << 16) * (1 << 16) - (1 << 20)

    private static func number(_ text: String) -> Int64? {
        KernelTable.number(text.prefix { $0 != "\n" })
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}

extension MachineMemory {
    /// The same where we live in groups with limits: the memory of whichever has the smallest share of its own available, and
    /// while all of them have plenty, of whichever has the fewest bytes.
    ///
    /// A limit that is no smaller than the machine limits nothing. How soon the next look has to come depends on the bytes that are
    /// left: those of a small container can be gone before the next look at a machine with a slightly smaller share available.
    package func within(_ groups: [GroupMemory]) -> MachineMemory {
        var tightest = self
        for group in groups where group.limit < total {
            let narrow = MachineMemory(
                total: group.limit, available: min(group.available, available), swapTotal: swapTotal,
                swapFree: swapFree)
            let haveBothPlenty = min(narrow.availablePercent, tightest.availablePercent) >= Self.plenty
            let isTighter =
                haveBothPlenty
                ? narrow.available < tightest.available
                : narrow.availablePercent < tightest.availablePercent
            if isTighter { tightest = narrow }
        }
        return tightest
    }

    /// The share, in percent, from which on no threshold is near.
    private static let plenty = 50.0
}
