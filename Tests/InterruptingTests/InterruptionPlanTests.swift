import Interrupting
import Lifecycle
import SnapshotCoding
import Testing

/// What begins and ends interruptions, row by row.
@Suite struct `Interruptions of a worker` {
    private static let human = Requester.operator(uid: 1000, pid: 7)

    /// What happens, and what is to come of it, in the words of ``short(_:)``.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let steps: [(InterruptionEvent, [String])]
    }

    private static func begins(_ kind: Interruption.Kind, limit: TimeSpan? = nil) -> InterruptionEvent {
        .began(kind, by: human, limit: limit)
    }

    static let rows: [Row] = [
        Row(
            testDescription: "one begins and ends",
            steps: [
                (begins(.request("a")), ["1 began", "interrupted"]),
                (.endRequested(nil), ["1 ended", "interruptionEnded"]),
                (.endRequested(nil), ["refused"]),
            ]),
        Row(
            testDescription: "they nest: the life hears of the first, and of the end of the last",
            steps: [
                (begins(.request("a")), ["1 began", "interrupted"]), (begins(.call("b")), ["2 began"]),
                (begins(.worker("c")), ["3 began"]), (.ended(2), ["2 ended"]),
                (.endRequested(nil), ["1 ended"]), (.endedByWorker(3), ["3 ended", "interruptionEnded"]),
            ]),
        Row(
            testDescription: "of several requests the last is ended, or that of the number",
            steps: [
                (begins(.request("a")), ["1 began", "interrupted"]), (begins(.request("b")), ["2 began"]),
                (begins(.request("c")), ["3 began"]), (.endRequested(nil), ["3 ended"]),
                (.endRequested(1), ["1 ended"]), (.endRequested(1), ["refused"]),
                (.endRequested(nil), ["2 ended", "interruptionEnded"]),
            ]),
        Row(
            testDescription: "of several alerts the first is answered, or that of the number",
            steps: [
                (begins(.alert("a")), ["1 began", "interrupted"]), (begins(.alert("b")), ["2 began"]),
                (begins(.alert("c")), ["3 began"]), (.answered(2), ["2 answered"]),
                (.answered(nil), ["1 answered"]), (.answered(1), ["refused"]),
                (.answered(nil), ["3 answered", "interruptionEnded"]), (.answered(nil), ["refused"]),
            ]),
        Row(
            testDescription: "each is ended by what began it, and by nothing else",
            steps: [
                (begins(.call("a")), ["1 began", "interrupted"]), (begins(.worker("b")), ["2 began"]),
                (begins(.alert("c")), ["3 began"]), (.locked(["s"]), ["4 began"]),
                (.endRequested(nil), ["refused"]), (.endRequested(1), ["refused"]),
                (.ended(2), ["refused"]), (.ended(3), ["refused"]), (.ended(4), ["refused"]),
                (.endedByWorker(1), ["refused"]), (.answered(4), ["refused"]),
            ]),
        Row(
            testDescription: "each locked session is one of its own",
            steps: [
                (.locked([]), []), (.locked(["1", "2"]), ["1 began", "2 began", "interrupted"]),
                (.locked(["1", "2"]), []), (.locked(["2"]), ["1 unlocked"]),
                (.locked(["3"]), ["2 unlocked", "3 began"]),
                (.locked([]), ["3 unlocked", "interruptionEnded"]),
            ]),
        Row(
            testDescription: "with the process end its alerts and its own",
            steps: [
                (begins(.alert("a")), ["1 began", "interrupted"]), (begins(.worker("b")), ["2 began"]),
                (begins(.request("c")), ["3 began"]), (.processEnded, ["1 processEnded", "2 processEnded"]),
                (.processEnded, []), (.endRequested(nil), ["3 ended", "interruptionEnded"]),
            ]),
        Row(
            testDescription: "calls end with the supervisor that was called",
            steps: [
                (begins(.call("a")), ["1 began", "interrupted"]), (begins(.request("b")), ["2 began"]),
                (.takenOver, ["1 callLost"]), (.endRequested(nil), ["2 ended", "interruptionEnded"]),
            ]),
    ]

    @Test(arguments: rows) func `begin and end`(_ row: Row) {
        var plan = InterruptionPlan()
        for (event, expected) in row.steps {
            #expect(plan.handle(event, at: .zero).map(Self.short) == expected, "\(event)")
        }
    }

    @Test func `end when their time is over`() {
        var plan = InterruptionPlan()
        _ = plan.handle(Self.begins(.alert("a"), limit: .seconds(5)), at: .zero)
        _ = plan.handle(Self.begins(.call("b"), limit: .seconds(3)), at: .zero)
        _ = plan.handle(Self.begins(.request("c")), at: .zero)
        #expect(plan.nextDue == .zero + .seconds(3))
        #expect(plan.handle(.due, at: .zero + .seconds(2)).isEmpty)
        #expect(plan.handle(.due, at: .zero + .seconds(3)).map(Self.short) == ["2 limit"])
        #expect(plan.nextDue == .zero + .seconds(5))
        #expect(plan.handle(.due, at: .zero + .seconds(9)).map(Self.short) == ["1 limit"])
        #expect(plan.nextDue == nil && plan.isInterrupted)
    }

    @Test func `are bounded, and locks of sessions are not refused`() {
        var plan = InterruptionPlan()
        for _ in 0..<InterruptionPlan.most { _ = plan.handle(Self.begins(.request("")), at: .zero) }
        let refused = plan.handle(Self.begins(.alert("a")), at: .zero)
        #expect(refused == [.refused(.tooMany(InterruptionPlan.most))])
        #expect(plan.handle(.locked(["1"]), at: .zero).map(Self.short) == ["65 began"])
    }

    @Test func `are recorded, and read again`() throws {
        var plan = InterruptionPlan()
        for kind in [
            Interruption.Kind.call("tar"), .request(""), .worker("dialog"), .alert("deploy.failed"),
        ] {
            _ = plan.handle(Self.begins(kind, limit: .seconds(9)), at: .zero)
        }
        _ = plan.handle(.locked(["7"]), at: .zero)
        _ = plan.handle(.endRequested(nil), at: .zero)
        var writer = RecordWriter()
        writer.begin(format: 1)
        _ = InterruptionPlan(&writer, plan)
        writer.end()
        let bytes = writer.bytes
        func read(_ bytes: ArraySlice<UInt8>) throws -> InterruptionPlan {
            var reader = RecordReader(bytes)
            _ = try reader.format()
            let plan = try InterruptionPlan(&reader, nil)
            try reader.end()
            return plan
        }
        #expect(try read(bytes[...]) == plan)
        for end in bytes.indices { #expect(throws: SnapshotError.self) { try read(bytes[..<end]) } }
    }

    private static func short(_ effect: InterruptionEffect) -> String {
        switch effect {
        case .began(let interruption): "\(interruption.number) began"
        case .over(let interruption, let end): "\(interruption.number) \(end.rawValue)"
        case .tell(let event): "\(event)"
        case .refused: "refused"
        }
    }
}

