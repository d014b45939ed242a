import Lifecycle
import Pressure
import Testing

/// Which workers are warned, and in which order (2.3).
@Suite struct `Warnings` {
    private static let five: [PressureCandidate] = [
        .worker("used", .active, megabytes: 500), .worker("small", .background, megabytes: 20),
        .worker("big", .background, megabytes: 40), .worker("busy", .keptInBackground, megabytes: 300),
        .worker("tiny", .background, megabytes: 5), .worker("asleep", .suspended, megabytes: 900),
        .worker("idle", .inactive, megabytes: 30),
    ]

    private static func warned(_ workers: [PressureCandidate], _ percent: Int64 = 8) -> Bench {
        var bench = Bench(
            workers.map { worker in
                var worker = worker
                worker.evictable = .no
                return worker
            })
        bench.setAvailable(percent)
        bench.start()
        return bench
    }

    @Test func `go to the lowest band first and to the bigger in it, a quarter of a second apart`() {
        var bench = Self.warned(Self.five)
        #expect(bench.warnings == ["big"])
        for expected in [["big", "small"], ["big", "small", "busy"], ["big", "small", "busy", "idle"]] {
            bench.run(for: .milliseconds(249))
            #expect(bench.warnings.count == expected.count - 1)
            bench.run(for: .milliseconds(1))
            #expect(bench.warnings == expected)
        }
        bench.run(for: .seconds(1))
        #expect(bench.warnings == ["big", "small", "busy", "idle", "used"])
    }

    @Test func `come again after twenty-five seconds, and not before`() {
        var bench = Self.warned([.worker("a", .active), .worker("b", .active)])
        bench.run(for: .seconds(24))
        #expect(bench.warnings == ["a", "b"])
        bench.run(for: .seconds(7))
        #expect(bench.warnings == ["a", "b", "a", "b"])
    }

    struct Told: CustomTestStringConvertible, Sendable {
        let why: String
        var limit: Int64?
        var megabytes: Int64 = 100
        let percent: Int64
        let level: PressureLevel
        let available: Int64
        var testDescription: String { why }
    }

