import Testing

@testable import Lifecycle
@testable import Notifications

/// What is handed out, what comes again and when: one rule after the other (2.4).
@Suite struct `The plan of a flush` {
    private static let calls = NotificationReceivers.hooks(NotificationHooks(others: .call))
    private static let mixed = NotificationReceivers.hooks(
        NotificationHooks(["news": .signal], others: .call))
    private let first = FlushPlan.firstHook

    /// A plan for one notification of each of these topics, of which the life knows.
    private func plan(for topics: String...) throws -> FlushPlan {
        var plan = FlushPlan()
        for (time, name) in topics.enumerated() {
            _ = plan.queue.post(Post(try #require(Topic(name)), .each, at: Int64(time)))
        }
        #expect(plan.told(.queued) == [.announce])
        return plan
    }

    private func asked(_ id: UInt32, _ receivers: NotificationReceivers) -> FlushPlan.Event {
        .asked(FlushPlan.Request(Delivery(id), to: receivers))
    }

    @Test func `tells the life once, however much comes`() throws {
        var plan = try plan(for: "chat")
        _ = plan.queue.post(Post(try #require(Topic("mail")), .each, at: 1))
        #expect(plan.told(.queued).isEmpty)
        #expect(plan.told(.receiversChanged) == [.announce], "what it was told is void")
        #expect(plan.told(.restored(isAnnounced: false)).isEmpty)
        #expect(plan.told(.queued) == [.announce], "it has not been told by a predecessor")
        var empty = FlushPlan()
        #expect(empty.told(.queued).isEmpty && empty.told(.receiversChanged).isEmpty)
        #expect(empty.told(asked(1, .connection)) == [.complete(1, isTaken: true)])
    }

    @Test func `gives a connection all at once`() throws {
        var plan = try plan(for: "chat", "news", "chat")
        let all = plan.queue.contents
        #expect(plan.told(asked(1, .connection)) == [.deliver(Delivery(1), all)])
        #expect(all.map(\.sequence) == [1, 3, 2], "a topic together, the oldest first")
        #expect(plan.deliveryOfConnection == 1 && plan.isHandingOut && !plan.isRunningHooks)
        _ = plan.queue.post(Post(try #require(Topic("chat")), .each, at: 9))
        #expect(plan.told(.queued).isEmpty, "the next flush comes after this one")
        #expect(plan.told(.ended(1, .taken)) == [.store, .taken, .announce])
        #expect(plan.queue.contents.map(\.sequence) == [4] && !plan.isHandingOut)
        #expect(plan.told(.ended(1, .refused)).isEmpty, "it is over")
    }

    @Test func `gives hooks one after the other, and a signal for all of a topic`() throws {
        var plan = try plan(for: "chat", "news", "chat", "news")
        let effects = plan.told(asked(1, Self.mixed))
        #expect(effects.first == .beginHooks(Delivery(1)) && effects.runs == [[1]])
        #expect(plan.isRunningHooks && plan.topic(ofHook: first | 1)?.name == "chat")
        #expect(plan.told(.hookEnded(first | 1, problem: nil)).runs == [[3]])
        #expect(plan.told(.hookEnded(first | 2, problem: nil)).runs == [[2, 4]])
        #expect(plan.told(.hookEnded(first | 2, problem: nil)).isEmpty, "it has said so already")
        #expect(plan.told(.hookEnded(first | 3, problem: nil)).last == .complete(1, isTaken: true))
        #expect(plan.told(.ended(1, .taken)) == [.taken])
    }

    @Test func `holds back what follows of a topic whose hook has failed, and goes on with the others`()
        throws
    {
        var plan = try plan(for: "bad", "chat", "bad")
        _ = plan.told(asked(1, Self.calls))
        let problem = FlushProblem.hookFailed("exit status 1")
        #expect(plan.told(.hookEnded(first | 1, problem: problem)).runs == [[2]])
        #expect(plan.told(.hookEnded(first | 2, problem: nil)).last == .complete(1, isTaken: false))
        let due = Instant.zero + .seconds(1)
        #expect(plan.told(.ended(1, .refused)) == [.arm(due, problem)])
        #expect(plan.queue.contents.map(\.sequence) == [1, 3])
        #expect(plan.problem == problem && plan.nextDue == due)
    }

    @Test func `does not take what has no receiver any more`() throws {
        var plan = try plan(for: "old")
        let receivers = NotificationReceivers.hooks(NotificationHooks(["chat": .call]))
        #expect(
            plan.told(asked(1, receivers)) == [.beginHooks(Delivery(1)), .complete(1, isTaken: false)])
        _ = plan.told(.ended(1, .refused))
        #expect(plan.problem?.description == "old no longer has a receiver" && plan.queue.count == 1)
    }

    @Test func `tries again after a second, then after twice as long, up to five minutes`() throws {
        var plan = try plan(for: "chat")
        var now = Instant.zero
        var delays: [Int64] = []
        for id in 1...11 as ClosedRange<UInt32> {
            _ = plan.told(asked(id, .connection), at: now)
            _ = plan.told(.refused(id, "not now"), at: now)
            _ = plan.told(.ended(id, .refused), at: now)
            let due = try #require(plan.nextDue)
            delays.append((due - now).microseconds / 1_000_000)
            #expect(plan.told(.queued, at: now).isEmpty, "what comes meanwhile waits too")
            #expect(plan.told(asked(100, .connection), at: now) == [.complete(100, isTaken: true)])
            #expect(plan.told(.due, at: now).isEmpty, "it is not time yet")
            #expect(plan.told(.due, at: due) == [.announce])
            now = due
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        #expect(plan.problem?.description == "not now")
        _ = plan.told(asked(12, .connection), at: now)
        #expect(plan.told(.ended(12, .taken), at: now) == [.store, .taken])
        #expect(plan.problem == nil && plan.nextDue == nil)
    }

    @Test(arguments: [
        (FlushPlan.Event.suspended, true), (.processEnded(died: false), true), (.dropped, true),
        (.parked, false),
    ])
    func `puts nothing off any more`(_ event: FlushPlan.Event, _ isAnnounced: Bool) throws {
        var plan = try plan(for: "chat")
        _ = plan.told(asked(1, .connection))
        _ = plan.told(.ended(1, .overdue))
        #expect(plan.problem == .overdue)
        #expect(plan.told(event) == (isAnnounced ? [.disarm, .announce] : [.disarm]))
        #expect(plan.problem == nil && plan.nextDue == nil)
    }

    @Test func `sends signals before a thaw, and the rest when the life asks`() throws {
        var plan = try plan(for: "news", "chat", "news")
        #expect(plan.told(.thawing(.connection)).isEmpty)
        #expect(plan.told(.thawing(Self.calls)).isEmpty)
        #expect(plan.told(.thawing(Self.mixed)).runs == [[1, 3]])
        #expect(plan.told(.hookEnded(first | 1, problem: nil)) == [.store])
        var asleep = plan
        #expect(asleep.told(.suspended).isEmpty, "the life knows of the rest")
        #expect(asleep.queue.contents.map(\.sequence) == [2])
        let effects = plan.told(asked(1, Self.mixed))
        #expect(effects.first == .beginHooks(Delivery(1)) && effects.runs == [[2]])
        var late = plan
        #expect(late.told(.ended(1, .overdue)).first == .cancel(first | 2))
    }

    @Test func `suspects what the connection had in hand, also when it has just gone away`() throws {
        for isGone in [false, true] {
            var plan = try plan(for: "bad", "chat")
            for id in 1...2 as ClosedRange<UInt32> {
                _ = plan.told(asked(id, .connection))
                if isGone {
                    _ = plan.told(.disconnected)
                    _ = plan.told(.ended(id, .refused))
                }
                let effects = plan.told(.processEnded(died: true))
                #expect(effects.contains { if case .setAside = $0 { true } else { false } } == (id == 2))
                _ = plan.told(.connected)
            }
            // The second time it was handed out by itself: it alone is to blame.
            #expect(plan.queue.setAside.map(\.topic.name) == ["bad"])
            #expect(plan.queue.contents.map(\.topic.name) == ["chat"])
        }
    }

    @Test func `suspects nothing of a process that was ended, or has connected anew`() throws {
        var ended = try plan(for: "chat")
        _ = ended.told(asked(1, .connection))
        _ = ended.told(.processEnded(died: false))
        var anew = try plan(for: "chat")
        _ = anew.told(asked(1, .connection))
        _ = anew.told(.disconnected)
        _ = anew.told(.ended(1, .refused))
        _ = anew.told(.connected)
        _ = anew.told(.processEnded(died: true))
        #expect(ended.queue.contents.map(\.deaths) == [0] && anew.queue.contents.map(\.deaths) == [0])
    }

    /// The life asks for the rest in the moment in which it hears of the first part, before the plan is told how that ended.
    @Test(arguments: [FlushPlan.Outcome.taken, .refused])
    func `keeps the rest apart from what is suspected, however that ends`(_ outcome: FlushPlan.Outcome) throws
    {
        var plan = try plan(for: "bad", "chat")
        _ = plan.told(asked(1, .connection))
        _ = plan.told(.processEnded(died: true))
        #expect(plan.told(asked(2, .connection)).first == .announce, "the life knows of the rest")
        #expect(plan.told(asked(3, .connection)).isEmpty)
        let effects = plan.told(.ended(2, outcome))
        switch outcome {
        case .taken:
            #expect(effects.prefix(2) == [.store, .taken] && plan.deliveryOfConnection == 3)
            #expect(plan.queue.inFlight.map(\.topic.name) == ["chat"])
        case .refused, .overdue, .abandoned:
            #expect(effects.last == .complete(3, isTaken: true), "later")
            #expect(plan.queue.contents.map(\.topic.name) == ["bad", "chat"], "nothing is lost")
        }
    }

    @Test func `leaves out what is dropped`() throws {
        var plan = try plan(for: "chat", "chat", "mail")
        _ = plan.told(asked(1, Self.calls))
        #expect(plan.drop(2) && !plan.drop(2))
        #expect(plan.told(.hookEnded(first | 1, problem: nil)).runs == [[3]])
    }

    @Test func `goes on with what the connection had under another supervisor`() throws {
        var before = try plan(for: "chat")
        _ = before.told(asked(7, .connection))
        var after = FlushPlan(before.queue, inHand: 7)
        _ = after.told(.restored(isAnnounced: false))
        #expect(after.told(.ended(7, .taken)) == [.store, .taken] && after.queue.count == 0)
        let returned = FlushPlan(before.queue)
        #expect(!returned.isHandingOut && returned.queue.contents.count == 1)
    }
}

extension FlushPlan {
    /// What comes of an event; what is to be stored is taken off.
    mutating func told(_ event: Event, at now: Instant = .zero) -> [Effect] {
        _ = queue.takeChanges()
        var effects: [Effect] = []
        handle(event, at: now, into: &effects)
        return effects
    }
}

extension [FlushPlan.Effect] {
    /// The numbers that each hook stands for.
    var runs: [[UInt64]] {
        compactMap { effect in
            if case .run(let job, _) = effect { job.entries.map(\.sequence) } else { nil }
        }
    }
}
