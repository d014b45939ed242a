import Testing

@testable import Notifications

/// What was handed out and not taken: the worker may know it or not, so that what undoes it is told (2.4: the last thing told is
/// always the truth).
@Suite struct `What has come back` {
    private static let value = known("value")
    private static let files = known("files")

    private static func known(_ name: String) -> Topic { Topic(name) ?? Topic(.pathsChanged) }

    private func net(_ value: UInt8, _ topic: Topic = value) -> Post {
        Post(topic, .net, payload: [value], at: 1)
    }

    private func set(_ added: [String] = [], removed: [String] = []) -> Post {
        Post(Self.files, .set, added: added, removed: removed, at: 1)
    }

    /// The ways in which a worker does not take what it was handed.
    private static let ways: [(String, @Sendable (inout NotificationQueue) -> Void)] = [
        ("it refuses it", { $0.returned() }),
        ("it dies", { $0.processEnded() }),
        ("it dies of it", { queue in queue.processEnded(blaming: Set(queue.inFlight.map(\.sequence))) }),
        (
            "its supervisor is killed",
            { queue in
                queue = NotificationQueue(
                    restoring: queue.contents + queue.inFlight, knowing: queue.knownValues,
                    after: queue.lastSequence)
            }
        ),
        (
            "its supervisor is replaced",
            { queue in
                queue.returned()
                queue = NotificationQueue(
                    restoring: queue.contents, inFlight: [], knowing: queue.knownValues,
                    after: queue.lastSequence)
            }
        ),
    ]

    @Test func `is undone by the value that was known before only with a word, until one is taken`() {
        for (way, comesBack) in Self.ways {
            var queue = NotificationQueue()
            _ = queue.post(net(1))
            _ = queue.flush()
            queue.taken()
            _ = queue.post(net(2))
            #expect(queue.flush().map(\.payload) == [[2]])
            comesBack(&queue)
            guard case .waits = queue.post(net(1)) else {
                Issue.record("\(way): the worker is not told of what it knew before")
                continue
            }
            #expect(queue.flush().map(\.payload) == [[1]], "\(way)")
            queue.taken()
            // Now it knows.
            _ = queue.post(net(3))
            #expect(queue.post(net(1)) == .vanished, "\(way)")
        }
    }

    @Test func `of a set is undone with a word for its members, and without one for others`() {
        for (way, comesBack) in Self.ways {
            var queue = NotificationQueue()
            _ = queue.post(set(["a"], removed: ["b"]))
            #expect(queue.flush().count == 1)
            comesBack(&queue)
            _ = queue.post(set(["b", "c"], removed: ["a"]))
            _ = queue.post(set(removed: ["c"]))
            let entry = queue.flush().first
            #expect(entry?.added == ["b"] && entry?.removed == ["a"], "\(way): \(String(describing: entry))")
            queue.taken()
            #expect(queue.isEmpty && queue.bytes == 0, "\(way)")
            _ = queue.post(set(["a"]))
            #expect(queue.post(set(removed: ["a"])) == .vanished, "\(way)")
        }
    }

    @Test func `of a set may be undone while it is out, and done again`() {
        var queue = NotificationQueue()
        _ = queue.post(set(["a"]))
        _ = queue.flush()
        // Another entry, as if the first were taken.
        _ = queue.post(set(removed: ["a"]))
        queue.returned()
        #expect(queue.contents.map(\.removed) == [["a"]] && queue.contents.map(\.added) == [[]])
        _ = queue.post(set(["a"]))
        #expect(queue.contents.map(\.added) == [["a"]] && queue.contents.map(\.removed) == [[]])
    }

    @Test func `that never was out is undone without a word`() {
        var queue = NotificationQueue()
        _ = queue.post(net(1))
        _ = queue.flush()
        queue.taken()
        _ = queue.post(net(2))
        _ = queue.post(set(["a"]))
        #expect(queue.post(net(1)) == .vanished && queue.post(set(removed: ["a"])) == .vanished)
        #expect(queue.isEmpty)
    }

    @Test func `is dropped by an operator, and what comes after it is told`() {
        var queue = NotificationQueue()
        _ = queue.post(net(1))
        _ = queue.flush()
        queue.taken()
        _ = queue.post(net(2))
        let sequence = queue.flush().first?.sequence ?? 0
        #expect(queue.drop(sequence) != nil)
        #expect(queue.post(net(1)) != .vanished)
    }

    @Test func `is not remembered on the disk as what the worker knows`() {
        var queue = NotificationQueue()
        _ = queue.post(net(1))
        _ = queue.flush()
        queue.taken()
        _ = queue.post(net(2))
        _ = queue.flush()
        _ = queue.takeChanges()
        queue.returned()
        #expect(queue.takeChanges() == [.forgets(Self.value)])
        #expect(queue.knownValues.isEmpty)
    }

    @Test func `keeps its members known to the worker where a post that merged with it is taken back`() {
        var queue = NotificationQueue()
        _ = queue.post(set(["a"]))
        let (_, trace) = queue.postTraced(set(["b"]))
        _ = queue.flush()
        queue.returned()
        #expect(trace.map { queue.withdraw($0) } == true)
        _ = queue.post(set(removed: ["a"]))
        #expect(queue.contents.map(\.removed) == [["a"]])
    }
}
