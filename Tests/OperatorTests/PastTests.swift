import ControlAPI
import Testing
import Varlink

@testable import Operator

private typealias API = SupervisorInterface
private let clock = WallClock(now: 1_000_000_000)

@Suite
struct `The report` {
    @Test func `has a line for every fact`() {
        let report = API.TerminationReport(
            id: 7, worker: "we\u{1b}b", bootId: "b0-07",
            termination: .init(
                at: 400_000_000, pid: 42, cause: "watchdog", code: "0x8badf00d", exitStatus: 1,
                signal: "SIGKILL", sentence: "it hung", state: .background, goal: .suspended,
                launchReason: .socket, requestedBy: .init(uid: 7, pid: 8), runUsec: 61_000_000,
                backgroundUsec: 2_000_000, suspendedUsec: 1_500_000, peakMemoryBytes: 3 << 20,
                pressureSome: 12.346, pressureFull: 0, callback: "didEnterBackground",
                callbackUsec: 5_000_000, queueLength: 2, lastOutput: ["one", "tw\u{7}o"]))
        #expect(
            ReportView(report, at: clock).rendered(Style()) == """
                ● we\\x1bb
                       Ended: Thu 1970-01-01 00:06:40 UTC; 10min ago
                       Cause: watchdog (it missed a deadline or its watchdog timeout)
                        Code: 0x8badf00d
                 Exit status: 1
                      Signal: SIGKILL
                Requested by: uid 7, pid 8
                    Main PID: 42
                Launched for: socket
                       State: background
                        Goal: suspended
                         Ran: 1min 1s, including 2s in the background and 1.500s suspended
                    Callback: didEnterBackground in flight for 5s
                       Queue: 2 notifications kept
                 Peak memory: 3.0M
                    Pressure: some 12.35%, full 0.00% of the last 10s
                        Boot: b0-07

                one
                tw\\x07o

                """)
    }

    @Test func `leaves out what nobody knows`() {
        let report = API.TerminationReport(
            id: 7, worker: "web", bootId: "",
            termination: .init(
                at: 1_000_000_000, pid: 0, cause: "new\u{7}", sentence: "", state: .notRunning, goal: .active,
                runUsec: 0, backgroundUsec: 0, suspendedUsec: 0, pressureSome: .infinity, queueLength: 0))
        #expect(
            ReportView(report, at: clock).rendered(Style(isUnicode: false)) == """
                * web
                      Ended: Thu 1970-01-01 00:16:40 UTC; now
                      Cause: new\\x07
                      State: notRunning
                       Goal: active
                        Ran: 0

                """)
    }

    @Test func `is a list with a line for each end`() {
        let reports = ["watchdog", "exited"].enumerated().map { index, cause in
            API.TerminationReport(
                id: Int64(index), worker: "we\u{1b}b", bootId: "",
                termination: .init(
                    at: 400_000_000, pid: 42, cause: cause, signal: index == 0 ? "SIGKILL" : nil,
                    sentence: "", state: .background, goal: .suspended, requestedBy: .init(uid: 7, pid: 8),
                    runUsec: 61_000_000, backgroundUsec: 0, suspendedUsec: 0, peakMemoryBytes: 3 << 20,
                    queueLength: 0))
        }
        #expect(
            ReportListView(reports, at: clock).rendered(Style()) == """
                TIME                        NAME    PID CAUSE    STATUS      RAN PEAK REQUESTED BY
                Thu 1970-01-01 00:06:40 UTC we\\x1bb  42 watchdog SIGKILL 1min 1s 3.0M uid 7, pid 8
                Thu 1970-01-01 00:06:40 UTC we\\x1bb  42 exited   -       1min 1s 3.0M uid 7, pid 8

                2 processes listed.

                """)
    }

    @Test func `has every cause in words`() {
        for cause in [
            "exited", "failed", "crashed", "stopped", "watchdog", "backgroundTask", "transfer", "fetch",
            "backgroundCPU", "heldResource", "forceQuit", "evicted", "memory-limit", "kernel-oom",
            "launchFailed",
        ] {
            let end = API.Termination(
                at: 0, pid: 0, cause: cause, sentence: "", state: .active, goal: .active, runUsec: 0,
                backgroundUsec: 0, suspendedUsec: 0, queueLength: 0)
            let text = ReportView(
                .init(id: 1, worker: "w", bootId: "", termination: end), at: clock
            ).rendered(Style())
            #expect(text.contains("Cause: \(cause) ("))
        }
    }
}

@Suite
struct `The history` {
    private func entry(
        _ id: Int64, _ kind: API.HistoryKind, worker: String? = "web", boot: String = "one",
        from: API.State? = nil, to: API.State? = nil, reason: String, by: API.Caller? = nil,
        asleep: Int64? = nil, notTold: [String] = [], message: String? = nil
    ) -> API.HistoryEntry {
        .init(
            id: id, worker: worker, bootId: boot, at: id * 1_000_001, kind: kind, from: from, to: to,
            reason: reason, requestedBy: by, suspendedForUsec: asleep, notTold: notTold, message: message)
    }

