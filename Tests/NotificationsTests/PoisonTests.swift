import TestSupport
import Testing

@testable import Notifications

@Suite struct `A notification in whose delivery the worker dies` {
    private func topic(_ name: String) throws -> Topic { try #require(Topic(name)) }

    private func queue(of topics: String..., limits: NotificationQueue.Limits = .init()) throws
        -> NotificationQueue
    {
        var queue = NotificationQueue(limits: limits)
        for (time, name) in topics.enumerated() {
            _ = queue.post(Post(try topic(name), .each, payload: [UInt8(time)], at: Int64(time)))
        }
        return queue
    }

    @Test func `is found among others, which are taken, and is set aside`() throws {
        var queue = try queue(of: "a", "bad", "c")
        #expect(queue.flush(apart: true).map(\.topic.name) == ["a", "bad", "c"])
        #expect(queue.processEnded(blaming: [1, 2, 3]).setAside.isEmpty)
        _ = queue.post(Post(try topic("d"), .each, at: 9))
        // Each by itself from now on, and what has come meanwhile is handed out when they are judged.
        #expect(queue.flush(apart: true).map(\.topic.name) == ["a"])
        queue.taken()
        #expect(queue.flush(apart: true).map(\.topic.name) == ["bad"])
        let poisoning = queue.processEnded(blaming: [2])
        #expect(poisoning.setAside.map(\.sequence) == [2])
        #expect(queue.setAside.map(\.topic.name) == ["bad"])
        #expect(queue.flush(apart: true).map(\.topic.name) == ["c"])
        queue.taken()
        #expect(queue.flush(apart: true).map(\.topic.name) == ["d"])
        queue.taken()
        #expect(queue.isEmpty && queue.bytes == 0)
        #expect(queue.setAside.map(\.deaths) == [2])
    }

    @Test func `is kept as set aside, and restored so`() throws {
        var queue = try queue(of: "bad")
        for _ in 0..<2 {
            _ = queue.flush(apart: true)
            queue.processEnded(blaming: [1])
        }
        let kept = queue.takeChanges().compactMap { change -> QueuedNotification? in
            if case .put(let entry) = change { entry } else { nil }
        }
        #expect(kept.last?.isSetAside == true && kept.last?.deaths == 2)
        var restored = NotificationQueue(restoring: [try #require(kept.last)])
        #expect(restored.isEmpty && restored.flush().isEmpty && restored.bytes == 0)
        #expect(restored.setAside == queue.setAside)
        var late = NotificationQueue()
        late.restore([try #require(kept.last)], after: 1)
        #expect(late.setAside == queue.setAside && late.isEmpty)
        #expect(late.post(Post(try topic("a"), .each, at: 1)) == .waits(2))
    }

    @Test func `waits in its place again when what came after it comes back`() throws {
        var queue = try queue(of: "a", "a")
        for _ in 0..<2 {
            _ = queue.flush(apart: true)
            queue.processEnded(blaming: [1])
        }
        _ = queue.takeChanges()
        #expect(queue.flush().map(\.sequence) == [2])
        #expect(queue.retry(1) == true)
        queue.processEnded(blaming: [2])
        #expect(queue.contents.map(\.sequence) == [1, 2])
        let kept = queue.takeChanges().compactMap { if case .put(let entry) = $0 { entry } else { nil } }
        #expect(kept.last { $0.sequence == 2 }?.deaths == 1, "and its death is kept")
    }

    @Test func `is delivered once more when that is asked, and set aside again by one more death`() throws {
        var queue = try queue(of: "a", "a", "a")
        for _ in 0..<2 {
            _ = queue.flush(apart: true)
            queue.processEnded(blaming: [1])
        }
        #expect(queue.setAside.map(\.sequence) == [1])
        let retries = [queue.retry(2), queue.retry(1), queue.retry(1)]
        #expect(retries == [false, true, false])
        #expect(queue.contents.map(\.sequence) == [1, 2, 3], "in its place")
        #expect(queue.flush(apart: true).map(\.sequence) == [1])
        #expect(queue.processEnded(blaming: [1]).setAside.map(\.sequence) == [1])
        #expect(queue.retry(1) == true)
        _ = queue.flush(apart: true)
        queue.taken()
        #expect(queue.setAside.isEmpty && queue.flush(apart: true).map(\.sequence) == [2, 3])
        queue.taken()
        #expect(queue.bytes == 0)
    }

    @Test func `is removed wherever it is`() throws {
        var queue = try queue(of: "a", "b", "c")
        for _ in 0..<2 {
            _ = queue.flush(apart: true)
            queue.processEnded(blaming: [1])
        }
        #expect(queue.drop(1)?.topic.name == "a" && queue.setAside.isEmpty)
        #expect(queue.drop(1) == nil)
        #expect(queue.drop(2)?.topic.name == "b")
        #expect(queue.flush().map(\.topic.name) == ["c"])
        #expect(queue.drop(3)?.topic.name == "c" && !queue.isInFlight)
        #expect(queue.bytes == 0 && queue.isEmpty)
        var kept: Set<UInt64> = [1, 2, 3]
        for change in queue.takeChanges() {
            switch change {
            case .put(let entry): kept.insert(entry.sequence)
            case .delete(let number): kept.remove(number)
            case .knows, .forgets: break
            }
        }
        #expect(kept.isEmpty)
    }

    @Test func `does not take with it what came after it`() throws {
        var queue = NotificationQueue()
        let state = try topic("state")
        _ = queue.post(Post(state, .latest, payload: [1], at: 1))
        for _ in 0..<2 {
            _ = queue.flush(apart: true)
            _ = queue.post(Post(state, .latest, payload: [2], at: 2))
            queue.processEnded(blaming: [1])
        }
        #expect(queue.setAside.map(\.sequence) == [1])
        #expect(queue.contents.map(\.payload) == [[2]], "posted while it was delivered for the last time")
        #expect(queue.contents.map(\.deaths) == [0])
    }

    @Test func `is one of sixty-four at most, the oldest being removed`() throws {
        var limits = NotificationQueue.Limits()
        limits.setAside = 2
        var queue = try queue(of: "a", "b", "c", limits: limits)
        _ = queue.flush(apart: true)
        queue.processEnded(blaming: [1, 2, 3])
        _ = queue.takeChanges()
        for number in 1...3 as ClosedRange<UInt64> {
            _ = queue.flush(apart: true)
            let poisoning = queue.processEnded(blaming: [number])
            #expect(poisoning.removed.map(\.sequence) == (number == 3 ? [1] : []))
        }
        #expect(queue.setAside.map(\.sequence) == [2, 3])
        #expect(queue.takeChanges().contains(.delete(1)))
    }

    @Test func `is not set aside where it does not outlive the process`() {
        var queue = NotificationQueue()
        _ = queue.post(Post(Topic(.settingsChanged), .count, at: 1))
        _ = queue.flush(apart: true)
        #expect(queue.processEnded(blaming: [1]) == NotificationQueue.Poisoning())
        #expect(queue.isEmpty && queue.bytes == 0)
    }

    /// Seeded walks: whatever is posted, handed out and died of, all of it is somewhere once, what is kept is what there is, and a worker
    /// that dies of one thing only gets everything else.
    @Test(arguments: 0..<20) func `keeps nothing else from the worker`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var queue = NotificationQueue()
        var mirror: [UInt64: QueuedNotification] = [:]
        var (posted, taken): (Set<UInt64>, Set<UInt64>) = ([], [])
        func isPoison(_ number: UInt64) -> Bool { number % 7 == 3 }
        func deliver() {
            let out = queue.flush(apart: true).map(\.sequence)
            if out.contains(where: isPoison) {
                queue.processEnded(blaming: Set(out))
            } else {
                queue.taken()
                taken.formUnion(out)
            }
        }
        for step in 0..<600 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let name = try topic(["a", "b", "c"].randomElement(using: &random) ?? "a")
                guard case .waits(let number) = queue.post(Post(name, .each, at: Int64(step))) else {
                    Issue.record("it was refused")
                    continue
                }
                posted.insert(number)
            case 4..<9: deliver()
            default:
                guard let number = queue.setAside.randomElement(using: &random)?.sequence else { continue }
                if Bool.random(using: &random) {
                    #expect(queue.retry(number) == true)
                } else {
                    queue.drop(number)
                    posted.remove(number)
                }
            }
            for change in queue.takeChanges() {
                switch change {
                case .put(let entry): mirror[entry.sequence] = entry
                case .delete(let sequence): mirror[sequence] = nil
                case .knows, .forgets: break
                }
            }
            let all = queue.inFlight + queue.contents + queue.setAside
            #expect(mirror == Dictionary(uniqueKeysWithValues: all.map { ($0.sequence, $0) }))
            #expect(queue.setAside.allSatisfy { isPoison($0.sequence) && $0.isSetAside && $0.deaths > 1 })
            #expect((queue.inFlight + queue.contents).allSatisfy { !$0.isSetAside })
            #expect(
                queue.bytes == (queue.inFlight + queue.contents).reduce(0) { $0 + $1.size },
                "seed \(seed), step \(step)")
            if queue.setAside.count < queue.limits.setAside {
                #expect(Set(all.map(\.sequence)).union(taken) == posted)
            }
        }
        while !queue.isEmpty { deliver() }
        #expect(posted.subtracting(taken).allSatisfy(isPoison))
    }
}
