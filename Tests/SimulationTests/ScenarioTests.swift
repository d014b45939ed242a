import ConfigurationSyntax
import Lifecycle
import TestSupport
import Testing
import WorkerFile

@testable import Simulation

@Suite struct `Scenarios` {
    @Test func `take workers from files, from their own sections and from templates`() throws {
        let scenario = try Scenario.reading(
            """
            # A comment.
            [Scenario]
            Description=All kinds
            Seed=42
            DurationSec=1h 30min
            [Worker web]
            File=/w/web.worker
            [Foreground web]
            IdleSec=1min
            [Worker app@]
            Instances=3
            Type=app
            [Program app@]
            ReadySec=2s
            DidEnterBackgroundSec=infinity
            SaveStateAnswer=failed
            """,
            files: [
                "/w/web.worker": "[Worker]\nExecStart=/bin/web\nType=notify\n[Foreground]\nIdleSec=5min\n",
                "/w/web.worker.d/10.conf": "[Worker]\nTimeoutStartSec=7\n",
            ])
        #expect(scenario.settings.seed == 42)
        #expect(scenario.settings.duration == .seconds(5400))
        #expect(scenario.workers.map(\.name) == ["web", "app@1", "app@2", "app@3"])
        let (web, app) = (scenario.workers[0], scenario.workers[1])
        #expect(web.policy.readiness == .notify)
        #expect(web.policy.idle?.delay == .seconds(60), "the scenario goes over the file")
        #expect(web.policy.limits.launch == .seconds(7), "drop-ins count")
        #expect(web.program == Program())
        #expect(app.policy.readiness == .app)
        #expect(app.program.ready == .after(.seconds(2)))
        #expect(app.program.time(for: .didEnterBackground) == nil)
        #expect(app.program.time(for: .didBecomeActive) == .milliseconds(5))
        #expect(app.program.answers[.saveState] == .failed)
    }

    @Test func `find a worker's file beside them, and say what is odd in it`() throws {
        let reading = ScenarioReading(
            "/s/a.scenario", Array("[Worker web]\nFile=web.worker\n".utf8),
            from: FakeFiles(["/s/web.worker": "[Worker]\nExecStart=/bin/web\nNonsense=1\n"]))
        #expect(reading.scenario?.workers.map(\.name) == ["web"])
        #expect(reading.warnings.map(\.line) == [3])
        #expect(reading.warnings.map(\.file) == ["/s/web.worker"])
    }

    @Test func `take hooks for receivers`() throws {
        let scenario = try Scenario.reading(
            "[Worker web]\nType=simple\n[Callbacks web]\nWillTerminate=signal:USR1\nDidEnterBackground=stdin:save\n"
        )
        #expect(scenario.workers[0].policy.hooks == CallbackSet([.willTerminate, .didEnterBackground]))
    }

    @Test(
        arguments: [
            ("At=5s web launch", ScheduledEvent.Timing.at(.seconds(5)), ScenarioAction.wants(.active)),
            ("At=1h30min web terminate", .at(.seconds(5400)), .wants(.notRunning)),
            ("At=\"1h 30min\" w* kill", .at(.seconds(5400)), .forceQuits),
            (
                "Every=1h until 1d web fetch", .every(.seconds(3600), .init(until: .seconds(86_400))),
                .brings(.fetch, .fetch)
            ),
            (
                "Every=1s from 0 times 3 * announce significantTimeChange",
                .every(.seconds(1), .init(from: .zero, times: 3)), .announces(.significantTimeChange)
            ),
            (
                "Random=5min from 1h until 2h times 7 web connect",
                .random(.seconds(300), .init(from: .seconds(3600), until: .seconds(7200), times: 7)),
                .connects(nil)
            ),
            ("At=0 web evict 2s", .at(.zero), .evicts(.seconds(2))),
            (
                "At=0 web crash KILL", .at(.zero),
                (try? ProgramEnd(parsing: "KILL")).map { ScenarioAction.ends($0) }
            ),
            ("At=0 web exit 3", .at(.zero), (try? ProgramEnd(parsing: "3")).map { ScenarioAction.ends($0) }),
            ("At=0 stall 3s", .at(.zero), .stalls(.seconds(3))),
            (
                "At=0 web use 1s..2s", .at(.zero),
                (try? Lasting(parsing: "1s..2s")).map { ScenarioAction.uses($0) }
            ),
        ] as [(String, ScheduledEvent.Timing, ScenarioAction?)])
    func `read an event`(_ line: String, _ timing: ScheduledEvent.Timing, _ action: ScenarioAction?) throws {
        let event = try #require(
            try Scenario.reading("[Worker web]\nType=simple\n[Events]\n\(line)\n").events.first)
        #expect(event.timing == timing)
        #expect(event.action == action)
        #expect(event.line == 4)
    }

    @Test func `know every event by its name`() throws {
        for verb in Verb.table {
            let arguments = ["", " 1s", " significantTimeChange", " 3"]
            let read = arguments.contains { argument in
                (try? Scenario.reading(
                    "[Worker web]\nType=simple\n[Events]\nAt=1s web \(verb.name)\(argument)\n")) != nil
            }
            #expect(read, "\(verb.name) takes \(verb.takes)")
        }
    }
}

