import Lifecycle
import Pressure
import Testing

/// Who is told, and in which order (2.3).
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
