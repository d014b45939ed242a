import TestSupport
import Testing

@testable import Notifications

@Suite struct `The queue of notifications` {
    private static let settings = Topic(.settingsChanged)

    private func topic(_ name: String) throws -> Topic { try #require(Topic(name)) }

    @Test func `makes fifty changes of the settings one`() {
        var queue = NotificationQueue()
        for time in 1...50 { _ = queue.post(Post(Self.settings, .count, at: Int64(time))) }
        let entries = queue.flush()
        #expect(entries.count == 1)
        #expect(entries.first?.count == 50)
        #expect(entries.first?.first == 1 && entries.first?.last == 50)
    }

    @Test func `forgets a network that is as it was`() {
        var queue = NotificationQueue()
        let net = Topic(.networkChanged)
        _ = queue.post(Post(net, .net, payload: [1], at: 1))
        _ = queue.flush()
        queue.taken()
        #expect(queue.post(Post(net, .net, payload: [2], at: 2)) == .waits(2))
        #expect(queue.post(Post(net, .net, payload: [1], at: 3)) == .vanished)
        #expect(queue.isEmpty && queue.bytes == 0)
        _ = queue.post(Post(net, .net, payload: [3], at: 4))
        #expect(queue.flush().map(\.payload) == [[3]])
    }

    @Test func `forgets a device that came and went`() {
        var queue = NotificationQueue()
        let devices = Topic(.devicesChanged)
        _ = queue.post(Post(devices, .set, added: ["sda"], at: 1))
        #expect(queue.post(Post(devices, .set, removed: ["sda"], at: 2)) == .vanished)
        _ = queue.post(Post(devices, .set, added: ["sdb"], removed: ["sdc"], at: 3))
        let entry = queue.flush().first
        #expect(entry?.added == ["sdb"] && entry?.removed == ["sdc"])
    }

    @Test func `hands out the oldest topic first, and each in order`() throws {
        var queue = NotificationQueue()
        let (a, b) = (try topic("a"), try topic("b"))
        for (time, topic) in [a, b, a, b].enumerated() {
            _ = queue.post(Post(topic, .each, payload: [UInt8(time)], at: Int64(time)))
        }
        let entries = queue.flush()
        #expect(entries.map(\.topic) == [a, a, b, b])
        #expect(entries.map(\.payload) == [[0], [2], [1], [3]])
        #expect(queue.flush().isEmpty, "something is in flight")
    }

    @Test func `folds what is too much, and says how much that was`() throws {
        var limits = NotificationQueue.Limits()
        limits.each = 3
        var queue = NotificationQueue(limits: limits)
        for time in 1...10 { _ = queue.post(Post(try topic("a"), .each, at: Int64(time))) }
        let entries = queue.flush()
        #expect(entries.map(\.first) == [8, 9, 10])
        #expect(entries.map(\.dropped) == [7, 0, 0])
    }

    @Test func `refuses what it has no room for, and a rule that is not the topic's`() throws {
        var limits = NotificationQueue.Limits()
        limits.topics = 1
        limits.bytes = 1000
        limits.members = 2
        var queue = NotificationQueue(limits: limits)
        #expect(queue.post(Post(Self.settings, .each, at: 1)) == .refused(.wrongRule))
        #expect(
            queue.post(Post(Topic(.devicesChanged), .set, added: ["a", "b", "c"], at: 1))
                == .refused(.tooManyMembers))
        _ = queue.post(Post(try topic("a"), .latest, at: 1))
        #expect(queue.post(Post(try topic("b"), .latest, at: 1)) == .refused(.tooManyTopics))
        let big = [UInt8](repeating: 0, count: 1000)
        #expect(queue.post(Post(try topic("a"), .latest, payload: big, at: 1)) == .refused(.full))
        #expect(queue.count == 1)
    }

    @Test func `lets what is the process's own die with it`() throws {
        var queue = NotificationQueue()
        _ = queue.post(Post(Self.settings, .count, at: 1))
        _ = queue.post(Post(try topic("a"), .count, at: 2))
        _ = queue.post(Post(try topic("b"), .count, at: 3, survives: false))
        _ = queue.flush()
        queue.processEnded()
        #expect(queue.flush().map(\.topic.name) == ["a"])
    }