@Suite struct `Scenarios that do not hold` {
    /// Every text is wrong in the line that is given, and nothing of it is simulated.
    static let rows: [(text: String, line: Int, problem: String)] = [
        ("", 0, "no worker defined"),
        ("[Scenario]\nSeed=1\n", 0, "no worker defined"),
        ("nonsense\n", 1, "outside of any section"),
        ("[Worker]\nType=simple\n", 1, "unknown section"),
        ("[Worker web]\nType=simple\n[Nonsense web]\nA=1\n", 3, "unknown section"),
        ("[Worker web]\nType=simple\n[Events web]\nA=1\n", 3, "unknown section"),
        ("[Worker web]\nType=complicated\n", 2, "complicated"),
        ("[Worker web]\nNonsense=1\n", 2, "unknown key"),
        ("[Worker web]\nType=simple\n[Background web]\nType=simple\n", 4, "unknown key"),
        ("[Worker a b]\nType=simple\n", 2, "invalid worker name"),
        ("[Worker stall]\nType=simple\n", 2, "is reserved"),
        ("[Worker until]\nType=simple\n", 2, "is reserved"),
        ("[Worker web]\nInstances=2\nType=simple\n", 2, "not a template"),
        ("[Worker web@]\nInstances=0\nType=simple\n", 2, "a number from 1"),
        ("[Worker web@]\nInstances=99999999999999999999\nType=simple\n", 2, "a number from 1"),
        ("[Worker web]\nFile=\n", 2, "no path"),
        ("[Worker web]\nFile=missing.worker\n", 2, "no such file"),
        ("[Worker web]\nFile=bad.worker\n", 0, "bad.worker: ExecStart="),
        ("[Program web]\nReadySec=1s\n", 2, "[Worker web] does not exist"),
        ("[Worker web]\nType=simple\n[Program web]\nReadySec=soon\n", 4, "soon"),
        ("[Worker web]\nType=simple\n[Program web]\nFailingFreezes=101\n", 4, "101"),
        ("[Worker web]\nType=simple\n[Program web]\nLifeStatus=256\n", 4, "256"),
        ("[Worker web]\nType=simple\n[Scenario]\nSeed=-1\n", 4, "-1"),
        ("[Worker web]\nType=simple\n[Scenario]\nNonsense=-1\n", 4, "unknown key"),
        ("[Worker web]\nType=simple\n[Scenario]\nDurationSec=11y\n", 4, "too long"),
        ("[Background web]\nTaskLimitSec=1s\n", 2, "[Worker web] does not exist"),
        (
            "[Worker a@]\nInstances=10000\nType=simple\n[Worker b]\nType=simple\n", 5,
            "too many workers"
        ),
        (
            "[Worker a@]\nInstances=1000\nType=simple\n[Events]\n"
                + String(repeating: "At=1s * url\n", count: 1005), 1005, "too many events"
        ),
    ]

    static let events: [(line: String, problem: String)] = [
        ("When=1s web launch", "unknown key"), ("At=", "missing time"),
        ("At=soon web launch", "soon"), ("At=1s", "no event after the time"), ("At=1s web", "no event"),
        ("At=1s nobody launch", "nobody"), ("At=1s we launch", "we"), ("At=1s x* launch", "x*"),
        ("At=1s web dance", "dance"), ("At=1s web resign now", "no argument"),
        ("At=1s web evict soon", "soon"), ("At=1s web extend", "a time span"),
        ("At=1s web extend 1s 2s", "a time span"), ("At=1s web announce didBecomeActive", "one of"),
        ("At=1s web use 2s..1s", "2s..1s"), ("At=1s web use 1s..", "1s.."), ("At=1s web use ..", ".."),
        ("At=1s web exit 256", "256"), ("At=1s web crash NONSENSE", "NONSENSE"),
        ("At=1s web behave", "Key=Value"), ("At=1s web behave Nonsense=1", "Nonsense"),
        ("At=1s web behave ReadySec=soon", "soon"), ("At=1s stall", "missing time"),
        ("At=1s stall 1s 2s", "2s"), ("Every=0 web launch", "the time span is zero"),
        ("Every=1s web launch", "repeats forever"), ("Random=1s from 1h web launch", "repeats forever"),
        ("Every=1s times 0 web launch", "a number from 1"), ("Every=1s times web launch", "a number from 1"),
        ("Every=1s until", "nothing after"), ("Every=1s until 1h", "no event after the time"),
        ("At=\"1s web launch", "unterminated quote"), ("At=1s \"\" launch", "no worker is named"),
    ]

    private func problems(_ text: String) -> [Diagnostic] {
        let files = FakeFiles(["bad.worker": "[Worker]\nType=simple\n"])
        let reading = ScenarioReading("test.scenario", Array(text.utf8), from: files)
        #expect((reading.scenario == nil) == !reading.problems.isEmpty)
        return reading.problems
    }

    @Test(arguments: rows) func `say where and what`(_ row: (text: String, line: Int, problem: String)) {
        let problems = problems(row.text)
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.line == row.line, "\(problems)")
        #expect(problems.first?.description.contains(row.problem) ?? false, "\(problems)")
    }

    @Test(arguments: events) func `say what is wrong with an event`(_ row: (line: String, problem: String)) {
        let problems = problems("[Worker web]\nType=simple\n[Events]\n\(row.line)\n")
        #expect(problems.map(\.line) == [4], "\(problems)")
        #expect(problems.first?.description.contains(row.problem) ?? false, "\(problems)")
    }

    @Test func `are as wrong with garbage before, inside and after`() {
        var random = Simulation.SplitMix64(seed: 5)
        let good = Array("[Worker web]\nType=simple\n[Events]\nEvery=1s times 3 web launch\n".utf8)
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
            let reading = ScenarioReading("test.scenario", bytes, from: FakeFiles([:]))
            #expect((reading.scenario == nil) == !reading.problems.isEmpty)
            for problem in reading.problems { #expect(!problem.description.contains("\n")) }
        }
    }
}