/// When a post may be an alert.
@Suite struct `Alerts` {
    @Test func `need a topic that the file allows, and a worker that is there`() {
        var life = WorkerLifecycle(policy: Policy())
        #expect(AlertRule.refusal(isAllowed: false, life) == .notAllowed)
        #expect(AlertRule.refusal(isAllowed: true, life) == .notRunning)
        _ = life.handle(.requested(Request(.active, by: .supervisor)), at: .zero)
        #expect(AlertRule.refusal(isAllowed: true, life) == .notRunning)
        _ = life.handle(.launched(pid: 1), at: .zero)
        #expect(AlertRule.refusal(isAllowed: true, life) == nil)
        _ = life.handle(.requested(Request(.suspended, by: .idle)), at: .zero)
        _ = life.handle(.frozen, at: .zero)
        #expect(life.state == .suspended)
        // It finds the alert when it wakes, and is not woken for it.
        #expect(AlertRule.refusal(isAllowed: true, life) == nil)
        let effects = life.handle(.interrupted, at: .zero)
        #expect(effects.isEmpty && life.state == .suspended)
        #expect(AlertRule.refusal(isAllowed: false, life) == .notAllowed)
    }
}

/// Whose lock concerns which workers.
@Suite struct `Locks of sessions` {
    private static let sessions = [
        SessionLocks.Session(id: "1", uid: 1000, user: "ada"),
        SessionLocks.Session(id: "2", uid: 1000, user: "ada"),
        SessionLocks.Session(id: "3", uid: 1001, user: "ben"),
        SessionLocks.Session(id: "c1", uid: 0, user: "root"),
    ]

    @Test func `concern the workers of the session's user`() {
        var locks = SessionLocks()
        locks.listen(own: nil, uid: 0)
        locks.handle(.listed(Self.sessions))
        locks.handle(.locked("1"))
        #expect(locks.lockedSessions(of: "ada") == ["1"] && locks.lockedSessions(of: "1000") == ["1"])
        #expect(locks.lockedSessions(of: "ben") == [] && locks.lockedSessions(of: nil) == [])
        locks.handle(.locked("2"))
        #expect(locks.lockedSessions(of: "ada") == ["1", "2"])
        locks.handle(.unlocked("1"))
        #expect(locks.lockedSessions(of: "ada") == ["2"])
        locks.handle(.ended("2"))
        #expect(locks.lockedSessions(of: "ada") == [])
    }

    @Test func `of root concern no service of root`() {
        var locks = SessionLocks()
        locks.listen(own: nil, uid: 0)
        locks.handle(.listed(Self.sessions))
        locks.handle(.locked("c1"))
        #expect(locks.lockedSessions(of: nil) == [] && locks.lockedSessions(of: "root") == [])
        #expect(locks.lockedSessions(of: "0") == [])
    }

    @Test func `of a supervisor in a session are those of that session alone`() {
        var locks = SessionLocks()
        locks.listen(own: "1", uid: 1000)
        locks.handle(.locked("2"))
        #expect(locks.lockedSessions(of: nil) == nil)
        locks.handle(.locked("1"))
        #expect(locks.lockedSessions(of: nil) == ["1"])
        // It is not listed where login1 lists none.
        locks.handle(.listed([]))
        #expect(locks.lockedSessions(of: nil) == ["1"])
        locks.handle(.unlocked("1"))
        #expect(locks.lockedSessions(of: nil) == [])
    }

    @Test func `of a supervisor of a user in no session are those of the user`() {
        var locks = SessionLocks()
        locks.listen(own: nil, uid: 1001)
        locks.handle(.locked("3"))
        #expect(locks.lockedSessions(of: nil) == nil)
        locks.handle(.listed(Self.sessions))
        #expect(locks.lockedSessions(of: nil) == ["3"])
    }

    /// What a predecessor knew holds until the list of sessions is there, so that nothing flaps in between.
    @Test func `of a predecessor are not judged before the sessions are listed`() {
        var locks = SessionLocks()
        locks.inherit(["3", "9"])
        locks.listen(own: nil, uid: 0)
        #expect(locks.lockedSessions(of: "ben") == nil)
        locks.handle(.listed(Self.sessions))
        #expect(locks.lockedSessions(of: "ben") == ["3"])
        locks.handle(.ended("3"))
        #expect(locks.lockedSessions(of: "ben") == [])
    }
}