    @Test func `takes in late what was kept before, in front of what has come meanwhile`() throws {
        var queue = NotificationQueue(restoring: [], after: 1000)
        let (chat, cache, net) = (try topic("chat"), try topic("cache"), try topic("net"))
        _ = queue.post(Post(chat, .each, payload: [9], at: 9, survives: false))
        _ = queue.post(Post(cache, .latest, payload: [9], at: 9, survives: false))
        _ = queue.post(Post(net, .net, payload: [1], at: 9, survives: false))
        let kept = [(1, chat, MergeRule.each), (2, cache, .latest), (3, chat, .each), (4, net, .net)].map {
            QueuedNotification(
                sequence: UInt64($0), topic: $1, rule: $2, count: 1, first: 1, last: 1, payload: [UInt8($0)])
        }
        _ = queue.takeChanges()
        queue.restore(kept.reversed(), knowing: [net: [1]], after: 7)
        let entries = queue.contents
        #expect(entries.map(\.sequence) == [1, 3, 1001, 2, 4])
        // The network is as the worker knew it, but it may have been handed what was kept.
        #expect(entries.map(\.payload) == [[1], [3], [9], [9], [1]])
        #expect(entries.suffix(2).allSatisfy { $0.count == 2 && $0.survives })
        #expect(queue.bytes == entries.reduce(0) { $0 + $1.size })
        let changes = queue.takeChanges()
        #expect(changes == entries.suffix(2).map { .put($0) })
        #expect(queue.post(Post(chat, .each, at: 10)) == .waits(1004))
    }

    /// Random histories against the oracle, with everything that is kept mirrored from the changes alone.
    @Test(arguments: 0..<40) func `says what the whole history says`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var limits = NotificationQueue.Limits()
        limits.each = 5
        var queue = NotificationQueue(limits: limits)
        var oracle = Oracle(each: 5)
        var there: [Topic: Set<String>] = [:]
        var mirror: [UInt64: QueuedNotification] = [:]
        let rules: [(Topic, MergeRule)] =
            try MergeRule.allCases.map { (try topic("own.\($0.rawValue)"), $0) }
            + [(Topic(.networkChanged), .net), (Topic(.devicesChanged), .set), (Self.settings, .count)]
        for step in 0..<4000 {
            let time = Int64(step)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<80:
                guard let (topic, rule) = rules.randomElement(using: &random) else { continue }
                let member = ["a", "b", "c"].randomElement(using: &random).map { [$0] } ?? []
                // What is there can only go, and what is not can only come.
                let isAdded = rule == .set && there[topic, default: []].isDisjoint(with: member)
                if rule == .set { there[topic, default: []].formSymmetricDifference(member) }
                let post = Post(
                    topic, rule, payload: rule == .set ? nil : [UInt8.random(in: 0..<3, using: &random)],
                    added: rule == .set && isAdded ? member : [],
                    removed: rule == .set && !isAdded ? member : [], at: time,
                    survives: rule != .latest)
                let outcome = queue.post(post)
                if case .refused(let reason) = outcome { Issue.record("seed \(seed): \(reason)") }
                oracle.post(post)
            case 80..<90:
                guard queue.inFlight.isEmpty else { continue }
                let expected = oracle.waiting
                let entries = queue.flush()
                compare(entries, expected, counts: !oracle.cameBack, "seed \(seed), step \(step)")
                #expect(entries.map(\.sequence).count == Set(entries.map(\.sequence)).count)
                oracle.flush()
            case 90..<96:
                queue.taken()
                oracle.taken()
            case 96..<99:
                queue.returned()
                oracle.returned()
            default:
                queue.processEnded()
                oracle.processEnded()
            }
            for change in queue.takeChanges() {
                switch change {
                case .put(var entry):
                    entry.told = []
                    mirror[entry.sequence] = entry
                case .delete(let sequence): mirror[sequence] = nil
                case .knows, .forgets: break
                }
            }
            let all = queue.inFlight + queue.contents
            #expect(queue.bytes == all.reduce(0) { $0 + $1.size })
            // What the worker may have been told is not kept: whoever reads it takes all of it for that.
            let kept = Dictionary(
                uniqueKeysWithValues: all.filter(\.survives).map { entry in
                    var entry = entry
                    entry.told = []
                    return (entry.sequence, entry)
                })
            guard mirror == kept else {
                Issue.record("seed \(seed), step \(step): what is kept is not what there is")
                return
            }
        }
    }

    private func compare(
        _ entries: [QueuedNotification], _ expected: [Oracle.Expected], counts: Bool, _ place: String
    ) {
        func sorted(_ list: [Oracle.Expected]) -> [Oracle.Expected] {
            list.sorted { ($0.topic, $0.last) < ($1.topic, $1.last) }
        }
        let actual = entries.map { entry in
            Oracle.Expected(
                topic: entry.topic, rule: entry.rule, payload: entry.payload, added: Set(entry.added),
                removed: Set(entry.removed), dropped: entry.dropped, count: entry.count, first: entry.first,
                last: entry.last)
        }
        let (a, b) = (sorted(actual), sorted(expected))
        guard !counts else {
            if a != b { Issue.record("\(place):\n\(a)\nexpected\n\(b)") }
            return
        }
        // What came back merged apart from what came meanwhile: the outcome is the same, the history behind it is told
        // apart.
        let same =
            a.map(\.topic) == b.map(\.topic) && a.map(\.added) == b.map(\.added)
            && a.map(\.removed) == b.map(\.removed) && a.map(\.payload) == b.map(\.payload)
        if !same { Issue.record("\(place), after a return:\n\(a)\nexpected\n\(b)") }
    }
}
