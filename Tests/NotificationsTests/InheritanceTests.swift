import Testing

@testable import Notifications

/// Found by a walk (Tests/ShellWalk): a supervisor that is replaced before its disk has taken everything.
@Suite struct `What is kept of a queue that came from a supervisor before` {
    private func post(_ name: String, _ rule: MergeRule = .each, _ value: UInt8 = 0) throws -> Post {
        Post(try #require(Topic(name)), rule, payload: [value], at: 1)
    }

    private func sequences(of changes: [NotificationQueue.Change]) -> (put: [UInt64], deleted: [UInt64]) {
        var (put, deleted): ([UInt64], [UInt64]) = ([], [])
        for change in changes {
            switch change {
            case .put(let entry): put.append(entry.sequence)
            case .delete(let sequence): deleted.append(sequence)
            case .knows, .forgets: break
            }
        }
        return (put.sorted(), deleted.sorted())
    }

    @Test func `is nothing anew where the disk has it all`() throws {
        var queue = NotificationQueue()
        for _ in 0..<3 { _ = queue.post(try post("a")) }
        _ = queue.post(try post("b", .latest, 7))
        _ = queue.flush()
        _ = queue.post(try post("c"))
        let kept = NotificationQueue(restoring: queue.contents + queue.inFlight)
        _ = queue.takeChanges()
        queue.keepDifferences(from: kept)
        #expect(queue.takeChanges().isEmpty)
    }

    @Test func `is what the disk does not have, and not what is over`() throws {
        var queue = NotificationQueue()
        for _ in 0..<2 { _ = queue.post(try post("a")) }
        _ = queue.post(try post("b", .latest, 1))
        let kept = NotificationQueue(
            restoring: queue.contents, knowing: [try #require(Topic("old")): [1]])
        // The disk takes nothing from here on.
        _ = queue.flush()
        queue.taken()
        _ = queue.post(try post("a"))
        _ = queue.post(try post("b", .latest, 2))
        _ = queue.takeChanges()
        queue.keepDifferences(from: kept)
        let changes = queue.takeChanges()
        #expect(sequences(of: changes).put == [4, 5])
        #expect(sequences(of: changes).deleted == [1, 2, 3])
        #expect(changes.contains(.forgets(try #require(Topic("old")))))
    }

    @Test func `is an entry that has changed since, and nothing of what dies with the process`() throws {
        var queue = NotificationQueue()
        _ = queue.post(try post("b", .latest, 1))
        let kept = NotificationQueue(restoring: queue.contents)
        _ = queue.post(try post("b", .latest, 2))
        _ = queue.post(Post(try #require(Topic("gone")), .each, at: 1, survives: false))
        _ = queue.takeChanges()
        queue.keepDifferences(from: kept)
        let changes = queue.takeChanges()
        #expect(sequences(of: changes).put == [1] && sequences(of: changes).deleted.isEmpty)
        guard case .put(let entry)? = changes.first else { return }
        #expect(entry.payload == [2])
    }

    @Test func `is of its schedules what is due still, and no other`() throws {
        func entry(_ id: UInt64, due: Int64) throws -> ScheduleBook.Entry {
            ScheduleBook.Entry(id: id, try post("a"), wakes: false, due: due)
        }
        let kept = ScheduleBook(restoring: try [entry(1, due: 5), entry(2, due: 6), entry(3, due: 7)])
        let book = ScheduleBook(restoring: try [entry(2, due: 6), entry(3, due: 9), entry(4, due: 8)])
        let differences = book.differences(from: kept)
        #expect(differences.kept.map(\.id).sorted() == [3, 4] && differences.dropped == [1])
    }
}
