import Budgeting
import Lifecycle
import SnapshotCoding
import TestSupport
import Testing

/// What is let through, kept and released, row by row.
@Suite struct `A budget of wakes` {
    /// One thing that happens after so many seconds.
    enum Step: Sendable {
        /// A wake comes; whether it passes.
        case wake(LaunchReason, Bool)
        /// The worker stands so.
        case stands(WakeBudget.Standing)
        /// The time that was armed for has come, or the allowance changed; what is released.
        case due([String])
        /// The machine slept so many seconds.
        case slept(Int64)
        /// The allowance is reduced from now on, or no longer.
        case lowPower(Bool)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var allowance = WakeAllowance.limited(wakes: 2, awake: .seconds(600))
        let steps: [(Int64, Step)]
        /// What is kept at the end, and when the budget is full again, in seconds.
        let kept: [String]
        let full: Int64?
    }

    /// A wake at `second` that passes, with its time awake until `end`.
    private static func nap(_ reason: LaunchReason, _ second: Int64, until end: Int64) -> [(Int64, Step)] {
        [(second, .wake(reason, true)), (second, .stands(.background)), (end, .stands(.resting))]
    }

    static let rows: [Row] = [
        Row(
            testDescription: "counts wakes, and keeps the third until the hour is over",
            steps: nap(.path, 10, until: 11) + nap(.device, 20, until: 21) + [
                (30, .wake(.silentNotification, false)), (3609, .due([])),
                (3610, .due(["silentNotification 1"])),
                (3610, .wake(.silentNotification, true)),
            ], kept: [], full: 7210),
        Row(
            testDescription: "merges what it keeps by its reason, in the order in which it came first",
            steps: nap(.path, 0, until: 1) + nap(.path, 2, until: 3) + [
                (4, .wake(.path, false)), (5, .wake(.fetch, false)), (6, .wake(.path, false)),
                (7, .wake(.fetch, false)), (8, .wake(.path, false)),
            ], kept: ["path 3", "fetch 2"], full: 3600),
        Row(
            testDescription: "counts the time awake, and lets the wake through that is within it",
            steps: nap(.path, 0, until: 599) + [(700, .wake(.path, true)), (700, .stands(.background))]
                + [(701, .stands(.resting)), (800, .wake(.path, false))], kept: ["path 1"], full: 3600),
        Row(
            testDescription: "counts no wake of a worker that is awake, or on its way",
            steps: [
                (0, .wake(.path, true)), (0, .stands(.waking)), (0, .wake(.path, true)),
                (1, .stands(.background)), (2, .wake(.path, true)), (2, .wake(.fetch, true)),
                (3, .stands(.resting)), (4, .wake(.path, true)),
            ], kept: [], full: 3600),
        Row(
            testDescription: "counts nothing that a person, a client or an operator asked for",
            steps: [
                (0, .wake(.url, true)), (0, .wake(.socket, true)), (0, .wake(.operator, true)),
                (0, .wake(.notification, true)),
            ], kept: [], full: nil),
        Row(
            testDescription: "no longer counts from the foreground on",
            steps: [
                (0, .wake(.path, true)), (0, .stands(.background)), (100, .stands(.foreground)),
                (5000, .stands(.background)), (5001, .stands(.resting)), (5002, .wake(.path, true)),
            ], kept: [], full: 8602),
        Row(
            testDescription: "keeps no longer what the worker finds by itself, and the fetch all the same",
            steps: nap(.path, 0, until: 1) + nap(.path, 2, until: 3) + [
                (4, .wake(.path, false)), (4, .wake(.fetch, false)), (5, .stands(.foreground)),
            ], kept: ["fetch 1"], full: 3600),
        Row(
            testDescription: "keeps nothing for a worker that was ended by force",
            steps: nap(.path, 0, until: 1) + nap(.path, 2, until: 3) + [
                (4, .wake(.path, false)), (5, .stands(.forceQuit)),
            ], kept: [], full: 3600),
        Row(
            testDescription: "begins the next hour with the next wake",
            steps: nap(.path, 0, until: 1) + [(9000, .wake(.path, true))], kept: [], full: 12600),
        Row(
            testDescription: "goes on counting a worker that is awake from one hour to the next",
            steps: [
                (0, .wake(.path, true)), (0, .stands(.background)), (7300, .stands(.resting)),
                (7300, .wake(.path, true)), (7300, .stands(.background)), (7800, .stands(.resting)),
                (7800, .wake(.path, false)),
            ], kept: ["path 1"], full: 10800),
        Row(
            testDescription: "has its hour go on while the machine sleeps",
            steps: nap(.path, 4000, until: 4001) + nap(.path, 4002, until: 4003) + [
                (4004, .wake(.path, false)), (4004, .slept(3596)), (4004, .due(["path 1"])),
            ], kept: [], full: nil),
        Row(
            testDescription: "shrinks in low-power mode, and lets through what is within it afterwards",
            allowance: .limited(wakes: 8, awake: .seconds(600)),
            steps: [(0, .lowPower(true))] + nap(.path, 0, until: 1) + nap(.path, 2, until: 3) + [
                (4, .wake(.path, false)), (5, .due([])), (6, .lowPower(false)), (6, .due(["path 1"])),
                (6, .wake(.path, true)),
            ], kept: [], full: 3600),
        Row(
            testDescription: "is never used up without a limit",
            allowance: .unlimited,
            steps: (0..<200).flatMap { nap(.path, Int64($0) * 3, until: Int64($0) * 3 + 2) }, kept: [],
            full: 3600),
    ]