    @Test(arguments: [
        Told(why: "what is there above the critical threshold", percent: 9, level: .warning, available: 40),
        Told(why: "nothing where it is critical", percent: 4, level: .critical, available: 0),
        Told(
            why: "what its limit leaves, where that is less", limit: 120, percent: 9, level: .warning,
            available: 20),
        Told(
            why: "what the machine has, where that is less", limit: 200, percent: 9, level: .warning,
            available: 40),
        Told(why: "nothing where it is over its limit", limit: 90, percent: 9, level: .warning, available: 0),
    ])
    func `carry the level, and what the worker may still take`(_ row: Told) {
        let bench = Self.warned(
            [.worker("a", .active, megabytes: row.megabytes, limit: row.limit)], row.percent)
        #expect(
            bench.tellings == [
                MemoryWarning(worker: "a", level: row.level, available: row.available << 20)
            ])
    }

    @Test func `are followed by one word that it is over, to those that were told`() {
        var bench = Self.warned(Self.five)
        bench.run(for: .milliseconds(500))
        #expect(bench.warnings == ["big", "small", "busy"])
        bench.setAvailable(50)
        bench.give(.fact(.sampled(bench.sample)))
        #expect(bench.model.level == .normal)
        bench.run(for: .seconds(60))
        // The highest band first, since what is free again is for what is in use.
        #expect(bench.relieved == ["busy", "small", "big"])
        #expect(bench.tellings.last == MemoryWarning(worker: "big", level: .normal, available: 450 << 20))
        #expect(bench.warnings == ["big", "small", "busy"])
        bench.setAvailable(8)
        bench.give(.fact(.sampled(bench.sample)))
        bench.run(for: .seconds(2))
        bench.setAvailable(50)
        bench.run(for: .seconds(60))
        #expect(bench.relieved.count == bench.warnings.count, "once for each time")
    }

    @Test func `that are over are told a quarter of a second apart, and no more when it is short again`() {
        var bench = Self.warned([.worker("a", .active), .worker("b", .active), .worker("c", .active)])
        bench.run(for: .seconds(2))
        bench.setAvailable(50)
        bench.give(.fact(.sampled(bench.sample)))
        #expect(bench.relieved == ["a"])
        bench.run(for: .milliseconds(250))
        #expect(bench.relieved == ["a", "b"])
        bench.setAvailable(8)
        bench.give(.fact(.sampled(bench.sample)))
        bench.run(for: .seconds(10))
        #expect(bench.relieved == ["a", "b"] && bench.warnings == ["a", "b", "c"], "nor within 25 seconds")
        bench.setAvailable(50)
        bench.run(for: .seconds(10))
        #expect(bench.relieved == ["a", "b", "c"])
    }

    @Test func `that are over are told to nobody who sleeps then, has ended or could not know, now or later`()
    {
        var bench = Self.warned([
            .worker("a", .active), .worker("b", .active), .worker("c", .active), .worker("d", .active),
        ])
        bench.run(for: .seconds(2))
        bench.workers[0].band = .suspended
        bench.workers[3].hearsLevels = false
        bench.workers.remove(at: 2)
        bench.give(.fact(.released(worker: "c")))
        bench.workers.append(.worker("c", .active))
        bench.setAvailable(50)
        bench.run(for: .seconds(10))
        #expect(bench.relieved == ["b"])
        bench.workers[0].band = .active
        bench.run(for: .seconds(60))
        #expect(bench.relieved == ["b"])
    }

    @Test func `of what has become critical come at that level, when twenty-five seconds have passed`() {
        var bench = Self.warned([.worker("a", .active)])
        bench.run(for: .seconds(20))
        bench.setAvailable(4)
        bench.give(.fact(.sampled(bench.sample)))
        bench.run(for: .seconds(4))
        #expect(bench.model.level == .critical && bench.tellings.map(\.level) == [.warning])
        bench.run(for: .seconds(7))
        #expect(bench.tellings.map(\.level) == [.warning, .critical])
        bench.setAvailable(50)
        bench.run(for: .seconds(5))
        #expect(bench.tellings.map(\.level) == [.warning, .critical, .normal])
    }

    @Test func `end with the pressure`() {
        var bench = Self.warned(Self.five)
        bench.setAvailable(50)
        bench.give(.fact(.sampled(bench.sample)))
        bench.run(for: .seconds(60))
        #expect(bench.warnings == ["big"])
    }

    @Test func `do not go to one that has fallen asleep, is ending, or could not hear them`() {
        var bench = Self.warned([
            .worker("a", .active, megabytes: 30), .worker("b", .active, megabytes: 20),
            .worker("c", .active, megabytes: 10), .worker("d", .active, megabytes: 9),
        ])
        bench.workers[1].band = .suspended
        bench.workers[2].isEnding = true
        bench.workers[3].hearsWarnings = false
        bench.run(for: .seconds(10))
        #expect(bench.warnings == ["a"])
    }

    @Test func `go to one whose own group is short, whatever the machine has`() {
        var bench = Self.warned([.worker("a", .active), .worker("b", .active)], 50)
        bench.give(.fact(.triggered(.some, .worker("b"))))
        bench.run(for: .seconds(60))
        #expect(bench.warnings == ["b"] && bench.levels.isEmpty)
        bench.give(.fact(.eventsChanged(worker: "a", MemoryEvents(high: 7))))
        bench.run(for: .seconds(1))
        #expect(bench.warnings == ["b"], "where counting begins")
        bench.give(.fact(.eventsChanged(worker: "a", MemoryEvents(high: 8))))
        bench.give(.fact(.eventsChanged(worker: "a", MemoryEvents(high: 9))))
        bench.run(for: .seconds(60))
        #expect(bench.warnings == ["b", "a"])
        // Each hears that it is over when its own group has been quiet for so long that it would be told again.
        #expect(bench.relieved == ["b", "a"])
    }

    @Test func `of a worker's own shortage are not over while it lasts`() {
        var bench = Self.warned([.worker("a", .active), .worker("b", .active)], 50)
        for _ in 0..<40 {
            bench.give(.fact(.triggered(.some, .worker("a"))))
            bench.run(for: .seconds(2))
        }
        #expect(bench.warnings.count == 4 && bench.relieved.isEmpty)
        bench.run(for: .seconds(22))
        #expect(bench.relieved.isEmpty)
        bench.run(for: .seconds(2))
        #expect(bench.relieved == ["a"] && !bench.warnings.contains("b"))
        bench.run(for: .seconds(600))
        #expect(bench.tellings.count == 5)
    }

    @Test func `are only said where the policy observes`() {
        var settings = PressureSettings()
        settings.observes = true
        var bench = Bench([.worker("a", .active, evictable: .no)], settings)
        bench.setAvailable(8)
        bench.start()
        #expect(bench.warnings.isEmpty && bench.reports == [.wouldWarn(worker: "a")])
    }
}
