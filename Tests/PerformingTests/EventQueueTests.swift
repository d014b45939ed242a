import Performing
import Testing

/// The order in which events have their turns.
@Suite struct `The queue of events` {
    @Test func `hands out what waits in the order in which it came`() {
        var queue = EventQueue<Int>()
        #expect(queue.isEmpty && queue.next() == nil)
        for number in 1...3 { queue.append(number) }
        #expect(!queue.isEmpty && queue.hasNext && queue.current == nil)
        #expect(queue.next() == 1)
        #expect(queue.current == 1)
        queue.append(4)
        #expect([queue.next(), queue.next(), queue.next(), queue.next()] == [2, 3, 4, nil])
        #expect(queue.isEmpty && queue.current == nil && queue.all.isEmpty)
    }

    @Test func `has what follows from an event before all that wait`() {
        var queue = EventQueue<String>()
        queue.append("first")
        queue.append("last")
        #expect(queue.next() == "first")
        queue.append("later")
        queue.follow(with: ["second", "third"])
        #expect(queue.hasNext)
        #expect((0..<5).map { _ in queue.next() } == ["second", "third", "last", "later", nil])
    }

    @Test func `has what follows in the order in which it was decided`() {
        var queue = EventQueue<String>()
        queue.append("waits")
        queue.follow(with: ["first", "third"])
        queue.follow(with: ["fourth"])
        #expect(queue.next() == "first")
        queue.follow(with: ["fifth"])
        #expect((0..<5).map { _ in queue.next() } == ["third", "fourth", "fifth", "waits", nil])
        queue.append("alone")
        #expect(queue.next() == "alone")
        queue.append("last")
        queue.follow(with: ["next"])
        #expect((0..<3).map { _ in queue.next() } == ["next", "last", nil])
    }

    @Test func `changes what waits and what is handled, not what was`() {
        var queue = EventQueue<Int>()
        for number in 1...3 { queue.append(number) }
        _ = queue.next()
        _ = queue.next()
        queue.modify { $0 *= 10 }
        #expect(queue.all == [1, 20, 30])
        #expect(queue.current == 20)
        #expect(queue.next() == 30)
        #expect(!queue.hasNext)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `agrees with a list that is taken from at its front`(_ seed: UInt64) {
        var random = Sequence32(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        var queue = EventQueue<UInt64>()
        var list: [UInt64] = []
        var followers: [UInt64] = []
        var present: UInt64?
        for number in 0..<2000 as Range<UInt64> {
            switch random.next() % 5 {
            case 0, 1:
                queue.append(number)
                list.append(number)
            case 2:
                queue.follow(with: [number, number + 10_000])
                followers += [number, number + 10_000]
            default:
                present = (followers + list).first
                if followers.isEmpty { list = [UInt64](list.dropFirst()) } else { followers.removeFirst() }
                #expect(queue.next() == present)
            }
            #expect(queue.current == present)
            #expect(queue.hasNext == !(followers + list).isEmpty)
            #expect(queue.isEmpty == (present == nil && (followers + list).isEmpty))
        }
    }
}

/// Numbers that are the same for the same seed (Marsaglia's xorshift).
private struct Sequence32 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state >> 8
    }
}
