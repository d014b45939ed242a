internal import Lifecycle

/// What is going to happen, soonest first; of what is due at one moment, what was entered first.
struct Agenda<Item: Sendable>: Sendable {
    private struct Entry: Sendable {
        let due: Instant
        let number: UInt64
        let item: Item

        func precedes(_ other: Entry) -> Bool {
            due == other.due ? number < other.number : due < other.due
        }
    }

    /// A binary heap: no entry precedes the one at half its index.
    private var heap: [Entry] = []
    private var lastNumber: UInt64 = 0

    /// When the next thing is due; nil when nothing is.
    var next: Instant? { heap.first?.due }

    mutating func enter(_ item: Item, at due: Instant) {
        lastNumber += 1
        heap.append(Entry(due: due, number: lastNumber, item: item))
        var index = heap.count - 1
        while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes the next thing off.
    mutating func popFirst() -> (due: Instant, item: Item)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.due, first.item) }
        heap[0] = last
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].precedes(heap[smallest]) {
                smallest = child
            }
            guard smallest != index else { return (first.due, first.item) }
            heap.swapAt(index, smallest)
            index = smallest
        }
    }
}
