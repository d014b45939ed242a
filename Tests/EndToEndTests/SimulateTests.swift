import Foundation
import TestSupport
import Testing

/// `torpor simulate`, with the examples that ship and with files that do not hold.
@Suite struct `Simulating` {
    private static let examples =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path + "/packaging/examples"

    private func simulate(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        try DaemonUnderTest.result(of: Wrapper([], [], line: [Wrapper.program, "simulate"] + arguments))
    }

    @Test func `leads the example of a game server through its evening`() throws {
        let evening = try simulate("\(Self.examples)/game.scenario")
        #expect(evening.status == 0 && evening.errors.isEmpty, "\(evening.errors)")
        for line in [
            "00:05:00.001  game  notRunning → inactive (launch: socket)",
            "00:05:00.001  game  notRunning -> inactive (launch: socket)",
        ] where evening.output.contains(line) {
            #expect(evening.output.contains("warning: didEnterBackground took too long and was abandoned"))
            #expect(evening.output.contains("ended: crashed, signal 11"))
            #expect(evening.output.contains("Ends: 1 crashed, 1 evicted\n4h simulated, 1 worker"))
            return
        }
        Issue.record("\(evening.output)")
    }

    @Test func `sheds the sleepers of a small machine for a consumer, and brings one back`() throws {
        let machine = try simulate("\(Self.examples)/memory.scenario")
        #expect(machine.status == 0 && machine.errors.isEmpty, "\(machine.errors)")
        #expect(machine.output.contains("editor@1 is evicted (suspended, silently): memory is critical"))
        #expect(
            machine.output.contains(
                "editor@1  launch into the foreground: operator, a restore, with its saved state"))
        #expect(!machine.output.contains("OOM killer"))
        #expect(machine.output.contains("Ends: 4 evicted\n"))
    }

    @Test func `gives workers time for long work, one after the other, at a good time`() throws {
        let reading = try withTemporaryDirectory(mode: 0o1777) { directory in
            let path = "\(directory)/work.scenario"
            try """
            [Scenario]
            DurationSec=2d
            [Worker index]
            Type=app
            [Background index]
            Modes=processing
            ProcessingLimitSec=20min
            [Program index]
            PerformProcessingSec=15min
            [Worker backup]
            Type=oneshot
            [Background backup]
            Modes=processing
            [Program backup]
            LifeSec=10min
            LifeStatus=0
            [Events]
            At=0 index launch
            At=1s index suspend
            At=2s machine-used
            At=1h machine-idle
            At=1h15min battery 80%
            At=2h mains
            At=2h5min pressure cpu 90%
            At=2h20min pressure memory 30%
            At=3h pressure memory 0%
            At=3h pressure cpu 0%
            """.write(toFile: path, atomically: true, encoding: .utf8)
            return try simulate(path)
        }
        #expect(reading.status == 0 && reading.errors.isEmpty, "\(reading.errors)")
        for line in [
            "00:00:02.000  index     long work waits: a session of the machine is in use (ProcessingIdleSec=)",
            "01:10:00.000  index   woken into the background: processing",
            "01:10:00.001  index     performProcessing (processing, at most 20min)",
            "01:15:00.000  index   the time for long work is over",
            "01:15:00.000  index     backgroundTaskWillExpire (at most 10s)",
            "01:15:05.001  index   ended: background task, 0x2182bad2",
            "02:00:00.000  index   woken into the background: processing",
            // Its own use of processors does not end it.
            "02:15:00.066  backup    long work waits: the CPU pressure is 90 % over 5min, above 20 % (ConditionCPUPressure=)",
            "03:00:00.000  backup  launch into the background: processing",
            "03:10:00.001  backup  ended: exited, status 0",
        ] where !reading.output.contains(line) { Issue.record("\(line) is not in \(reading.output)") }
    }

    @Test func `keeps wakes past the budget, spaces fetches, and knows low-power mode`() throws {
        let reading = try withTemporaryDirectory(mode: 0o1777) { directory in
            let path = "\(directory)/budget.scenario"
            try """
            [Scenario]
            DurationSec=4h
            [Worker feed]
            Type=app
            [Background feed]
            Modes=fetch path remote-notification
            FetchIntervalSec=20min
            WakeBudget=2
            [Program feed]
            PerformFetchAnswer=refused
            [Events]
            At=0 feed launch
            At=1s feed suspend
            At=1min feed path
            At=2min feed silent-notification
            At=3min feed path
            At=4min feed path
            At=70min battery 15%
            At=80min feed silent-notification
            At=150min mains
            """.write(toFile: path, atomically: true, encoding: .utf8)
            return try simulate(path)
        }
        #expect(reading.status == 0, "\(reading.errors)")
        var lines = reading.output.split(separator: "\n").map(String.init)
        lines.removeAll { line in
            !["kept:", "let through", "fetches come", "low-power", "woken"].contains { line.contains($0) }
        }
        #expect(
            lines.joined(separator: "\n") == """
                00:01:00.000  feed  woken into the background: path
                00:01:00.001  feed  suspended → background (woken, asleep for 58.980s)
                00:02:00.000  feed  woken into the background: silentNotification
                00:02:00.001  feed  suspended → background (woken, asleep for 59.999s)
                00:03:00.000  feed  kept: one change of a watched path; the budget of wakes is full again in 58min
                00:20:00.000  feed  kept: one fetch; the budget of wakes is full again in 41min
                01:01:00.000  feed  let through: 2 changes of watched paths, 3 fetches
                01:01:00.000  feed  woken into the background: path
                01:01:00.000  feed  woken into the background: fetch
                01:01:00.001  feed  suspended → background (woken, asleep for 58min 59s)
                01:01:00.006  feed    the next fetches come every 40min
                01:10:00.000        low-power mode is on: the battery is at 15 %; it ends on mains, or above 25 %
                01:20:00.000  feed  kept: one silent post; the budget of wakes is full again in 41min
                02:01:00.000  feed  let through: one silent post
                02:01:00.000  feed  woken into the background: silentNotification
                02:01:00.001  feed  suspended → background (woken, asleep for 59min 59s)
                02:30:00.000        low-power mode is off: the machine is on mains
                02:30:00.000  feed  woken into the background: fetch
                02:30:00.001  feed  suspended → background (woken, asleep for 28min 59s)
                02:30:00.006  feed    the next fetches come every 1h 20min
                03:50:00.000  feed  woken into the background: fetch
                03:50:00.001  feed  suspended → background (woken, asleep for 1h 19min 59s)
                03:50:00.006  feed    the next fetches come every 2h 40min
                """, "\(reading.output)")
    }

    @Test func `sums up a day of a hundred workers`() throws {
        let day = try simulate("--quiet", "\(Self.examples)/day.scenario")
        #expect(day.status == 0)
        #expect(day.output.contains("1d simulated, 100 workers"))
        #expect(day.output.split(separator: "\n").count == 104)
        #expect(try simulate("-q", "\(Self.examples)/day.scenario").output == day.output)
    }

    /// How much of the time a worker with this delay is awake that a client pings at this distance for so long, as the table says.
    private func awake(_ delay: String, pinged span: String, for duration: String) throws -> String {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let path = "\(directory)/pings.scenario"
            try """
            [Scenario]
            DurationSec=\(duration)
            [Worker web]
            Type=simple
            Launch=boot
            [Foreground web]
            IdleSec=\(delay)
            [Events]
            Every=\(span) web data
            """.write(toFile: path, atomically: false, encoding: .utf8)
            let result = try simulate("-q", path)
            let lines = result.output.split(separator: "\n")
            try #require(result.status == 0 && lines.count > 2, "\(result)")
            #expect(lines[0].hasSuffix(" AWAKE"))
            return String(try #require(lines[1].split(separator: " ").last))
        }
    }

    @Test func `states for how much of the time a worker is awake that a client pings`() throws {
        // Woken again too soon it is left awake: that is cheaper than to fall asleep each time.
        #expect(try awake("2s", pinged: "3s", for: "5min") == "99.6%")
        #expect(try awake("5s", pinged: "3s", for: "5min") == "100.0%")
        // One exchange each earns WakeLingerSec=2s.
        #expect(try awake("10s", pinged: "30s", for: "1h") == "6.8%")
        #expect(try awake("1s", pinged: "1min", for: "1h") == "1.6%")
    }

    @Test func `prints JSON, one document a line, and the sum last`() throws {
        let lines = try simulate("--json=short", "\(Self.examples)/app.scenario").output
            .split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
        #expect(lines.count > 50)
        #expect(lines.allSatisfy { $0?["kind"] is String && $0?["atUsec"] is Int })
        #expect(lines.dropLast().allSatisfy { $0?["worker"] as? String == "app" })
        let causes = lines.filter { $0?["kind"] as? String == "ended" }.compactMap { $0?["cause"] as? String }
        #expect(causes == ["backgroundTask", "watchdog"])
        let sum = try #require(lines.last ?? nil)
        #expect(sum["kind"] as? String == "summary" && (sum["workers"] as? [Any])?.count == 1)
    }

    @Test(arguments: [
        ("[Worker web]\nType=simple\n[Events]\nAt=1s nobody launch\n", ":4: At=: no worker is named"),
        ("[Worker web]\nType=odd\n", ":2: Type=: got “odd”"), ("", ": no worker defined"),
    ]) func `refuses what does not hold in one line`(_ text: String, _ problem: String) throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let path = "\(directory)/bad.scenario"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let refused = try simulate(path)
            #expect(refused.status == 78 && refused.output.isEmpty)
            #expect(refused.errors.hasPrefix("torpor: \(path)\(problem)"), "\(refused.errors)")
            #expect(refused.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func `says what it cannot read`() throws {
        let missing = try simulate("/nonexistent.scenario")
        #expect(missing.status == 78)
        #expect(missing.errors == "torpor: /nonexistent.scenario: no such file\n")
        #expect(try simulate("/").status == 78)
        #expect(try simulate().status == 64)
    }

    /// What interrupts a worker, what wakes it and what keeps that back, and what becomes of its state and its activities.
    private static let everything = """
        [Scenario]
        DurationSec=90min
        [Worker web]
        Type=app
        StateVersion=strict
        Snapshot=yes
        ActivityTypes=org.example.editing
        [Background web]
        Modes=fetch remote-notification processing transfer
        FetchIntervalSec=20min
        WakeBudget=3 1min
        [Notifications web]
        Alerts=deploy.*
        UntilForeground=needsDisplay
        [Program web]
        Version=1
        [Worker other]
        Type=app
        ActivityTypes=org.example.editing
        [Background other]
        ReleaseInBackground=/dev/dri/*:always
        [Events]
        At=1s web launch {"color":1}
        At=2s web launch {"color":2}
        At=5s web interrupt 5s
        At=6s web interrupt 10s
        At=20s web lock
        At=30s web unlock
        At=40s web alert deploy.done
        At=45s web answer
        At=50s web alert gossip
        At=1min web background
        At=61s web post needsDisplay
        At=62s web suspend
        At=63s web silent-notification
        At=64s web silent-notification
        At=65s web silent-notification
        At=66s web silent-notification
        At=67s web interrupt 5s
        At=80s web activate
        At=90s web offer org.example.editing
        At=91s web handoff other
        At=2min web transfer 10min
        At=3min other behave HoldsResource=yes
        At=4min other activate
        At=5min other background
        At=10min battery 10%
        At=30min mains
        At=40min low-power on
        At=50min low-power off
        At=1h web evict
        At=61min web behave Version=2
        At=62min web launch
        """

    @Test func `knows interruptions, alerts, budgets, low power, activities, transfers, long work and state`()
        throws
    {
        let result = try withTemporaryDirectory(mode: 0o1777) { directory in
            let path = "\(directory)/everything.scenario"
            try Self.everything.write(toFile: path, atomically: false, encoding: .utf8)
            return try simulate(path)
        }
        #expect(result.status == 0, "\(result)")
        // In this order, with other lines between them.
        let lines = [
            "launch with the options {color:1}", "launch with options refused",
            "00:00:05.000  web    interruption begins", "active → inactive (interruption)",
            // Nested: it is over with the last one.
            "00:00:16.000  web    interruption over", "00:00:20.000  web    interruption begins",
            "00:00:30.000  web    interruption over", "posted: deploy.done",
            "00:00:40.000  web    interruption begins",
            "00:00:45.000  web    interruption over", "alert about gossip refused: its file allows no alert",
            "inactive → background", "the last lines of its output are kept", "posted: needsDisplay",
            "woken into the background: silentNotification",
            "kept: one silent post; the budget of wakes is full",
            // One that sleeps is not woken by an interruption.
            "00:01:07.000  web    interruption begins", "00:01:12.000  web    interruption over",
            "00:01:20.000  web    goal active", "notifications to its connection: needsDisplay",
            "willEnterForeground", "offers the activity org.example.editing",
            "continueActivity", "other has taken its activity", "goal suspended set by hand-over",
            "other  goal background", "SIGKILL", "ended: held resource, 0xdead10cc",
            "low-power mode is on: the battery is at 10 %", "handleTransferEvents (transfer",
            "low-power mode is off: the machine is on mains", "performProcessing (processing",
            "performFetch (fetch",
            "low-power mode is on: an operator switched it on", "low-power mode is off", "eviction requested",
            "saved state dropped: it is of another version: 1",
        ]
        var rest = result.output[...]
        for line in lines {
            guard let found = rest.range(of: line) else {
                Issue.record("no line “\(line)” after what stands before it in:\n\(result.output)")
                return
            }
            rest = rest[found.upperBound...]
        }
    }
}
