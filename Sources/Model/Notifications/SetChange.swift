/// Members of a set that came and members that went, as several changes in a row add up (2.4, `set`).
///
/// Pure. A member that came and went again is in neither list; one that was there, and is there as another, is in both. The lists keep
/// the order in which the members came in. The work grows with the number of members, not with its square.
struct SetChange: Hashable, Sendable {
    /// Members that were added in the end.
    private(set) var added: [String]
    /// Members that were removed in the end.
    private(set) var removed: [String]

    /// A change by its parts; no member is in one of them twice.
    init(added: [String] = [], removed: [String] = []) {
        self.added = added
        self.removed = removed
    }

    /// Takes in a later change: its added members first, then those removed, then those that were replaced.
    mutating func apply(added newAdded: [String], removed newRemoved: [String], replaced: [String] = []) {
        // A scan is cheaper than an index while both sides are small, as nearly all posts are.
        let news = newAdded.count + newRemoved.count + replaced.count
        if (added.count + removed.count + 8) * news <= Self.scanned {
            for member in newAdded where !added.contains(member) {
                if !Self.take(member, from: &removed) { added.append(member) }
            }
            for member in newRemoved {
                let wasAdded = Self.take(member, from: &added)
                if !wasAdded, !removed.contains(member) { removed.append(member) }
            }
            for member in replaced where !added.contains(member) {
                if !removed.contains(member) { removed.append(member) }
                added.append(member)
            }
        } else {
            var index = Index(added: added, removed: removed)
            for member in newAdded { index.add(member) }
            for member in newRemoved { index.remove(member) }
            for member in replaced { index.replace(member) }
            (added, removed) = (index.added.list, index.removed.list)
        }
    }

    /// How many comparisons a scan may cost.
    private static let scanned = 2048

    private static func take(_ member: String, from list: inout [String]) -> Bool {
        guard let place = list.firstIndex(of: member) else { return false }
        list.remove(at: place)
        return true
    }

    /// One list in the order of its members, with the place of each member by its name.
    private struct Ordered {
        private var entries: [String?] = []
        private var places: [String: Int] = [:]

        init(_ members: [String]) {
            entries.reserveCapacity(members.count)
            for member in members { append(member) }
        }

        func contains(_ member: String) -> Bool { places[member] != nil }

        mutating func append(_ member: String) {
            guard places[member] == nil else { return }
            places[member] = entries.count
            entries.append(member)
        }

        mutating func take(_ member: String) -> Bool {
            guard let place = places.removeValue(forKey: member) else { return false }
            entries[place] = nil
            return true
        }

        var list: [String] { entries.compactMap(\.self) }
    }

    /// Both lists, by the same rules.
    private struct Index {
        var added: Ordered
        var removed: Ordered

        init(added: [String], removed: [String]) {
            self.added = Ordered(added)
            self.removed = Ordered(removed)
        }

        mutating func add(_ member: String) {
            if !added.contains(member), !removed.take(member) { added.append(member) }
        }

        mutating func remove(_ member: String) {
            if !added.take(member) { removed.append(member) }
        }

        mutating func replace(_ member: String) {
            guard !added.contains(member) else { return }
            removed.append(member)
            added.append(member)
        }
    }
}
