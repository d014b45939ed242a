import HostContract
import Lifecycle
import Notifications
import Testing

@testable import History
@testable import Supervisor
@testable import SupervisorPorts

/// A notification that survives the supervisor is in the store before its poster is answered (2.4).
@Suite(.timeLimit(.minutes(60))) struct `What is posted is kept` {
    /// Keeps nothing but what it was asked to keep; answers when a test says so.
    private final class Shelf: NotificationStore, @unchecked Sendable {
        var obstacle: String?
        var entries: [UInt64: QueuedNotification] = [:]
        var schedules: [UInt64: ScheduleBook.Entry] = [:]
        private var waiting: [(String?) -> Void] = []

        func keep(
            _ changes: [NotificationQueue.Change], of worker: String, then answer: ((String?) -> Void)?
        ) {
            for change in changes {
                switch change {
                case .put(let entry): entries[entry.sequence] = entry
                case .delete(let sequence): entries[sequence] = nil
                case .knows, .forgets: break
                }
            }
            if let answer { waiting.append(answer) }
        }

        func keep(_ entry: ScheduleBook.Entry, of worker: String, then answer: ((String?) -> Void)?) {
            schedules[entry.id] = entry
            if let answer { waiting.append(answer) }
        }

        func drop(schedule id: UInt64, of worker: String, then answer: ((String?) -> Void)?) {
            schedules[id] = nil
            if let answer { waiting.append(answer) }
        }

        func answer(_ problem: String?) {
            let all = waiting
            waiting = []
            for one in all { one(problem) }
        }

        func answerFirst(_ problem: String?) { waiting.removeFirst()(problem) }
    }

    private final class Answers: @unchecked Sendable {
        var problems: [String?] = []
    }

    private func app() throws -> (App, Shelf) {
        let app = App(try World())
        let shelf = Shelf()
        app.world.supervisor.notifications = shelf
        return (app, shelf)
    }

    private func post(_ app: App, _ survives: Bool = true) throws -> Answers {
        let post = Post(try #require(Topic("chat")), .each, at: 0, survives: survives)
        let answers = Answers()
        _ = app.world.supervisor.post(post, to: app.id) { answers.problems.append($0) }
        return answers
    }

    private func endTurn(_ app: App) { app.world.supervisor.keepAllChanges() }

    @Test func `before the poster is answered, all of a turn at once`() throws {
        let (app, shelf) = try app()
        let first = try post(app)
        let second = try post(app)
        #expect(shelf.entries.isEmpty)
        endTurn(app)
        #expect(shelf.entries.keys.sorted() == [1, 2])
        #expect(first.problems.isEmpty && second.problems.isEmpty)
        shelf.answer(nil)
        #expect(first.problems == [nil] && second.problems == [nil])
        app.want(.active)
        endTurn(app)
        #expect(shelf.entries.isEmpty, "it was taken")
    }

    @Test func `or the poster hears why not`() throws {
        let (app, shelf) = try app()
        let answers = try post(app)
        endTurn(app)
        shelf.answer("the disk is full")
        #expect(answers.problems == ["the disk is full"])
        shelf.obstacle = "the disk is full"
        #expect(app.post("chat", .each) == .refused(.notStored("the disk is full")))
        #expect(app.notifications?.waiting.isEmpty == true, "what is refused is not delivered")
        // What need not survive needs no disk.
        #expect(try post(app, false).problems == [nil])
        #expect(app.notifications?.waiting.count == 1)
        endTurn(app)
        #expect(shelf.entries.isEmpty)
    }

    @Test func `and is taken back when it could not be kept, with all that has merged into it since`() throws
    {
        let (app, shelf) = try app()
        let first = try post(app)
        endTurn(app)
        let second = try post(app)
        shelf.answer("the disk is full")
        #expect(first.problems == ["the disk is full"] && second.problems == ["the disk is full"])
        #expect(app.notifications?.waiting.isEmpty == true)
        endTurn(app)
        #expect(shelf.entries.isEmpty)
        // What was accepted before stays as it was.
        let count = Post(try #require(Topic("tick")), .count, at: 0)
        let answers = Answers()
        func tick() {
            _ = app.world.supervisor.post(count, to: app.id) { answers.problems.append($0) }
        }
        tick()
        endTurn(app)
        shelf.answer(nil)
        tick()
        endTurn(app)
        #expect(app.notifications?.waiting.map(\.count) == [2])
        shelf.answer("the disk is full")
        #expect(answers.problems == [nil, "the disk is full"])
        #expect(app.notifications?.waiting.map(\.count) == [1])
        endTurn(app)
        #expect(shelf.entries.values.map(\.count) == [1])
    }

    @Test(arguments: [nil, "the disk is full"])
    func `and is taken back with what another commit has, that was begun before it failed`(later: String?)
        throws
    {
        let (app, shelf) = try app()
        let answers = Answers()
        func post(_ text: String) throws {
            let post = Post(try #require(Topic("last")), .latest, payload: Array(text.utf8), at: 0)
            _ = app.world.supervisor.post(post, to: app.id) { answers.problems.append($0) }
            endTurn(app)
        }
        func isKept(_ text: String) -> Bool {
            app.notifications?.waiting.map(\.payload) == [Array(text.utf8)]
                && shelf.entries.values.map(\.payload) == [Array(text.utf8)]
        }
        try post("1")
        shelf.answer(nil)
        try post("2")
        try post("3")
        shelf.answerFirst("the disk is full")
        #expect(answers.problems == [nil, "the disk is full", "the disk is full"])
        shelf.answerFirst(later)
        #expect(answers.problems.count == 3)
        endTurn(app)
        #expect(isKept("1"))
        // Those before one that fails stay.
        try post("4")
        try post("5")
        shelf.answerFirst(nil)
        shelf.answerFirst("the disk is full")
        endTurn(app)
        #expect(answers.problems.suffix(2) == [nil, "the disk is full"] && isKept("4"))
    }

    @Test(arguments: [false, true])
    func `and is taken back from a worker that has been forgotten meanwhile`(isDefinedAgain: Bool) throws {
        let (app, shelf) = try app()
        let answers = try post(app)
        endTurn(app)
        let id = app.id
        #expect(app.world.supervisor.remove(id))
        let early = isDefinedAgain ? App(app.world) : nil
        shelf.answer("the disk is full")
        if early != nil { endTurn(app) }
        #expect(answers.problems == ["the disk is full"] && shelf.entries.isEmpty)
        let again = early ?? App(app.world)
        #expect(again.notifications?.waiting.isEmpty == true)
    }

    @Test func `and is not refused where the worker has it already`() throws {
        let (app, shelf) = try app()
        app.want(.active)
        let answers = try post(app)
        endTurn(app)
        shelf.answer("the disk is full")
        #expect(answers.problems == [nil])
    }

    @Test func `and nothing that could not be kept stays scheduled`() throws {
        let (app, shelf) = try app()
        let tick = Post(try #require(Topic("tick")), .count, at: 0)
        let answers = Answers()
        _ = app.world.supervisor.schedule(
            tick, for: app.id, at: 10_000_000, every: nil, waking: false, now: 0
        ) {
            answers.problems.append($0)
        }
        shelf.answer("the disk is full")
        #expect(answers.problems == ["the disk is full"])
        #expect(app.notifications?.schedules.isEmpty == true && shelf.schedules.isEmpty)
    }

    @Test func `and comes back to a worker of its name, with numbers that go on`() throws {
        let (app, shelf) = try app()
        _ = try post(app)
        endTurn(app)
        let kept = StoredInbox(entries: Array(shelf.entries.values), lastSequence: 41)
        let other = try World()
        other.supervisor.restore(["app": kept])
        let again = App(other)
        #expect(again.notifications?.waiting.map(\.sequence) == [1])
        guard case .queued(let number) = again.post("chat", .each) else {
            Issue.record("it was not taken")
            return
        }
        #expect(number > 41)
        again.want(.background)
        #expect(again.notifications?.waiting.isEmpty == true)
    }

    @Test func `and what is due is posted before its schedule is dropped`() throws {
        let (app, shelf) = try app()
        let tick = Post(try #require(Topic("tick")), .count, at: 0)
        _ = app.world.supervisor.schedule(
            tick, for: app.id, at: 10_000_000, every: nil, waking: false, now: 0)
        _ = app.world.supervisor.schedule(
            tick, for: app.id, at: 10_000_000, every: 5_000_000, waking: false, now: 0)
        #expect(shelf.schedules.keys.sorted() == [1, 2])
        app.world.supervisor.schedulesDue(at: 10_000_001)
        #expect(shelf.entries.values.map(\.count) == [2])
        #expect(shelf.schedules.mapValues(\.due) == [2: 15_000_000])
        let cancelled = (1...2).map { _ in app.world.supervisor.cancelSchedule(2, of: app.id) }
        #expect(cancelled == [true, false])
        #expect(shelf.schedules.isEmpty)
    }

    /// Goes on with what `app` has, in another supervisor that finds `kept` in its store.
    private func successor(of app: App, finding kept: StoredInbox) throws -> (App, Shelf) {
        let text = HandoverWriter.text(of: try #require(app.world.supervisor.handover(of: app.id)))
        let world = try World()
        let shelf = Shelf()
        for entry in kept.entries { shelf.entries[entry.sequence] = entry }
        for entry in kept.schedules { shelf.schedules[entry.id] = entry }
        world.supervisor.notifications = shelf
        world.supervisor.restore(["app": kept])
        let other = App(world)
        world.supervisor.take(try HandoverReader.value(LifeHandover.self, of: text), as: other.id)
        endTurn(other)
        return (other, shelf)
    }

    @Test func `as it is, where the disk had not taken everything of a supervisor that was replaced`() throws
    {
        let (app, shelf) = try app()
        let topic = try #require(Topic("chat"))
        for _ in 0..<2 { _ = try post(app) }
        let scheduled = app.world.supervisor.schedule(
            Post(topic, .each, at: 0), for: app.id, at: 1_000_000_000, every: nil, waking: false, now: 0)
        endTurn(app)
        shelf.answer(nil)
        let onDisk = StoredInbox(
            entries: Array(shelf.entries.values), lastSequence: 2,
            schedules: Array(shelf.schedules.values))
        // From here on the disk takes nothing: one is gone, one has come, and what was scheduled is taken back.
        #expect(app.world.supervisor.dropNotification(1, of: app.id))
        _ = try post(app)
        let id = try scheduled.get().id
        #expect(app.world.supervisor.cancelSchedule(id, of: app.id))
        let (other, kept) = try successor(of: app, finding: onDisk)
        #expect(other.notifications?.waiting.map(\.sequence) == [2, 3])
        #expect(kept.entries.keys.sorted() == [2, 3])
        #expect(kept.schedules.isEmpty)
    }

    @Test(arguments: [false, true])
    func `also of a worker that was not defined when its supervisor was replaced`(isDefinedAgain: Bool) throws
    {
        let (app, shelf) = try app()
        for _ in 0..<2 { _ = try post(app) }
        endTurn(app)
        shelf.answer(nil)
        let onDisk = StoredInbox(entries: Array(shelf.entries.values), lastSequence: 2)
        // From here on the disk takes nothing.
        #expect(app.world.supervisor.dropNotification(1, of: app.id))
        #expect(app.world.supervisor.remove(app.id))
        let parked = try #require(app.world.supervisor.parkedHandover["app"])
        let text = HandoverWriter.text(of: parked)

        let (world, kept) = (try World(), Shelf())
        kept.entries = Dictionary(uniqueKeysWithValues: onDisk.entries.map { ($0.sequence, $0) })
        world.supervisor.notifications = kept
        world.supervisor.restore(["app": onDisk])
        let early = isDefinedAgain ? App(world) : nil
        let inbox = try HandoverReader.value(InboxHandover.self, of: text)
        world.supervisor.take(inbox, parkedFor: "app")
        #expect(kept.entries.keys.sorted() == [2])
        let again = early ?? App(world)
        #expect(again.notifications?.waiting.map(\.sequence) == [2])
    }

    @Test func `and reaches one that was defined again before its inbox came`() throws {
        let (app, _) = try app()
        _ = try post(app)
        #expect(app.world.supervisor.remove(app.id))
        let parked = try #require(app.world.supervisor.parkedHandover["app"])
        let text = HandoverWriter.text(of: parked)

        let world = try World()
        world.supervisor.notifications = Shelf()
        let again = App(world)
        world.supervisor.take(try HandoverReader.value(InboxHandover.self, of: text), parkedFor: "app")
        again.want(.active)
        #expect(again.notifications?.waiting.isEmpty == true)
    }

    @Test func `and reaches a worker that had ended when its supervisor was killed`() throws {
        let (app, _) = try app()
        app.want(.active)
        app.want(.notRunning)
        app.world.host.run { app.state == .notRunning }
        let worker = try #require(app.world.supervisor.workers[app.id])
        let record = LiveRecord(of: worker, at: app.world.host.now, startTime: nil)
        let kept = QueuedNotification(
            sequence: 7, topic: try #require(Topic("chat")), rule: .each, count: 1, first: 0, last: 0)

        let world = try World()
        world.host.advance(by: .seconds(10))
        world.supervisor.notifications = Shelf()
        world.supervisor.restore(["app": StoredInbox(entries: [kept], lastSequence: 7)])
        let again = App(world)
        world.supervisor.beginInheritance()
        #expect(world.supervisor.restore(record, as: again.id) == nil)
        world.supervisor.settleInheritance(lastRan: nil)
        #expect(again.notifications?.waiting.map(\.sequence) == [7])
        again.want(.active)
        #expect(again.notifications?.waiting.isEmpty == true)
    }

    @Test func `though a supervisor was replaced before it could read what was kept`() throws {
        let (app, _) = try app()
        app.world.supervisor.lastUnreadNumber = 1000
        _ = try post(app)
        let old = QueuedNotification(
            sequence: 7, topic: try #require(Topic("chat")), rule: .each, count: 1, first: 0, last: 0)
        let (other, kept) = try successor(of: app, finding: StoredInbox(entries: [old], lastSequence: 7))
        #expect(other.notifications?.waiting.map(\.sequence) == [7, 1001])
        #expect(kept.entries[7] != nil && kept.entries[1001] != nil)
    }
}
