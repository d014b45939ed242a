package import Lifecycle

/// What is due at a time, soonest first; of what is due at one moment, the lesser key first.
///
/// A key has one moment at most. One that is not armed takes no room, and what a burst has taken is freed after it. Arming
/// (anew too), disarming and taking cost the logarithm of how many are armed.
package struct DueQueue<Key: Hashable & Comparable & Sendable>: Sendable {
    /// A key with its moment.
    package struct Entry: Hashable, Sendable {
        package let due: Instant
        /// What its arming was numbered with.
        package let generation: UInt32
        package let key: Key

        fileprivate func precedes(_ other: Entry) -> Bool {
            due == other.due ? key < other.key : due < other.due
        }

        fileprivate init(due: Instant, generation: UInt32, key: Key) {
            self.due = due
            self.generation = generation
            self.key = key
        }
    }

    /// A binary heap: no entry precedes the one that is its parent, at half its index.
    private var heap: [Entry] = []
    /// Where in the heap each key stands.
    private var places: [Key: Int32] = [:]
    /// Room for fewer entries is not worth freeing.
    private static var smallestRoom: Int { 256 }

    /// Nothing is due.
    package init() {}

    /// How many keys are armed.
    package var count: Int { heap.count }

    /// How many keys there is room for.
    package var room: Int { heap.capacity }

    /// The soonest moment at which something is due; nil when nothing is: asked for at every event.
    package private(set) var nextDue: Instant?

    /// When `key` is due; nil where it is not armed.
    package func due(of key: Key) -> Instant? { places[key].map { heap[Int($0)].due } }

    /// `key` is due at `due`, and at no other moment any more.
    package mutating func arm(_ key: Key, at due: Instant, generation: UInt32 = 0) {
        let entry = Entry(due: due, generation: generation, key: key)
        if let place = places[key] {
            put(entry, at: Int(place))
        } else {
            heap.append(entry)
            put(entry, at: heap.count - 1)
        }
    }

    /// `key` is not due any more.
    package mutating func disarm(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        remove(at: Int(place))
    }

    /// Takes off the soonest key, if its moment has come at `now`.
    package mutating func popDue(at now: Instant) -> Entry? {
        guard let nextDue, nextDue <= now, let first = heap.first else { return nil }
        places.removeValue(forKey: first.key)
        remove(at: 0)
        return first
    }

    private mutating func remove(at place: Int) {
        let last = heap.removeLast()
        if place < heap.count { put(last, at: place) }
        if heap.isEmpty { nextDue = nil }
        giveBackRoom()
    }

    /// Puts an entry into the place of another, and then where it belongs.
    private mutating func put(_ entry: Entry, at place: Int) {
        var place = place
        while place > 0, entry.precedes(heap[(place - 1) / 2]) {
            move(heap[(place - 1) / 2], to: place)
            place = (place - 1) / 2
        }
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(entry) else { break }
            move(heap[child], to: place)
            place = child
        }
        move(entry, to: place)
    }

    private mutating func move(_ entry: Entry, to place: Int) {
        if place == 0 { nextDue = entry.due }
        heap[place] = entry
        places[entry.key] = Int32(place)
    }

    private mutating func giveBackRoom() {
        guard heap.capacity > Self.smallestRoom, heap.count < heap.capacity / 4 else { return }
        var (entries, known): ([Entry], [Key: Int32]) = ([], [:])
        entries.reserveCapacity(2 * heap.count)
        entries += heap
        known.reserveCapacity(2 * heap.count)
        known.merge(places) { $1 }
        (heap, places) = (entries, known)
    }
}
