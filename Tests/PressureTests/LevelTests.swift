import Lifecycle
import Testing

@testable import Pressure

/// Levels, their hysteresis, and how often the supervisor looks at memory (2.3).
@Suite struct `Levels of memory pressure` {
    struct Step: Sendable {
        let percent: Int64
        let level: PressureLevel
    }

    @Test func `available memory makes levels, and each is left a quarter later`() {
        let day: [Step] = [
            .init(percent: 50, level: .normal), .init(percent: 10, level: .normal),
            .init(percent: 9, level: .warning), .init(percent: 10, level: .warning),
            .init(percent: 12, level: .warning), .init(percent: 13, level: .normal),
            .init(percent: 11, level: .normal), .init(percent: 4, level: .critical),
            .init(percent: 6, level: .critical), .init(percent: 7, level: .warning),
            .init(percent: 5, level: .warning), .init(percent: 3, level: .critical),
            .init(percent: 40, level: .normal),
        ]
        var bench = Bench([.worker("a", .active, evictable: .no)])
        bench.start()
        for step in day {
            bench.setAvailable(step.percent)
            bench.give(.fact(.sampled(bench.sample)))
            #expect(bench.model.level == step.level, "\(step.percent) %")
        }
    }

    @Test func `a trigger makes a level, which ends when it has been silent and the totals are low`() {
        var bench = Bench([.worker("a", .active, evictable: .no)])
        bench.setAvailable(20)
        bench.start()
        bench.give(.fact(.triggered(.some, .machine)))
        #expect(bench.levels == [.warning])
        bench.run(for: .milliseconds(3900))
        #expect(bench.model.level == .warning)
        bench.run(for: .seconds(4))
        #expect(bench.levels == [.warning, .normal])
    }

    @Test func `a full stall is critical, and it goes down over a warning`() {
        var bench = Bench([.worker("a", .active, evictable: .no)])
        bench.setAvailable(6)
        bench.start()
        bench.give(.fact(.triggered(.full, .subtree)))
        #expect(bench.levels == [.warning, .critical])
        // Some wait still: 9 % of the time, which is under the threshold and over what clears it.
        for _ in 0..<100 {
            bench.lose(.milliseconds(18))
            bench.run(for: .milliseconds(200))
        }
        #expect(bench.levels == [.warning, .critical, .warning])
        bench.setAvailable(20)
        bench.run(for: .seconds(6))
        #expect(bench.levels == [.warning, .critical, .warning, .normal])
    }

    struct Shortage: CustomTestStringConvertible, Sendable {
        let kind: PressureTrigger.Kind
        let place: PressurePlace
        let percent: Int64
        let level: PressureLevel
        var victims: [String] = []
        var testDescription: String { "\(kind) at \(percent) %" }
    }

