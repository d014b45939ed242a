extension NotificationQueue {
    /// Has all kept in which this queue differs from what is `kept` of it, and nothing else.
    ///
    /// For a queue that came from a supervisor that was replaced before its disk had taken everything.
    package mutating func keepDifferences(from kept: NotificationQueue) {
        let entries = (contents + inFlight).filter(\.survives) + setAside
        let own = Set(entries.map(\.sequence))
        let stored = kept.contents + kept.inFlight + kept.setAside
        for entry in stored where !own.contains(entry.sequence) {
            marks.append(.other(.delete(entry.sequence)))
        }
        let before = Dictionary(stored.map { ($0.sequence, $0) }) { $1 }
        for entry in entries where before[entry.sequence] != entry {
            marks.append(entry.isSetAside ? .other(.put(entry)) : .put(entry.topic, entry.sequence))
        }
        for topic in kept.known.keys.sorted(by: { $0.name < $1.name }) where known[topic] == nil {
            marks.append(.other(.forgets(topic)))
        }
        for (topic, value) in known.sorted(by: { $0.key.name < $1.key.name }) where kept.known[topic] != value
        {
            marks.append(.other(.knows(topic, value)))
        }
    }
}

extension ScheduleBook {
    /// What has to be kept, and by its number what no longer, where so much is `kept` of a book that is this one now.
    package func differences(from kept: ScheduleBook) -> (kept: [Entry], dropped: [UInt64]) {
        let own = Set(entries.map(\.id))
        return (
            entries.filter { !kept.entries.contains($0) },
            kept.entries.map(\.id).filter { !own.contains($0) }
        )
    }
}
