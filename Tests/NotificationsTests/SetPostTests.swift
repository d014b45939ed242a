import TestSupport
import Testing

@testable import Notifications

@Suite struct `Posts of sets` {
    private func topic(_ name: String) throws -> Topic { try #require(Topic(name)) }

    private func names(_ range: Range<Int>) -> [String] { range.map { "member-\($0)" } }

    @Test func `are refused by their count, before any member is looked at`() throws {
        var queue = NotificationQueue()
        let ratio = try WorkRatio(from: 2000, to: 64_000) { size in
            let post = Post(try topic("a"), .set, added: names(0..<2), removed: names(2..<4), at: 1)
            var long = post
            long.added = [String](repeating: "x", count: size)
            for _ in 0..<1000 { #expect(queue.post(long) == .refused(.tooManyMembers)) }
        }
        #expect(ratio.value < 8, "a refusal costs the same whatever the size: \(ratio.value)")
        #expect(queue.isEmpty && queue.bytes == 0)
    }

    @Test func `cost as much more as they are longer, not the square of it`() throws {
        let topic = try topic("a")
        // Sixteen times as many members: 256 times the work where each is compared with each.
        let made = WorkRatio(from: 1000, to: 16_000) { size in
            let entry = QueuedNotification(
                Post(topic, .set, added: names(0..<size), removed: names(size / 2..<size), at: 1), sequence: 1
            )
            #expect(entry.added.count == size / 2)
        }
        #expect(made.value < 80, "making an entry: \(made.value)")
        let merged = WorkRatio(from: 1000, to: 16_000) { size in
            var entry = QueuedNotification(Post(topic, .set, added: names(0..<size), at: 1), sequence: 1)
            entry.absorb(
                QueuedNotification(Post(topic, .set, removed: names(0..<size), at: 2), sequence: 2))
            #expect(entry.members == 0)
        }
        #expect(merged.value < 80, "merging two: \(merged.value)")
    }

    @Test func `do not grow past the bound by merging`() throws {
        var queue = NotificationQueue()
        let topic = try topic("a")
        #expect(queue.post(Post(topic, .set, added: names(0..<1000), at: 1)) == .waits(1))
        #expect(queue.post(Post(topic, .set, added: names(1000..<1030), at: 2)) == .refused(.tooManyMembers))
        #expect(queue.post(Post(topic, .set, added: names(990..<1010), at: 3)) == .waits(1), "ten are known")
        #expect(queue.contents.first?.added.count == 1010)
        #expect(queue.post(Post(topic, .set, removed: names(0..<1010), at: 4)) == .vanished)
        #expect(queue.isEmpty && queue.bytes == 0)
    }

    /// What the rule says, member by member, the slow way.
    private func slowly(
        _ entry: (added: [String], removed: [String]), _ added: [String], _ removed: [String],
        _ replaced: [String]
    ) -> (added: [String], removed: [String]) {
        var entry = entry
        for member in added where !entry.added.contains(member) {
            if let place = entry.removed.firstIndex(of: member) {
                entry.removed.remove(at: place)
            } else if !entry.added.contains(member) {
                entry.added.append(member)
            }
        }
        for member in removed {
            if let place = entry.added.firstIndex(of: member) {
                entry.added.remove(at: place)
            } else if !entry.removed.contains(member) {
                entry.removed.append(member)
            }
        }
        // What came meanwhile is new in any case; what was there before is gone and there again.
        for member in replaced where !entry.added.contains(member) {
            if !entry.removed.contains(member) { entry.removed.append(member) }
            entry.added.append(member)
        }
        return entry
    }

    @Test(arguments: [3, 40, 300]) func `come to the same by an index as by a search`(_ variety: Int) {
        for seed in 0..<30 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var change = SetChange()
            var expected: (added: [String], removed: [String]) = ([], [])
            for _ in 0..<6 {
                func some() -> [String] {
                    let count = Int.random(in: 0..<variety, using: &random)
                    return (0..<count).map { _ in "m\(Int.random(in: 0..<variety, using: &random))" }
                }
                let (added, removed, replaced) = (some(), some(), some())
                change.apply(added: added, removed: removed, replaced: replaced)
                expected = slowly(expected, added, removed, replaced)
                #expect(change.added == expected.added && change.removed == expected.removed, "seed \(seed)")
            }
        }
    }

    struct Story: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// `+` came, `-` went, `~` changed.
        let acts: String
        let added: [String]
        let removed: [String]
    }

    @Test(arguments: [
        Story(testDescription: "came", acts: "+", added: ["p"], removed: []),
        Story(testDescription: "came and changed", acts: "+~", added: ["p"], removed: []),
        Story(testDescription: "came, changed and went", acts: "+~-", added: [], removed: []),
        Story(testDescription: "changed", acts: "~", added: ["p"], removed: ["p"]),
        Story(testDescription: "changed twice", acts: "~~", added: ["p"], removed: ["p"]),
        Story(testDescription: "changed and went", acts: "~-", added: [], removed: ["p"]),
        Story(testDescription: "went", acts: "-", added: [], removed: ["p"]),
        Story(testDescription: "went and came", acts: "-+", added: [], removed: []),
        Story(testDescription: "went, came and changed", acts: "-+~", added: ["p"], removed: ["p"]),
        Story(testDescription: "changed, went and came", acts: "~-+~", added: ["p"], removed: ["p"]),
    ])
    func `tell what has become of a member since the worker slept`(_ story: Story) throws {
        let topic = try topic("paths")
        func post(_ act: Character) -> Post {
            var post = Post(topic, .set, at: 1)
            switch act {
            case "+": post.added = ["p"]
            case "-": post.removed = ["p"]
            default: post.replaced = ["p"]
            }
            return post
        }
        var queue = NotificationQueue()
        for act in story.acts { _ = queue.post(post(act)) }
        #expect(queue.contents.flatMap(\.added) == story.added)
        #expect(queue.contents.flatMap(\.removed) == story.removed)
        // The same when some of it was handed out already and came back, entry by entry.
        if let first = story.acts.first {
            var merged = QueuedNotification(post(first), sequence: 1)
            for act in story.acts.dropFirst() { merged.absorb(QueuedNotification(post(act), sequence: 2)) }
            #expect(merged.added == story.added && merged.removed == story.removed)
        }
    }

    @Test func `leave what is in flight to be found without a search`() throws {
        let topics = try (0..<200).map { try topic("t\($0)") }
        let ratio = WorkRatio(from: 500, to: 8000) { size in
            var queue = NotificationQueue()
            for number in 0..<size {
                _ = queue.post(Post(topics[number % topics.count], .each, at: Int64(number)))
            }
            let taken = queue.flush().reversed().filter { queue.taken($0.sequence) }
            #expect(taken.count == size && !queue.isInFlight && queue.bytes == 0)
        }
        #expect(ratio.value < 80, "taking each by its number: \(ratio.value)")
    }
}
