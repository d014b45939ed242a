/// What has been handed out to a worker and is not taken yet, in order.
///
/// An entry is found by its number and a `net` value by its topic without a search: a worker may have thousands in flight, and posts come
/// meanwhile.
struct Outgoing: Hashable, Sendable {
    private var entries: [QueuedNotification?] = []
    /// How many of them are not taken.
    private(set) var count = 0
    /// The place of each entry by its number; made when the first is taken by itself.
    private var places: [UInt64: Int]?
    /// The place of the last entry of each `net` topic.
    private var values: [Topic: Int] = [:]

    /// Nothing.
    init() {}

    /// These, in order.
    init(_ entries: [QueuedNotification]) {
        self.entries = entries
        count = entries.count
        for (place, entry) in entries.enumerated() where entry.rule == .net { values[entry.topic] = place }
    }

    /// Whether nothing is in flight.
    var isEmpty: Bool { count == 0 }

    /// Those that are not taken.
    var live: [QueuedNotification] { entries.compactMap(\.self) }

    /// The value that a worker knows of a `net` topic when it has taken all; nil where none is in flight.
    func value(of topic: Topic) -> [UInt8]?? {
        values[topic].flatMap { entries[$0].map(\.payload) }
    }

    /// Takes out the entry of this number; nil where it is not there.
    mutating func take(_ sequence: UInt64) -> QueuedNotification? {
        var index = places ?? makePlaces()
        places = nil
        defer { places = index }
        guard let place = index.removeValue(forKey: sequence), let entry = entries[place] else { return nil }
        entries[place] = nil
        count -= 1
        if values[entry.topic] == place { values[entry.topic] = nil }
        return entry
    }

    private func makePlaces() -> [UInt64: Int] {
        var places: [UInt64: Int] = [:]
        places.reserveCapacity(entries.count)
        for (place, entry) in entries.enumerated() { if let entry { places[entry.sequence] = place } }
        return places
    }
}
