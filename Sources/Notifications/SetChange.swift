/// Members of a set that came and members that went, as several changes in a row add up (2.4, `set`).
///
/// Pure. A member that came and went again is in neither list. The lists keep the order in which the members came in. The work grows
/// with the number of members, not with its square.
struct SetChange: Hashable, Sendable {
    /// Members that were added in the end.
    private(set) var added: [String]
    /// Members that were removed in the end.
    private(set) var removed: [String]

    /// A change by its parts; no member is in both, and none is in one of them twice.
    init(added: [String] = [], removed: [String] = []) {
        self.added = added
        self.removed = removed
    }

    /// Takes in a later change: its added members first.
    mutating func apply(added newAdded: [String], removed newRemoved: [String]) {
        // A scan is cheaper than an index while both sides are small, as nearly all posts are.
        if (added.count + removed.count + 8) * (newAdded.count + newRemoved.count) <= Self.scanned {
            for member in newAdded where !Self.take(member, from: &removed) {
                if !added.contains(member) { added.append(member) }
            }
            for member in newRemoved where !Self.take(member, from: &added) {
                if !removed.contains(member) { removed.append(member) }
            }
        } else {
            var index = Index(added: added, removed: removed)
            for member in newAdded { index.append(member, isAdded: true) }
            for member in newRemoved { index.append(member, isAdded: false) }
            (added, removed) = index.lists
        }
    }

    /// How many comparisons a scan may cost.
    private static let scanned = 2048

    private static func take(_ member: String, from list: inout [String]) -> Bool {
        guard let place = list.firstIndex(of: member) else { return false }
        list.remove(at: place)
        return true
    }

    /// Both lists in the order of their members, with the place of each member by its name.
    private struct Index {
        private var entries: [(member: String, isAdded: Bool)?] = []
        private var places: [String: Int]

        init(added: [String], removed: [String]) {
            places = Dictionary(minimumCapacity: added.count + removed.count)
            entries.reserveCapacity(added.count + removed.count)
            for member in added { append(member, isAdded: true) }
            for member in removed { append(member, isAdded: false) }
        }

        mutating func append(_ member: String, isAdded: Bool) {
            if let place = places[member] {
                // The same again says nothing; the opposite takes it back.
                guard entries[place]?.isAdded != isAdded else { return }
                entries[place] = nil
                places[member] = nil
            } else {
                places[member] = entries.count
                entries.append((member, isAdded))
            }
        }

        var lists: (added: [String], removed: [String]) {
            var lists: (added: [String], removed: [String]) = ([], [])
            for case let entry? in entries {
                if entry.isAdded {
                    lists.added.append(entry.member)
                } else {
                    lists.removed.append(entry.member)
                }
            }
            return lists
        }
    }
}
