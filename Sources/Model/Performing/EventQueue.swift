/// Events that wait for their turn, each with the worker that it is for.
///
/// They are handled in the order in which they came; what follows from one for others comes before all that wait, but for what follows
/// already: that was decided before. An event that comes while one is handled waits too, so that no model is asked in the middle of its own
/// effects.
package struct EventQueue<Entry> {
    private var entries: [Entry] = []
    /// The one that is handled now, or is to be next.
    private var position = 0
    /// Whether the entry at `position` is being handled.
    private var isHandling = false
    /// How many of those that come next follow from something, and have not begun their turn.
    private var followers = 0

    /// Nothing waits.
    package init() {}

    /// Whether nothing waits and nothing is handled.
    package var isEmpty: Bool { position == entries.count }

    /// The event that is handled now; nil between two.
    package var current: Entry? { isHandling ? entries[position] : nil }

    /// Whether more wait than the one that is handled now.
    package var hasNext: Bool { position + (isHandling ? 1 : 0) < entries.count }

    /// Adds an event behind all that wait.
    package mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Adds events in their order before all that wait, and behind those that were added so: what follows from the one that is handled now.
    package mutating func follow(with events: [Entry]) {
        guard !events.isEmpty else { return }
        entries.insert(contentsOf: events, at: position + (isHandling ? 1 : 0) + followers)
        followers += events.count
    }

    /// Ends the turn of the present event and begins that of the next; nil where none waits.
    package mutating func next() -> Entry? {
        if isHandling {
            isHandling = false
            position += 1
        }
        guard position < entries.count else {
            // A burst does not keep its room.
            entries.removeAll(keepingCapacity: entries.count < 64)
            position = 0
            return nil
        }
        isHandling = true
        if followers > 0 { followers -= 1 }
        return entries[position]
    }

    /// Changes the event that is handled and those that wait.
    package mutating func modify(_ body: (inout Entry) -> Void) {
        for index in entries.indices.dropFirst(position) { body(&entries[index]) }
    }

    /// Those that have had their turn since the queue was empty, and those that have not, in order.
    package var all: [Entry] { entries }
}

extension EventQueue: Sendable where Entry: Sendable {}