    private var entries: [API.HistoryEntry] {
        [
            entry(1, .changed, from: .notRunning, to: .inactive, reason: "boot"),
            entry(2, .launched, worker: "x", reason: "launched"),
            entry(
                3, .changed, from: .suspended, to: .background, reason: "operator", by: .init(uid: 1, pid: 2),
                asleep: 1_500_000),
            entry(
                4, .changed, boot: "two\u{7}", from: .active, to: .inactive, reason: "operator",
                notTold: ["willResignActive", "x\u{1b}"]),
            entry(5, .launchFailed, boot: "two\u{7}", reason: "exec", message: "command not found: /x\u{1b}"),
            entry(6, .launchFailed, boot: "two\u{7}", reason: "exec"),
            entry(7, .ended, boot: "two\u{7}", reason: "exited", message: "ended: exited, status 0"),
            entry(8, .warned, boot: "two\u{7}", reason: "freezeFailed", message: "busy"),
            entry(
                8, .woken, boot: "two\u{7}", reason: "silentNotification",
                message: "woken by a post to topic uid 7, pid 8 by uid 0, pid 9 (torpor)"),
            entry(9, .lost, worker: nil, boot: "two\u{7}", reason: "lost", message: "3 entries are missing"),
        ]
    }

    @Test func `is a line for each entry, and one where another boot begins`() {
        #expect(
            rendered(entries, Style()) == """
                1970-01-01 00:00:01.000 web  notRunning → inactive (boot)
                1970-01-01 00:00:02.000 x    launched
                1970-01-01 00:00:03.000 web  suspended → background (by uid 1, pid 2, after 1.500s asleep)
                -- Boot two\\x07 --
                1970-01-01 00:00:04.000 web  active → inactive (operator, not delivered: willResignActive and x\\x1b)
                1970-01-01 00:00:05.000 web  launch failed: command not found: /x\\x1b
                1970-01-01 00:00:06.000 web  launch failed
                1970-01-01 00:00:07.000 web  ended: exited, status 0
                1970-01-01 00:00:08.000 web  warning: freezeFailed (busy)
                1970-01-01 00:00:08.000 web  woken by a post to topic uid 7, pid 8 by root, pid 9 (torpor)
                1970-01-01 00:00:09.000      3 entries are missing

                """)
        #expect(
            !rendered(entries, Style(isUnicode: false, hasLegend: false)).contains {
                $0 == "→" || $0 == "B"
            })
        #expect(rendered([], Style()) == "")
    }

    private func rendered(_ entries: [API.HistoryEntry], _ style: Style) -> String {
        var view = HistoryView(at: clock)
        return view.rendered(entries, style)
    }

    /// A supervisor with entries numbered from 1.
    private struct Past: ControlTransport {
        var count: Int64
        var asked: [API.History.Parameters] = []

        mutating func call<M: SupervisorInterface.Method>(
            _ method: M.Type, _ parameters: M.Parameters
        ) throws(Failure) -> M.Reply {
            guard let parameters = parameters as? API.History.Parameters else {
                throw Failure(.unavailable, "no such method")
            }
            asked.append(parameters)
            let last = min(count, (parameters.before ?? .max) - 1)
            let (limit, bottom) = (parameters.limit ?? 100, parameters.kinds == nil ? 1 : last - 1999)
            var entries: [API.HistoryEntry] = []
            var id = last
            while id >= max(bottom, 1), entries.count < limit {
                let entry = API.HistoryEntry(
                    id: id, bootId: "", at: id, kind: .lost, reason: "", notTold: [])
                if parameters.kinds?.contains(entry.kind) ?? true,
                    parameters.reasons?.contains(entry.reason) ?? true, id <= parameters.until ?? .max
                {
                    entries.insert(entry, at: 0)
                }
                id -= 1
            }
            let reply = API.History.Reply(
                entries: entries, hasOlder: id >= 1,
                nextBefore: entries.count < limit && id >= 1 ? id + 1 : nil)
            guard let reply = reply as? M.Reply else { throw Failure(.unavailable, "no such method") }
            return reply
        }

        mutating func stream<M: SupervisorInterface.Method>(
            _ method: M.Type, _ parameters: M.Parameters, _ receive: (M.Reply) throws(Failure) -> Void
        ) throws(Failure) { try receive(try call(method, parameters)) }
    }

    @Test(
        arguments: [
            (10, "100", 10, 1), (10, "3", 3, 1), (2500, "all", 2500, 3), (2500, "1500", 1500, 2),
            (0, "all", 0, 1), (5, "0", 0, 1), (1000, "all", 1000, 1), (1001, "all", 1001, 2),
        ] as [(Int64, String, Int, Int)])
    func `is read from the newest entry back, in as many calls as it takes`(
        count: Int64, lines: String, expected: Int, calls: Int
    ) throws {
        var past = Past(count: count)
        let reading = HistoryReading(
            HistoryFilter(names: ["web"], since: 5), lines: try #require(LineCount(parsing: lines)))
        var ids: [Int64] = []
        try reading.read(over: &past) { ids += $0.entries.map(\.id) }
        #expect(ids == Array(count - Int64(expected) + 1..<count + 1))
        #expect(past.asked.count == calls)
        #expect(past.asked.allSatisfy { $0.names == ["web"] && $0.since == 5 && $0.limit ?? 0 <= 1000 })
    }

    @Test func `is never held whole, however long it is`() throws {
        var past = Past(count: 100_500)
        var last: Int64 = 0
        var most = 0
        try HistoryReading(HistoryFilter(), lines: .all).read(over: &past) { piece in
            #expect(piece.entries.first?.id == last + 1)
            last = piece.entries.last?.id ?? last
            most = max(most, piece.entries.count)
        }
        #expect(last == 100_500)
        #expect(most <= 8000)
        #expect(past.asked.count <= 200)
    }

    @Test func `is searched for kinds, reasons and times`() throws {
        var past = Past(count: 5000)
        var ids: [Int64] = []
        let filter = HistoryFilter(until: 1500, kinds: [.lost, .warned], reasons: [""])
        try HistoryReading(filter, lines: .newest(2)).read(over: &past) { ids += $0.entries.map(\.id) }
        #expect(ids == [1499, 1500])
        // Where nothing is found it goes on where the search has ended.
        #expect(past.asked.map(\.before) == [nil, 3001])
        #expect(
            past.asked.allSatisfy { $0.kinds == [.lost, .warned] && $0.until == 1500 && $0.reasons == [""] })
        ids = []
        try HistoryReading(HistoryFilter(kinds: [.warned]), lines: .all).read(over: &past) {
            ids += $0.entries.map(\.id)
        }
        #expect(ids.isEmpty)
        #expect(!HistoryFilter(reasons: ["operator"]).passes(entry(1, .changed, reason: "idle")))
        #expect(!HistoryFilter(until: 5).passes(entry(1, .changed, reason: "idle")))
    }

    @Test func `is followed by what is new, each entry once`() throws {
        var past = Past(count: 20)
        var following = HistoryFollowing(HistoryFilter(), after: 20)
        #expect(try following.news(over: &past).isEmpty)
        past.count = 1500
        #expect(try following.news(over: &past).map(\.id) == Array(21...1500))
        #expect(try following.news(over: &past).isEmpty)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "all of it", "99999999999999999999"])
    func `has so many lines, and no other kind of number`(text: String) {
        #expect(LineCount(parsing: text) == nil)
    }
}

