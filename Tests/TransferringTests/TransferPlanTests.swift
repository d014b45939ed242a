import Lifecycle
import Testing
import Transferring

/// What becomes of transfers, row by row.
@Suite struct `Transfers of workers` {
    private static let human = Requester.operator(uid: 1000, pid: 7)

    static func transfer(_ number: UInt32, of worker: String = "w", for span: TimeSpan? = nil) -> Transfer {
        Transfer(
            number: number, worker: worker, command: ["/bin/cp", "a", "b"], purpose: "cp", by: human,
            began: .zero, due: span.map { .zero + $0 })
    }

    static func end(_ status: TransferStatus = .exited(0), at: Instant = .zero) -> TransferEnd {
        TransferEnd(status, at: at)
    }

    /// What happens, after so many seconds, and what is to be done, in the words of ``short(_:)``.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let steps: [(Int64, TransferEvent, [String])]
    }

    static let rows: [Row] = [
        Row(
            testDescription: "one begins, runs, ends and is told",
            steps: [
                (0, .began(transfer(1)), ["store 1", "start 1"]), (0, .started(1), ["store 1"]),
                (5, .ended(1, end()), ["store 1", "over 1", "look w"]),
                (5, .reachable("w", true), ["tell w [1]"]), (6, .taken("w"), ["remove 1"]),
            ]),
        Row(
            testDescription: "one that cannot be started never was",
            steps: [(0, .began(transfer(1)), ["store 1", "start 1"]), (0, .notStarted(1), ["remove 1"])]),
        Row(
            testDescription:
                "ends that come while the worker cannot be told are told together, in their order",
            steps: [
                (0, .began(transfer(1)), ["store 1", "start 1"]), (0, .started(1), ["store 1"]),
                (0, .began(transfer(2)), ["store 2", "start 2"]), (0, .started(2), ["store 2"]),
                (1, .ended(2, end(at: .zero + .seconds(1))), ["store 2", "over 2", "look w"]),
                (1, .reachable("w", false), []),
                (2, .ended(1, end(at: .zero + .seconds(2))), ["store 1", "over 1", "look w"]),
                (3, .reachable("w", true), ["tell w [2, 1]"]), (4, .taken("w"), ["remove 2", "remove 1"]),
            ]),
        Row(
            testDescription: "an end that comes while another is taken is told after that",
            steps: [
                (0, .began(transfer(1)), ["store 1", "start 1"]), (0, .started(1), ["store 1"]),
                (0, .began(transfer(2)), ["store 2", "start 2"]), (0, .started(2), ["store 2"]),
                (1, .ended(1, end()), ["store 1", "over 1", "look w"]),
                (1, .reachable("w", true), ["tell w [1]"]),
                (1, .ended(2, end()), ["store 2", "over 2", "look w"]),
                (2, .taken("w"), ["remove 1", "tell w [2]"]),
                (2, .taken("w"), ["remove 2"]),
            ]),
        Row(
            testDescription: "what is not taken is told again later, or at once to a new process",
            steps: [
                (0, .began(transfer(1)), ["store 1", "start 1"]), (0, .started(1), ["store 1"]),
                (0, .ended(1, end()), ["store 1", "over 1", "look w"]),
                (0, .reachable("w", true), ["tell w [1]"]), (0, .notTaken("w"), []),
                (1, .launched("w"), ["tell w [1]"]),
                (1, .notTaken("w"), []), (2, .launched("w"), []), (120, .due, []),
                (121, .due, ["tell w [1]"]),
                (121, .notTaken("w"), []), (360, .due, []), (361, .due, ["tell w [1]"]),
                (361, .taken("w"), ["remove 1"]),
            ]),
        Row(
            testDescription: "one that is cancelled is asked, then killed, and told as any other",
            steps: [
                (0, .began(transfer(1)), ["store 1", "start 1"]), (0, .started(1), ["store 1"]),
                (0, .reachable("w", true), []),
                (1, .stopRequested(1, .cancelled), ["store 1", "stop 1"]),
                (2, .stopRequested(1, .cancelled), []),
                (10, .due, []), (11, .due, ["store 1", "kill 1"]),
                (11, .ended(1, end(.killed(signal: 9))), ["store 1", "over 1", "look w"]),
                (12, .stopRequested(1, .cancelled), ["refused ended(1)"]),
                (12, .reachable("w", true), ["tell w [1]"]), (13, .taken("w"), ["remove 1"]),
                (14, .stopRequested(1, .cancelled), ["refused noSuch(1)"]),
            ]),
        Row(
            testDescription: "one that is cancelled while it is being started is ended when it is there",
            steps: [
                (0, .began(transfer(1)), ["store 1", "start 1"]),
                (0, .stopRequested(1, .cancelled), ["store 1"]),
                (1, .started(1), ["store 1", "store 1", "stop 1"]),
            ]),
        Row(
            testDescription: "one whose time is over is ended",
            steps: [
                (0, .began(transfer(1, for: .seconds(60))), ["store 1", "start 1"]),
                (0, .started(1), ["store 1"]),
                (59, .due, []), (60, .due, ["store 1", "stop 1"]), (70, .due, ["store 1", "kill 1"]),
            ]),
        Row(
            testDescription: "one that a predecessor was ending is ended once more",
            steps: [
                (
                    0,
                    .found(
                        .init(transfer(1), .stopping(.cancelled, due: .zero + .seconds(5))), isTold: false),
                    []
                ),
                (0, .started(1), ["stop 1"]), (5, .due, ["store 1", "kill 1"]),
            ]),
        Row(
            testDescription: "an end that a predecessor had told is awaited, and no other is told before",
            steps: [
                (0, .found(.init(transfer(1), .ended(end())), isTold: true), []),
                (0, .found(.init(transfer(2), .ended(end())), isTold: false), []),
                (0, .reachable("w", true), []), (1, .taken("w"), ["remove 1", "tell w [2]"]),
            ]),
    ]

    @Test(arguments: rows) func `become what the rows say`(_ row: Row) {
        var plan = TransferPlan()
        for (index, (seconds, event, expected)) in row.steps.enumerated() {
            let effects = plan.handle(event, at: .zero + .seconds(seconds))
            #expect(effects.map(Self.short) == expected, "step \(index): \(event)")
        }
    }

    static func short(_ effect: TransferEffect) -> String {
        switch effect {
        case .store(let number): "store \(number)"
        case .remove(let number): "remove \(number)"
        case .start(let number): "start \(number)"
        case .stop(let number): "stop \(number)"
        case .kill(let number): "kill \(number)"
        case .over(let number): "over \(number)"
        case .look(let worker): "look \(worker)"
        case .tell(let worker, let numbers): "tell \(worker) \(numbers)"
        case .refused(let refusal): "refused \(refusal)"
        }
    }

    @Test func `are bounded for one worker, for all, and by what a worker has not been told`() {
        var plan = TransferPlan()
        plan.limits.mostInAll = 3
        plan.limits.mostUntold = 2
        #expect(plan.refusal(of: "w", most: 0) == .tooMany(0))
        for number in UInt32(1)...2 { _ = plan.handle(.began(Self.transfer(number)), at: .zero) }
        #expect(plan.refusal(of: "w", most: 2) == .tooMany(2))
        #expect(plan.refusal(of: "v", most: 2) == nil)
        _ = plan.handle(.began(Self.transfer(3, of: "v")), at: .zero)
        #expect(plan.refusal(of: "u", most: 2) == .tooManyInAll(3))
        for number in UInt32(1)...2 {
            _ = plan.handle(.started(number), at: .zero)
            _ = plan.handle(.ended(number, Self.end()), at: .zero)
        }
        #expect(plan.refusal(of: "w", most: 1) == nil)
        _ = plan.handle(.began(Self.transfer(4)), at: .zero)
        _ = plan.handle(.ended(4, Self.end()), at: .zero)
        #expect(plan.refusal(of: "w", most: 1) == .tooManyUntold(2))
        // The next number is free.
        #expect(plan.lastNumber == 4)
    }

    @Test(arguments: [
        (TransferEnd(.exited(0), at: .zero), TransferOutcome.completed),
        (TransferEnd(.exited(0), at: .zero, stop: .cancelled), .cancelled),
        (TransferEnd(.exited(20), at: .zero), .failed),
        (TransferEnd(.killed(signal: 11), at: .zero), .failed),
        (TransferEnd(.exited(20), at: .zero, stop: .cancelled), .cancelled),
        (TransferEnd(.killed(signal: 15), at: .zero, stop: .timeLimit), .timeLimit),
        (TransferEnd(.killed(signal: 9), at: .zero, isOutOfMemory: true), .memoryLimit),
        (TransferEnd(.killed(signal: 15), at: .zero, stop: .shutdown), .shutdown),
        (TransferEnd(.unknown, at: .zero), .lost), (TransferEnd(.notStarted, at: .zero), .failed),
    ]) func `have an outcome`(_ end: TransferEnd, _ outcome: TransferOutcome) {
        #expect(end.outcome == outcome)
        #expect(!end.words.isEmpty)
    }

    @Test func `are told again after a time that doubles, up to an hour`() {
        #expect(
            (0..<8).map { TransferPlan.retry(after: $0).microseconds / 1_000_000 } == [
                60, 120, 240, 480, 960, 1920, 3600, 3600,
            ])
    }

    @Test func `are read as they were written`() throws {
        let end = TransferEnd(
            .killed(signal: 9), at: .zero + .seconds(9), stop: .timeLimit, isOutOfMemory: true,
            progress: TransferProgress(done: 3, total: .max, percent: 4, text: "é"), lines: ["a", ""],
            leftovers: 7)
        for stage in [
            TransferPlan.Stage.starting(nil), .starting(.cancelled), .running,
            .stopping(.shutdown, due: .zero + .seconds(70)), .killed(.timeLimit), .ended(end),
        ] {
            let record = TransferRecord(.init(Self.transfer(9, for: .seconds(3)), stage))
            #expect(try TransferRecord(reading: record.bytes, now: .zero + .seconds(10)) == record)
            for count in 0..<record.bytes.count {
                #expect(throws: (any Error).self) {
                    try TransferRecord(reading: Array(record.bytes.prefix(count)), now: .zero + .seconds(10))
                }
            }
        }
    }

    @Test func `tell their progress by lines of their own, and by the meters of programs`() {
        var output = TransferOutput()
        output.take(Array("begun\nX_TORPOR_PROGRESS=10/200 first part\n##  12.9%\r#### 45.2%\r".utf8))
        #expect(output.lines == ["begun"])
        #expect(output.progress == TransferProgress(done: 10, total: 200, percent: 45, text: "first part"))
        #expect(output.progress.percentage == 5)
        output.take(
            Array(
                "X_TORPOR_PROGRESS=7\nX_TORPOR_PROGRESS=junk\nX_TORPOR_PROGRESS=\nnot 101%\n\n\u{1b}[2J".utf8)
        )
        output.finish()
        #expect(output.progress.done == 7 && output.progress.total == nil && output.progress.percent == 45)
        #expect(output.lines == ["begun", "not 101%", "\u{fffd}[2J"])
        output.take([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20))
        for number in 0..<100 { output.take(Array("\(number)\n".utf8)) }
        #expect(output.lines.count == TransferOutput.mostLines)
        #expect(output.lines.last == "99")
        #expect(TransferProgress(done: .max - 1, total: .max).percentage == 99)
        #expect(TransferProgress(done: 5, total: 0, percent: 3).percentage == 3)
    }

    @Test func `report in two slots, of which one is whole at any moment`() throws {
        var report = TransferReport(
            holder: 12, command: 13, stage: .ended(.killed(signal: 15)),
            progress: TransferProgress(done: 1, total: 2, percent: 3, text: "t x"), printed: 99,
            lines: ["one", "two words"], leftovers: 4)
        let first = report.bytes(sequence: 1)
        report.stage = .over(.exited(0))
        let second = report.bytes(sequence: 2)
        func file(_ one: [UInt8], _ two: [UInt8]) -> [UInt8] {
            two + [UInt8](repeating: 0, count: TransferReport.slotSize - two.count) + one
        }
        #expect(TransferReport.read(file(first, second))?.report == report)
        for cut in stride(from: 0, to: second.count, by: 7) {
            let found = try #require(TransferReport.read(file(first, Array(second.prefix(cut)))))
            #expect(found.sequence == 1 && found.report.status == .killed(signal: 15))
        }
        #expect(TransferReport.read([]) == nil)
        let long = TransferReport(
            holder: 1, lines: Array(repeating: String(repeating: "\u{1F600}", count: 240), count: 20))
        #expect(long.bytes(sequence: 1).count <= TransferReport.slotSize)
    }

    /// What the life of a worker says of being told.
    @Test func `are told to workers that run, and wake those that may be woken`() {
        var life = WorkerLifecycle(policy: Policy())
        #expect(life.hearsOfTransfers(wakes: true) && !life.hearsOfTransfers(wakes: false))
        _ = life.handle(.requested(Request(.active, by: Self.human)), at: .zero)
        #expect(!life.hearsOfTransfers(wakes: true))
        _ = life.handle(.launched(pid: 7), at: .zero)
        #expect(life.hearsOfTransfers(wakes: false))
        _ = life.handle(.forceQuit(Self.human), at: .zero)
        #expect(!life.hearsOfTransfers(wakes: true))
        _ = life.handle(.exited(.killed(signal: 9, coreDumped: false), oomKilled: false), at: .zero)
        #expect(life.restReason == .forceQuit && !life.hearsOfTransfers(wakes: true))
    }
}
