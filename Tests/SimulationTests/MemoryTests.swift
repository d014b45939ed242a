import ConfigurationSyntax
import Lifecycle
import Operator
import Pressure
import TestSupport
import Testing
import WorkerFile

@testable import Simulation

/// Machines with memory: which workers are warned, are evicted and come back when it is short (2.3).
@Suite struct `Simulated machines` {
    /// What became of a machine.
    private struct Day {
        let decisions: [MemoryDecision]
        let steps: [Step]
        let scenario: Scenario

        /// A machine of 1000 MB, of which others hold 100: two that sleep and one in use, of 100 MB each.
        init(_ events: String, machine: String = "", app: String = "", used: String = "", policy: String = "")
            throws
        {
            scenario = try .reading(
                """
                [Scenario]
                DurationSec=10min
                [Machine]
                Memory=1000M
                Used=100M
                \(machine)
                [Memory]
                \(policy)
                [Worker app@]
                Type=app
                Instances=2
                [Program app@]
                MemorySize=100M
                CallbackSec=10ms
                ReadySec=100ms
                \(app)
                [Worker used]
                Type=app
                [Program used]
                MemorySize=100M
                CallbackSec=10ms
                ReadySec=100ms
                \(used)
                [Events]
                At=0 used launch
                At=0 app@* launch
                At=10s app@* suspend
                \(events)
                """)
            var world = World(scenario)
            (decisions, steps) = world.decided()
        }

        var victims: [String] {
            decisions.compactMap { if case .evict(let victim) = $0.effect { victim.name } else { nil } }
        }

        var warned: [String] {
            tellings.filter { $0.level != .normal }.map(\.worker)
        }

        /// All that workers were told.
        var tellings: [MemoryWarning] {
            decisions.compactMap { if case .warn(let warning) = $0.effect { warning } else { nil } }
        }

        var levels: [PressureLevel] {
            decisions.compactMap { if case .levelChanged(_, let to, _) = $0.effect { to } else { nil } }
        }

        var reports: [PressureReport] {
            decisions.compactMap { if case .report(let report) = $0.effect { report } else { nil } }
        }

        func causes(of name: String) -> [TerminationRecord.Cause] {
            guard let worker = scenario.workers.firstIndex(where: { $0.name == name }) else { return [] }
            return steps.records(of: worker).map(\.cause)
        }

        var kernelKills: Int {
            scenario.workers.map { causes(of: $0.name).count { $0 == .kernelOOM } }.reduce(0, +)
                + reports.count { if case .killedByKernel = $0 { true } else { false } }
        }
    }

    @Test func `shed their sleepers for a program outside of us, and keep what is in use`() throws {
        let day = try Day(
            "At=1min hog 700M 20s\nAt=5min hog 0\nAt=6min app@1 activate", used: "MemoryAfterWarning=80M")
        #expect(day.levels.first == .warning && day.levels.contains(.critical) && day.levels.last == .normal)
        #expect(day.victims == ["app@1", "app@2"])
        #expect(day.warned.first == "used" && !day.warned.contains { $0.hasPrefix("app") })
        #expect(day.causes(of: "used").isEmpty && day.kernelKills == 0)
        #expect(day.causes(of: "app@1") == [.evicted])
        // It came back with what it had saved.
        let launches = day.steps.filter { $0.worker == 0 }.flatMap(\.effects).compactMap {
            if case .launch(let launch) = $0 { launch } else { nil }
        }
        #expect(launches.map(\.reason) == [.operator, .operator] && launches.last?.restoresState == true)
        #expect(launches.map(\.isRestored) == [false, true])
    }

    @Test
    func `end those that have slept longest when a warning lasts, and tell when it is over`()
        throws
    {
        let day = try Day("At=1min hog 520M 20s", policy: "WarningMaxSec=2min")
        #expect(day.levels == [.warning, .normal] && day.causes(of: "used").isEmpty)
        #expect(day.victims == ["app@1"] && day.causes(of: "app@1") == [.evicted])
        #expect(day.tellings.first?.level == .warning && day.tellings.last?.level == .normal)
    }

    @Test func `shed only as many as it takes`() throws {
        let day = try Day("At=1min hog 570M 20s")
        #expect(day.victims == ["app@1"] && day.causes(of: "app@2").isEmpty && day.kernelKills == 0)
    }

    @Test func `shed sleepers for a worker of ours that grows, and keep it`() throws {
        let day = try Day("At=1min used behave MemoryGrowth=5M\nAt=3min16s used behave MemoryGrowth=0")
        #expect(day.victims == ["app@1", "app@2"] && day.causes(of: "used").isEmpty && day.kernelKills == 0)
    }

