import Testing

@testable import Notifications

/// A post that could not be kept is taken back, and what waits is as it was before.
@Suite struct `A post is taken back` {
    private func post(
        _ rule: MergeRule, _ payload: String? = nil, added: [String] = [], removed: [String] = []
    ) throws -> Post {
        Post(
            try #require(Topic("topic")), rule, payload: payload.map { Array($0.utf8) }, added: added,
            removed: removed, at: 0, survives: true)
    }

    /// Posts `first`, if any, then `second`, takes that back, and answers what waits before and after.
    private func outcome(_ first: Post?, _ second: Post) throws -> (
        before: NotificationQueue, after: NotificationQueue
    ) {
        var queue = NotificationQueue()
        if let first { _ = queue.post(first) }
        let before = queue
        let posted = queue.postTraced(second).trace
        let trace = try #require(posted)
        #expect(queue.contents != before.contents)
        let isBack = queue.withdraw(trace)
        #expect(isBack)
        return (before, queue)
    }

    @Test(arguments: MergeRule.allCases) func `whatever its rule`(_ rule: MergeRule) throws {
        let first = try post(rule, rule == .set ? nil : "1", added: rule == .set ? ["a"] : [])
        let second = try post(rule, rule == .set ? nil : "2", added: rule == .set ? ["b"] : [])
        for earlier in [nil, first] {
            let (before, after) = try outcome(earlier, second)
            #expect(after.contents == before.contents)
            #expect(after.bytes == before.bytes)
        }
    }

    @Test func `where it has undone what waited`() throws {
        let (before, after) = try outcome(
            try post(.set, added: ["a"]), try post(.set, removed: ["a"]))
        #expect(after.contents == before.contents && after.bytes == before.bytes)
    }

    @Test func `but not where it was handed out`() throws {
        var queue = NotificationQueue()
        let posted = queue.postTraced(try post(.each, "1")).trace
        let trace = try #require(posted)
        _ = queue.flush()
        let handedOut = queue.withdraw(trace)
        #expect(!handedOut && queue.inFlight.count == 1)
        queue.taken()
        let taken = queue.withdraw(trace)
        #expect(!taken && queue.isEmpty)
    }

    @Test func `but not where it was handed out and came back: the worker may have taken it`() throws {
        var queue = NotificationQueue()
        let posted = queue.postTraced(try post(.each, "1")).trace
        let trace = try #require(posted)
        _ = queue.takeChanges()
        _ = queue.flush()
        queue.returned()
        _ = queue.takeChanges()
        let isBack = queue.withdraw(trace)
        #expect(!isBack && queue.contents.map(\.sequence) == [trace.sequence])
        // The disk does not have it.
        #expect(queue.takeChanges() == [.put(queue.contents[0])])
        // One that has come since was not handed out.
        let later = queue.postTraced(try post(.each, "2")).trace
        #expect(later.map { queue.withdraw($0) } == true)
    }
}
