/// The connections that wait for the target, in the order in which they came.
struct WaitingQueue {
    /// A place of the table, and what is there.
    struct Entry {
        let slot: Int
        let generation: UInt32
    }

    private var entries: [Entry] = []
    private var head = 0

    var first: Entry? { head < entries.count ? entries[head] : nil }

    /// How many there are, those that have gone meanwhile among them.
    var count: Int { entries.count - head }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Drops those that have gone.
    mutating func keep(_ isThere: (Entry) -> Bool) {
        entries = entries[head...].filter(isThere)
        head = 0
    }

    mutating func removeFirst() {
        head += 1
        if head == entries.count {
            entries.removeAll(keepingCapacity: head < 1024)
            head = 0
        } else if head > 1024, head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }

    /// Puts one back that was first.
    mutating func restore(_ entry: Entry) {
        if head > 0 {
            head -= 1
            entries[head] = entry
        } else {
            entries.insert(entry, at: 0)
        }
    }
}