    @Test func `end a worker that grows over its own limit, whatever its band`() throws {
        let day = try Day(
            "At=1min used behave MemoryGrowth=5M", used: "[Memory used]\nMemoryMax=200M\nEvictable=no")
        #expect(day.victims == ["used"] && day.causes(of: "used") == [.memoryLimit] && day.levels.isEmpty)
    }

    @Test func `do not end what is in use for what lies outside, and sleepers go however little they bring`()
        throws
    {
        // Sleepers of 2 MB each cannot settle it, and the one in use could not either.
        let day = try Day("At=1min hog 860M 60s", app: "MemorySize=2M", used: "MemorySize=20M")
        #expect(day.victims == ["app@1", "app@2"] && day.causes(of: "used").isEmpty)
        let reasons = day.reports.compactMap {
            if case .nothingHelps(let why, _) = $0 { why } else { nil }
        }
        #expect(reasons == [.keepsFalling, .holdsTooLittle], "and it says each once")
    }

    @Test func `need fewer victims where sleepers have been swapped out`() throws {
        let day = try Day(
            "At=1min hog 690M 20s", machine: "Swap=500M", app: "MemoryReclaimed=90%")
        #expect(day.victims.isEmpty && day.kernelKills == 0)
        let compressed = try Day(
            "At=1min hog 690M 20s", machine: "Swap=500M\nCompressedSwap=yes", app: "MemoryReclaimed=90%")
        #expect(compressed.victims.count <= 1 && compressed.kernelKills == 0)
    }

    @Test func `take the next one where the kernel does not let go of a victim`() throws {
        let day = try Day("At=1min hog 640M 60s\nAt=50s app@1 behave KillSec=infinity")
        #expect(day.victims == ["app@1", "app@2"])
        #expect(
            day.reports.contains {
                if case .cannotBeFreed(let victim, _) = $0 { victim.name == "app@1" } else { false }
            })
    }

    @Test func `only say what they would do where the policy observes`() throws {
        let day = try Day("At=1min hog 570M 20s", policy: "Policy=observe")
        #expect(day.victims.isEmpty && day.warned.isEmpty && day.causes(of: "app@1").isEmpty)
        #expect(
            day.reports.contains {
                if case .wouldEvict(let victim) = $0 { victim.name == "app@1" } else { false }
            })
    }

    @Test func `shed the biggest first where that is the order`() throws {
        let day = try Day(
            "At=5s app@2 behave MemorySize=150M\nAt=1min hog 570M 20s", policy: "EvictionOrder=size")
        #expect(day.victims == ["app@2"])
    }

    @Test func `are told from machines on which nobody counts memory`() throws {
        let scenario = try Scenario.reading(
            "[Worker web]\nType=simple\n[Events]\nAt=0 web launch\nAt=1s hog 5G\n")
        var world = World(scenario)
        #expect(world.decided().decisions.isEmpty)
    }

    struct Wrong: CustomTestStringConvertible, Sendable {
        let line: String
        let text: String
        var testDescription: String { line }
    }

    @Test(arguments: [
        Wrong(line: "[Machine]\nMemory=1G", text: "DurationSec= in [Scenario]"),
        Wrong(line: "[Machine]\nMemory=lots", text: "a size such as"),
        Wrong(line: "[Machine]\nMemory=9999T", text: "at most 1024T"),
        Wrong(line: "[Events]\nAt=1s hog", text: "a size such as"),
        Wrong(line: "[Events]\nAt=1s hog 1G 1s more", text: "the end of the line"),
        Wrong(line: "[Memory]\nPolicy=sometimes", text: "act"),
    ])
    func `are refused where they are wrong`(_ wrong: Wrong) {
        let text = "[Worker web]\nType=simple\n" + wrong.line + "\n"
        let reading = ScenarioReading("test.scenario", Array(text.utf8), from: FakeFiles([:]))
        #expect(reading.scenario == nil)
        #expect(reading.problems.contains { $0.description.contains(wrong.text) }, "\(reading.problems)")
    }

    @Test func `are printed with what was decided between the lines of the workers`() throws {
        var world = World(try Day("At=1min hog 570M 20s").scenario)
        let lines = world.printed().split(separator: "\n").filter { $0.hasPrefix("00:01:") }
        #expect(lines.contains { $0.contains("app@1 is evicted (suspended, silently): memory is critical") })
        #expect(lines.contains { $0.contains("100.0M freed by app@1, after 1ms") })
    }
}
