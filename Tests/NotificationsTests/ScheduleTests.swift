import Notifications
import TestSupport
import Testing

@Suite struct `The schedule of a worker` {
    private let second: Int64 = 1_000_000

    private func post(_ name: String = "tick") throws -> Post {
        Post(try #require(Topic(name)), .count, at: 0)
    }

    /// Takes all that is due off.
    private func due(_ book: inout ScheduleBook, at now: Int64) -> [UInt64] {
        var ids: [UInt64] = []
        while let (entry, _) = book.takeDue(at: now) { ids.append(entry.id) }
        return ids
    }

    @Test func `gives out what is due, the soonest first, and once`() throws {
        var book = ScheduleBook()
        for moment in [30, 10, 20, 10] as [Int64] {
            _ = try book.add(post(), wakes: false, at: moment * second, now: 0).get()
        }
        #expect(book.next == 10 * second)
        #expect(due(&book, at: 9 * second) == [])
        #expect(due(&book, at: 10 * second) == [2, 4])
        #expect(due(&book, at: 99 * second) == [3, 1])
        #expect(book.next == nil)
    }

    @Test func `refuses what has passed, what repeats too often, and the 65th`() throws {
        var book = ScheduleBook()
        func refusal(at due: Int64, every period: Int64? = nil) throws -> ScheduleBook.Refusal? {
            guard
                case .failure(let error) = book.add(
                    try post(), wakes: false, at: due, every: period, now: 100)
            else { return nil }
            return error.reason
        }
        #expect(try refusal(at: 100) == .past)
        #expect(try refusal(at: 200, every: second - 1) == .tooOften)
        for _ in 0..<64 { #expect(try refusal(at: 200, every: second) == nil) }
        #expect(try refusal(at: 200) == .full)
        book.cancel(7)
        #expect(try refusal(at: 200) == nil)
        #expect(book.entries.count == 64)
    }

    @Test func `repeats at its own beat, and says once what was missed`() throws {
        var book = ScheduleBook()
        _ = try book.add(post(), wakes: false, at: 10 * second, every: 10 * second, now: 0).get()
        #expect(due(&book, at: 10 * second + 3) == [1])
        #expect(book.next == 20 * second)
        // No supervisor ran for a while.
        #expect(due(&book, at: 1005 * second) == [1])
        #expect(book.next == 1010 * second)
    }

    @Test func `goes on within a period when the clock is set back`() throws {
        var book = ScheduleBook()
        _ = try book.add(post(), wakes: false, at: 1000 * second, every: 10 * second, now: 990 * second).get()
        let once = try book.add(post(), wakes: false, at: 2000 * second, now: 990 * second).get()
        let changed = book.clockSet(to: 5 * second)
        #expect(changed.map(\.due) == [10 * second])
        #expect(book.entries.map(\.due) == [10 * second, 2000 * second])
        #expect(book.entries.last == once)
        #expect(book.clockSet(to: 5 * second).isEmpty)
    }

    @Test func `never goes on past the end of time`() throws {
        var book = ScheduleBook()
        _ = try book.add(post(), wakes: false, at: .max - 1, every: second, now: 0).get()
        #expect(due(&book, at: .max) == [1])
        #expect(book.entries.isEmpty)
    }

    @Test func `is the same again when it is restored`() throws {
        var book = ScheduleBook()
        for moment in [30, 10, 20] as [Int64] {
            _ = try book.add(post(), wakes: true, at: moment, every: second, now: 0).get()
        }
        var restored = ScheduleBook(restoring: book.entries.shuffled())
        #expect(restored == book)
        #expect(try restored.add(post(), wakes: false, at: 5, now: 0).get().id == 4)
    }

    @Test func `gives out everything once, whatever the clock does`() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var book = ScheduleBook()
            var now: Int64 = 1000
            var open: Set<UInt64> = []
            for _ in 0..<300 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    let moment = now + .random(in: -5...200, using: &random)
                    if case .success(let entry) = book.add(try post(), wakes: false, at: moment, now: now) {
                        open.insert(entry.id)
                    }
                case 4:
                    if let id = open.randomElement(using: &random) {
                        #expect(book.cancel(id)?.id == id)
                        open.remove(id)
                    }
                case 5: now -= .random(in: 0...300, using: &random)
                default:
                    now += .random(in: 0...50, using: &random)
                    while let (entry, again) = book.takeDue(at: now) {
                        #expect(entry.due <= now && again == nil)
                        #expect(open.remove(entry.id) != nil, "seed \(seed): twice")
                    }
                }
                #expect(Set(book.entries.map(\.id)) == open)
                #expect(book.entries.map(\.due) == book.entries.map(\.due).sorted())
            }
        }
    }
}