@Suite
struct `A moment` {
    /// Two hours east of UTC until 2025-10-26 01:00 UTC, one from then on; now is 2025-11-21 10:27:31 there.
    private let clock = WallClock(now: 1_763_717_251_000_000) { second in
        second < 1_761_440_400 ? .init(offset: 7200, name: "CEST") : .init(offset: 3600, name: "CET")
    }

    @Test(
        arguments: [
            ("now", 1_763_717_251_000_000), ("today", 1_763_679_600_000_000),
            ("yesterday", 1_763_593_200_000_000), ("2h ago", 1_763_710_051_000_000),
            ("1h 30min ago", 1_763_711_851_000_000), ("-90s", 1_763_717_161_000_000),
            ("@1763720851", 1_763_720_851_000_000), ("@0.5", 500_000), ("09:30", 1_763_713_800_000_000),
            ("09:30:01.5", 1_763_713_801_500_000), ("2025-11-21", 1_763_679_600_000_000),
            ("2025-11-21 10:27:31", 1_763_717_251_000_000), ("2025-11-21T10:27", 1_763_717_220_000_000),
            ("2025-11-21 10:27:31 UTC", 1_763_720_851_000_000), ("2025-11-21 UTC", 1_763_683_200_000_000),
            ("2025-10-26 01:30", 1_761_435_000_000_000), ("2025-10-26 12:00", 1_761_476_400_000_000),
            ("2024-02-29", 1_709_157_600_000_000), ("1970-01-01 UTC", 0),
        ] as [(String, Int64)])
    func `is read as journalctl reads it`(text: String, expected: Int64) {
        #expect(clock.moment(text) == expected)
    }

    @Test(arguments: [
        "", " ", "tomorrows", "+", "ago", " ago", "-", "--1h", "@", "@x", "25:00", "10:60", "10:27:60",
        "1:2:3:4",
        "2025-13-01", "2025-02-29", "2025-11-31", "2025-1-1-1", "25-11-21", "2025-11-21 10",
        "10:30 2025-11-21",
        "2025-11-21 10:27 CET", "UTC", "10:27:1min", "2025-11-21 10:27 10:28", "+x", "0x10",
    ])
    func `is nothing else`(text: String) {
        #expect(clock.moment(text) == nil)
    }

    @Test func `is written with its day`() {
        #expect(clock.dayAndTime(1_763_717_251_042_007) == "2025-11-21 10:27:31.042")
    }
}