    @Test(arguments: rows) func `is used, kept and full again`(_ row: Row) {
        var budget = WakeBudget()
        var allowance = row.allowance
        var standing = WakeBudget.Standing.resting
        for (second, step) in row.steps {
            let now = Instant.zero + .seconds(second)
            switch step {
            case .wake(let reason, let passes):
                let given = budget.mayWake(reason, "\(second)", standing, allowance, at: now)
                #expect(given == passes, "\(reason) at \(second)")
            case .stands(let new):
                standing = new
                budget.stands(new, at: now)
            case .due(let released):
                let given = budget.takeDue(allowance, at: now).map { "\($0.reason) \($0.count)" }
                #expect(given == released, "at \(second)")
            case .slept(let seconds): budget.machineSlept(.seconds(seconds))
            case .lowPower(let isOn): allowance = isOn ? row.allowance.reduced : row.allowance
            }
        }
        #expect(budget.kept.map { "\($0.reason) \($0.count)" } == row.kept)
        #expect(budget.fullAgain.map { ($0 - .zero).microseconds / 1_000_000 } == row.full)
        #expect(budget.nextDue == (row.kept.isEmpty ? nil : budget.fullAgain))
    }

    @Test func `is a quarter in low-power mode, and one wake at least`() {
        #expect(WakeAllowance.usual.reduced == .limited(wakes: 15, awake: .seconds(150)))
        #expect(
            WakeAllowance.limited(wakes: 3, awake: .seconds(4)).reduced
                == .limited(wakes: 1, awake: .seconds(1)))
        #expect(WakeAllowance.unlimited.reduced == .unlimited)
    }

    @Test func `keeps no detail without end`() {
        var budget = WakeBudget()
        let allowance = WakeAllowance.limited(wakes: 1, awake: .seconds(1))
        _ = budget.mayWake(.path, nil, .resting, allowance, at: .zero)
        budget.stands(.resting, at: .zero)
        _ = budget.mayWake(.path, String(repeating: "ä", count: 5000), .resting, allowance, at: .zero)
        #expect((budget.kept.first?.detail?.utf8.count ?? 0) <= 256)
        for _ in 0..<1000 { _ = budget.mayWake(.path, "b", .resting, allowance, at: .zero) }
        #expect(budget.kept.map(\.detail) == ["b"] && budget.kept.map(\.count) == [1001])
    }

    @Test func `goes on where a predecessor has left it`() throws {
        var budget = WakeBudget()
        let allowance = WakeAllowance.limited(wakes: 2, awake: .seconds(600))
        _ = budget.mayWake(.path, "/a", .resting, allowance, at: .zero + .seconds(5))
        budget.stands(.background, at: .zero + .seconds(6))
        budget.stands(.resting, at: .zero + .seconds(8))
        _ = budget.mayWake(.schedule, nil, .resting, allowance, at: .zero + .seconds(9))
        budget.stands(.resting, at: .zero + .seconds(9))
        _ = budget.mayWake(.fetch, nil, .resting, allowance, at: .zero + .seconds(10))
        let copy = try Copy.of(budget, at: .zero + .seconds(10))
        #expect(copy == budget)
        // Nothing in it is believed that has not happened yet.
        #expect(throws: SnapshotError.self) { try Copy.of(budget, at: .zero + .seconds(1)) }
    }

    @Test func `holds wakes of a worker that must not be launched yet, and counts nothing`() {
        var budget = WakeBudget()
        for second in Int64(0)..<5 { budget.hold(.path, "/a", at: .zero + .seconds(second)) }
        budget.hold(.boot, at: .zero)
        #expect(budget.wakes == 0 && budget.nextDue == nil && budget.fullAgain == nil)
        let due = budget.takeDue(.usual, at: .zero + .seconds(9))
        #expect(due.map { "\($0.reason) \($0.count)" } == ["path 5", "boot 1"])
        #expect(budget.isBlank)
        let life = WorkerLifecycle(policy: Policy())
        #expect(FirstUnlock.holdsBack(life, awaits: true, wasAvailable: false))
        #expect(!FirstUnlock.holdsBack(life, awaits: true, wasAvailable: true))
        #expect(!FirstUnlock.holdsBack(life, awaits: false, wasAvailable: false))
        var launched = life
        _ = launched.handle(
            .requested(Request(.active, by: .operator(uid: 0, pid: 1))), at: .zero)
        #expect(!FirstUnlock.holdsBack(launched, awaits: true, wasAvailable: false))
    }

    /// Hours of chance: no hour has more wakes than it may, nothing is kept for longer than an hour, and nothing is lost.
    @Test(arguments: 0..<40) func `holds its promises whatever comes`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let allowance = WakeAllowance.limited(wakes: 1 + Int(random.next() % 5), awake: .seconds(300))
        var budget = WakeBudget()
        var standing = WakeBudget.Standing.resting
        var now = Instant.zero
        var passed: [Instant] = []
        let reasons: [LaunchReason] = [.path, .device, .fetch, .silentNotification, .schedule, .url]
        for _ in 0..<4000 {
            now = now + .milliseconds(Int64(random.next() % 60_000))
            if let due = budget.nextDue, due <= now {
                let released = budget.takeDue(allowance, at: now)
                #expect(!released.isEmpty && budget.kept.isEmpty)
            }
            if random.next() % 2 == 0 {
                let reason = reasons[Int(random.next() % UInt64(reasons.count))]
                let before = budget.wakes
                if budget.mayWake(reason, nil, standing, allowance, at: now) {
                    if standing == .resting, reason.isBudgeted { passed.append(now) }
                } else {
                    #expect(budget.kept.contains { $0.reason == reason } && budget.wakes == before)
                }
            } else {
                standing = WakeBudget.Standing.allCases[Int(random.next() % 5)]
                budget.stands(standing, at: now)
            }
            guard case .limited(let most, _) = allowance, let began = budget.began else { continue }
            #expect(budget.wakes <= most)
            #expect(passed.count { $0 >= began } <= most)
            #expect(budget.awake(at: now) <= now - began)
            if !budget.kept.isEmpty { #expect(budget.nextDue != nil) }
            if standing == .background || standing == .foreground {
                #expect(budget.kept.allSatisfy { $0.reason == .fetch })
            }
        }
        #expect(!passed.isEmpty)
    }
}

/// What a successor reads of what was written.
enum Copy {
    static func of<Value: SnapshotObject>(_ value: Value, at latest: Instant) throws -> Value {
        var writer = RecordWriter()
        writer.begin(format: 1)
        _ = Value(&writer, value)
        writer.end()
        var reader = RecordReader(writer.bytes[...], latest: latest.microseconds)
        _ = try reader.format()
        let copy = try Value(&reader, nil)
        try reader.end()
        return copy
    }
}
