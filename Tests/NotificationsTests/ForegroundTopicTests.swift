import Testing

@testable import Lifecycle
@testable import Notifications

/// Topics that are handed out in the foreground only (2.4, until=foreground).
@Suite struct `Topics that wait for the foreground` {
    private static let calls = NotificationReceivers.hooks(NotificationHooks(others: .call))
    private static let signals = NotificationReceivers.hooks(NotificationHooks(others: .signal))

    private func plan() throws -> FlushPlan {
        var plan = FlushPlan()
        plan.untilForeground = [try #require(Topic("needsDisplay"))]
        return plan
    }

    private func post(_ name: String, _ rule: MergeRule, _ plan: inout FlushPlan) throws {
        _ = plan.queue.post(Post(try #require(Topic(name)), rule, at: 1))
    }

    private func asked(_ id: UInt32, _ receivers: NotificationReceivers, isForeground: Bool)
        -> FlushPlan.Event
    {
        .asked(FlushPlan.Request(Delivery(id), to: receivers, isForeground: isForeground))
    }

    @Test func `merge in the background, and go out in the foreground with all else`() throws {
        var plan = try plan()
        try post("needsDisplay", .count, &plan)
        #expect(plan.told(.queued) == [.announceForeground], "nothing else waits")
        try post("chat", .each, &plan)
        #expect(plan.told(.queued) == [.announceForeground, .announce])
        let chat = plan.queue.contents.filter { $0.topic.name == "chat" }
        #expect(
            plan.told(asked(1, .connection, isForeground: false))
                == [.announceForeground, .deliver(Delivery(1), chat)])
        #expect(plan.told(.ended(1, .taken)) == [.store, .taken, .announceForeground])
        try post("needsDisplay", .count, &plan)
        _ = plan.told(.queued)
        #expect(plan.told(asked(2, .connection, isForeground: false)).last == .complete(2, isTaken: true))
        let effects = plan.told(asked(3, .connection, isForeground: true))
        guard case .deliver(Delivery(3), let entries)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(entries.map(\.topic.name) == ["needsDisplay"] && entries.map(\.count) == [2])
        #expect(plan.told(.ended(3, .taken)).contains(.taken))
        #expect(plan.queue.isEmpty)
    }

    @Test func `send no signal before a thaw into the background`() throws {
        var plan = try plan()
        try post("needsDisplay", .count, &plan)
        _ = plan.told(.queued)
        #expect(plan.told(.thawing(Self.signals, isForeground: false)).isEmpty)
        #expect(plan.told(.thawing(Self.signals, isForeground: true)).runs == [[1]])
    }

    @Test func `come back when they are not taken, and wait on`() throws {
        var plan = try plan()
        try post("needsDisplay", .count, &plan)
        _ = plan.told(.queued)
        _ = plan.told(asked(1, Self.calls, isForeground: true))
        #expect(plan.told(.processEnded(died: false)).contains(.announceForeground))
        #expect(plan.queue.contents.map(\.topic.name) == ["needsDisplay"])
        // Where the file no longer says so, they go out as others do.
        plan.untilForeground = []
        #expect(plan.told(.receiversChanged).last == .announce)
    }
}