    @Test(arguments: [
        Shortage(kind: .full, place: .machine, percent: 97, level: .normal),
        Shortage(kind: .full, place: .subtree, percent: 66, level: .normal),
        Shortage(kind: .some, place: .subtree, percent: 25, level: .normal),
        Shortage(kind: .full, place: .machine, percent: 25, level: .normal),
        Shortage(kind: .some, place: .machine, percent: 24, level: .warning),
        Shortage(kind: .full, place: .subtree, percent: 24, level: .warning),
        Shortage(kind: .full, place: .subtree, percent: 11, level: .warning),
        Shortage(kind: .full, place: .machine, percent: 7, level: .warning),
        Shortage(kind: .some, place: .machine, percent: 6, level: .warning),
        Shortage(kind: .full, place: .subtree, percent: 6, level: .critical, victims: ["asleep"]),
        Shortage(kind: .full, place: .machine, percent: 4, level: .critical, victims: ["asleep"]),
    ])
    func `stall is a shortage of the machine only where its available memory says so`(_ row: Shortage) {
        var bench = Bench([
            .worker("asleep", megabytes: 100), .worker("throttled", .active, megabytes: 100),
            .worker("neighbour", .active, megabytes: 100),
        ])
        bench.setAvailable(row.percent)
        bench.give(.fact(.triggered(row.kind, row.place)))
        bench.start()
        for _ in 0..<20 {
            bench.give(.fact(.triggered(row.kind, row.place)))
            if bench.model.level != row.level, row.victims.isEmpty { break }
            bench.run(for: .seconds(2))
        }
        #expect(bench.victims == row.victims)
        if row.victims.isEmpty { #expect(bench.model.level == row.level) }
        #expect(bench.levels.contains(row.level) || row.level == .normal)
        if row.level == .normal { #expect(bench.warnings.isEmpty && bench.levels.isEmpty) }
    }

    @Test func `a worker that stalls on its own limit is told, and no other hears of it`() {
        var bench = Bench([
            .worker("asleep"), .worker("throttled", .active), .worker("neighbour", .active),
        ])
        bench.setAvailable(66)
        bench.start()
        bench.give(.fact(.eventsChanged(worker: "throttled", MemoryEvents())))
        for count in 1...30 as ClosedRange<Int64> {
            bench.give(.fact(.eventsChanged(worker: "throttled", MemoryEvents(high: count))))
            bench.give(.fact(.triggered(.some, .worker("throttled"))))
            bench.give(.fact(.triggered(.full, .subtree)))
            bench.run(for: .seconds(2))
        }
        #expect(Set(bench.warnings) == ["throttled"] && bench.warnings.count == 3)
        #expect(bench.victims.isEmpty && bench.levels.isEmpty && bench.reports.isEmpty)
    }

    @Test func `where no trigger can be had the totals make the levels`() {
        var bench = Bench([.worker("a", .active, evictable: .no)])
        bench.setAvailable(20)
        bench.start()
        for _ in 0..<15 {
            bench.lose(.milliseconds(150))
            bench.run(for: .seconds(1))
        }
        #expect(bench.levels == [.warning])
    }

    @Test func `without anything to do nobody looks and nothing is armed`() {
        var bench = Bench()
        bench.start()
        bench.give(.fact(.triggered(.full, .machine)))
        bench.setAvailable(1)
        bench.run(for: .seconds(3600))
        #expect(bench.looks == 0 && bench.samples == 0 && !bench.hasTimers && bench.levels.isEmpty)
    }

    @Test func `with plenty of memory there is one look in ten seconds, and time for others to share it`() {
        var bench = Bench([.worker("a")])
        bench.memory = MachineMemory(total: 16 << 30, available: 8 << 30)
        bench.start()
        bench.run(for: .seconds(3601))
        #expect(bench.samples == 361 && bench.looks == 0)
        #expect(
            bench.effects.allSatisfy {
                if case .arm(_, _, let slack, _) = $0 { slack >= .milliseconds(500) } else { true }
            })
    }

    @Test(arguments: [
        (1, 90, 10), (24, 90, 34), (24, 50, 14), (24, 30, 10), (24, 20, 10), (24, 15, 5), (256, 90, 120),
    ])
    func `where pressure itself wakes us, a look waits the longer the more there is`(
        gigabytes: Int64, percent: Int64, seconds: Int64
    ) throws {
        var bench = Bench([.worker("a")])
        bench.memory = MachineMemory(total: gigabytes << 30, available: (gigabytes << 30) / 100 * percent)
        bench.start()
        bench.give(.listening(isWoken: true))
        #expect(abs(try #require(bench.nextSample).microseconds - seconds * 1_000_000) < 500_000)
        bench.give(.listening(isWoken: false))
        #expect(try #require(bench.nextSample) <= .seconds(10))
    }

    @Test(arguments: [
        (256, 50, 1600), (1000, 34, 3750), (1000, 90, 10_000), (4000, 20, 6250), (16_000, 21, 10_000),
    ])
    func `where there is little, a look comes before it can be gone`(
        megabytes: Int64, percent: Int64, milliseconds: Int64
    ) throws {
        var bench = Bench([.worker("a")])
        bench.memory = MachineMemory(total: megabytes << 20, available: (megabytes << 20) / 100 * percent)
        bench.start()
        for isWoken in [false, true] {
            bench.give(.listening(isWoken: isWoken))
            #expect(abs(try #require(bench.nextSample).microseconds / 1000 - milliseconds) < 50)
        }
    }

    @Test func `where all stand still for something else, memory that runs out is looked at in time`() throws
    {
        var bench = Bench([.worker("a")])
        bench.setAvailable(60)
        bench.start()
        bench.give(.fact(.triggered(.full, .machine)))
        bench.run(for: .seconds(3))
        #expect(bench.model.level == .normal && bench.looks == 0)
        #expect(try #require(bench.nextSample) <= .seconds(10))
        bench.setAvailable(9)
        bench.give(.fact(.sampled(bench.sample)))
        #expect(try #require(bench.nextSample) <= .milliseconds(200))
    }

    @Test func `the first stall is a reason to look, unless that was just done`() {
        var bench = Bench([.worker("a")])
        bench.give(.fact(.stirred))
        #expect(bench.samples == 0, "there is nothing to do yet")
        bench.start()
        bench.give(.fact(.stirred))
        #expect(bench.samples == 1, "it has been looked at in this moment")
        bench.run(for: .seconds(1))
        bench.setAvailable(4)
        bench.give(.fact(.stirred))
        #expect(bench.samples == 2 && bench.model.level == .critical)
    }

    @Test func `the nearer the threshold the sooner the next look`() throws {
        var last = TimeSpan.seconds(11)
        for percent: Int64 in [30, 20, 18, 15, 12, 11, 10] {
            // One that has not been looked at before: its speed says nothing.
            var bench = Bench([.worker("a", .active, evictable: .no)])
            bench.setAvailable(percent)
            bench.start()
            let next = try #require(bench.nextSample)
            #expect(next <= last, "\(percent) %")
            last = next
        }
        #expect(last == .milliseconds(50))
    }

    @Test func `figures of another group are no decline`() throws {
        var bench = Bench([.worker("a")])
        bench.memory = MachineMemory(total: 64 << 30, available: 40 << 30)
        bench.start()
        bench.run(for: .seconds(1))
        bench.memory = MachineMemory(total: 16 << 30, available: 4 << 30)
        bench.give(.fact(.sampled(bench.sample)))
        #expect(try #require(bench.nextSample) >= .seconds(9))
    }

    @Test func `a fast decline brings the next look forward`() throws {
        var bench = Bench([.worker("a")])
        bench.setAvailable(60)
        bench.start()
        bench.run(for: .seconds(1))
        bench.setAvailable(19)
        bench.give(.fact(.sampled(bench.sample)))
        // 410 MB in a second: 90 MB more last 220 ms.
        #expect(try #require(bench.nextSample) < .milliseconds(60))
    }

    @Test func `with plenty of memory a look comes sooner only where there will not be plenty by then`()
        throws
    {
        var bench = Bench([.worker("a")])
        bench.memory = MachineMemory(total: 16 << 30, available: 8 << 30)
        bench.setAvailable(60)
        bench.start()
        bench.run(for: .seconds(10))
        bench.setAvailable(40)
        bench.run(for: .seconds(1))
        #expect(try #require(bench.nextSample) >= .seconds(9), "20 % in ten seconds: another ten are left")
        bench.run(for: .seconds(10))
        bench.setAvailable(25)
        bench.give(.fact(.sampled(bench.sample)))
        #expect(try #require(bench.nextSample) < .seconds(10))
        #expect(try #require(bench.nextSample) >= .seconds(1))
    }

    @Test func `when the last one that mattered is gone, the level is nobody's business`() {
        var bench = Bench([.worker("a", .active, evictable: .no)])
        bench.setAvailable(3)
        bench.start()
        #expect(bench.model.level == .critical)
        bench.give(.workersChanged(canEvict: false, canWarn: false))
        #expect(bench.model.level == .normal && !bench.hasTimers)
    }
}
