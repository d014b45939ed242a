/// What a group's `cgroup.events` says, as in cgroups(7).
public struct CgroupEvents: Hashable, Sendable {
    /// Whether any process lives in the group or below it.
    public let isPopulated: Bool
    /// Whether everything in it is frozen, by itself or by a group above it.
    ///
    /// An empty group can be frozen too.
    public let isFrozen: Bool

    /// A state as it would be read.
    public init(isPopulated: Bool, isFrozen: Bool) {
        self.isPopulated = isPopulated
        self.isFrozen = isFrozen
    }

    /// Reads the file's text: `key value` lines in any order.
    ///
    /// Unknown keys and unreadable lines are passed over, since kernels may add some; what is missing
    /// (`frozen` before Linux 5.2) is false.
    public init(parsing text: String) {
        let flags = KeyedCounters.parse(text)
        isPopulated = flags["populated"] == 1
        isFrozen = flags["frozen"] == 1
    }
}

/// Flat-keyed kernel files: `key number` on each line.
enum KeyedCounters {
    static func parse(_ text: String) -> [Substring: UInt64] {
        var counters: [Substring: UInt64] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, let number = UInt64(words[1]) else { continue }
            counters[words[0]] = number
        }
        return counters
    }
}
