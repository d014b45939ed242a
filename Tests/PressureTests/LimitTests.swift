import Lifecycle
import Testing

@testable import Pressure

/// Limits of workers that the supervisor alone enforces (2.3).
@Suite struct `Limits that we see to` {
    struct Row: Sendable {
        let held: Int64
        let growth: Double
        let span: TimeSpan
    }

    /// Of a limit of 1000 MB, growth in MB a second.
    static let pace: [Row] = [
        Row(held: 0, growth: 0, span: .seconds(10)), Row(held: 500, growth: 0, span: .seconds(10)),
        Row(held: 799, growth: 0, span: .seconds(10)), Row(held: 800, growth: 0, span: .seconds(1)),
        Row(held: 900, growth: 0, span: .milliseconds(550)),
        Row(held: 1000, growth: 0, span: .milliseconds(100)),
        Row(held: 2000, growth: 0, span: .milliseconds(100)),
        // 500 MB are left for five seconds: a quarter of that.
        Row(held: 500, growth: 100, span: .milliseconds(1250)),
        Row(held: 500, growth: 1, span: .seconds(10)), Row(held: 500, growth: -100, span: .seconds(10)),
        Row(held: 500, growth: 1e6, span: .milliseconds(100)),
        Row(held: 800, growth: 100, span: .milliseconds(500)),
    ]

    @Test(arguments: pace.indices)
    func `are looked at the more often the nearer they are, and the faster a worker grows`(_ row: Int) {
        let row = Self.pace[row]
        let worker = LimitedWorker(name: "a", limit: 1000 << 20, held: row.held << 20)
        #expect(LimitPace.next(worker, growth: row.growth * Double(1 << 20)) == row.span)
    }

    @Test func `nobody waits longer than a second from four fifths on, and ten else`() {
        for limit: Int64 in [0, 1, 1 << 20, 1 << 40, .max] {
            for percent: Int64 in 0...120 {
                for growth: Double in [0, 1, 1e3, 1e9, 1e18, -1e18] {
                    let held = Int64(clamping: Int(Double(limit) / 100 * Double(min(percent, 99))))
                    let span = LimitPace.next(
                        LimitedWorker(name: "a", limit: limit, held: held), growth: growth)
                    #expect(span >= .milliseconds(100) && span <= .seconds(10))
                    if percent >= 81, limit > 1000 { #expect(span <= .seconds(1)) }
                }
            }
        }
    }

    private func worker(_ name: String, _ held: Int64, isAwake: Bool = true) -> LimitedWorker {
        LimitedWorker(name: name, limit: 100, held: held, isAwake: isAwake)
    }

    @Test func `a worker is told of when it passes its limit, and again only when ten seconds have passed`() {
        var watch = LimitWatch()
        #expect(watch.take([worker("a", 100), worker("b", 7)], at: .zero).over.isEmpty)
        #expect(
            watch.take([worker("b", 101), worker("a", 101)], at: .zero + .seconds(1)).over == ["a", "b"])
        #expect(watch.take([worker("a", 150), worker("b", 9)], at: .zero + .seconds(2)).over.isEmpty)
        #expect(watch.take([worker("a", 150), worker("b", 101)], at: .zero + .seconds(3)).over == ["b"])
        #expect(watch.take([worker("a", 150)], at: .zero + .seconds(11)).over == ["a"])
        #expect(watch.take([], at: .zero + .seconds(12)).over.isEmpty)
        #expect(watch.take([worker("a", 150)], at: .zero + .seconds(13)).over == ["a"], "another of its name")
    }

    @Test func `a new worker is looked at again in a second, then as it grows, and a sleeper not for itself`()
    {
        var watch = LimitWatch()
        #expect(watch.take([worker("a", 10)], at: .zero).after == .seconds(1))
        #expect(watch.take([worker("a", 10)], at: .zero + .seconds(1)).after == .seconds(10))
        #expect(
            watch.take([worker("a", 30)], at: .zero + .seconds(11)).after == TimeSpan(microseconds: 8_750_000)
        )
        // It grew by two in a second, and may again at half of that.
        #expect(
            watch.take([worker("a", 75)], at: .zero + .seconds(20)).after == TimeSpan(microseconds: 1_250_000)
        )
        #expect(watch.take([worker("a", 99, isAwake: false)], at: .zero + .seconds(21)).after == nil)
        #expect(watch.take([worker("b", 101, isAwake: false)], at: .zero + .seconds(22)).over == ["b"])
    }

    @Test func `the model looks while such a worker runs, once more when none does, and never else`() {
        var bench = Bench([.worker("a", .active, megabytes: 50, evictable: .no)])
        bench.start()
        bench.run(for: .seconds(100))
        #expect(bench.limitLooks == 0)
        bench.limit = 100 << 20
        bench.give(.limitsChanged(areOurs: true))
        bench.give(.limitsChanged(areOurs: true))
        #expect(bench.limitLooks == 1)
        bench.run(for: .seconds(101))
        #expect(bench.limitLooks == 12, "one at once, one after a second, then every ten")
        bench.workers[0].memory = WorkerMemory(resident: 90 << 20)
        bench.run(for: .seconds(20))
        #expect(bench.limitLooks >= 30)
        #expect(bench.victims.isEmpty)
        bench.workers[0].memory = WorkerMemory(resident: 101 << 20)
        bench.run(for: .seconds(1))
        #expect(bench.victims == ["a"])
        bench.give(.limitsChanged(areOurs: false))
        let looks = bench.limitLooks
        bench.run(for: .seconds(100))
        #expect(bench.limitLooks == looks)
    }

    @Test func `a worker is near its limit from four fifths on, until it holds a quarter less`() {
        var watch = LimitWatch()
        for (second, (held, isNear)) in [
            (79, false), (80, true), (79, true), (60, true), (59, false), (79, false), (100, true),
            (101, false),
            (100, true),
        ].enumerated() {
            let near = watch.take([worker("a", Int64(held))], at: .zero + .seconds(Int64(second))).near
            #expect(near == (isNear ? ["a"] : []), "\(held) %")
        }
        watch.forget("a")
        #expect(watch.take([worker("a", 70)], at: .zero + .seconds(20)).near.isEmpty, "another of its name")
    }

    private func limited(_ megabytes: Int64, _ band: PressureBand = .active) -> Bench {
        var bench = Bench([.worker("a", band, megabytes: megabytes, evictable: .no, limit: 100)])
        bench.limit = 100 << 20
        bench.start()
        bench.give(.limitsChanged(areOurs: band.isRunning))
        return bench
    }

    private func hold(_ megabytes: Int64, _ bench: inout Bench, for span: TimeSpan) {
        bench.workers[0].memory = WorkerMemory(resident: megabytes << 20)
        bench.run(for: span)
    }

    @Test func `a worker is told once that it is near its limit, and once that it is no longer`() {
        var bench = limited(70)
        bench.run(for: .seconds(30))
        #expect(bench.tellings.isEmpty)
        hold(82, &bench, for: .seconds(120))
        #expect(bench.tellings == [MemoryWarning(worker: "a", level: .warning, available: 18 << 20)])
        hold(61, &bench, for: .seconds(30))
        #expect(bench.relieved.isEmpty)
        hold(55, &bench, for: .seconds(120))
        #expect(bench.tellings.last == MemoryWarning(worker: "a", level: .normal, available: 45 << 20))
        #expect(bench.tellings.count == 2 && bench.levels.isEmpty && bench.victims.isEmpty)
        hold(85, &bench, for: .seconds(120))
        #expect(bench.tellings.map(\.level) == [.warning, .normal, .warning])
    }

    @Test func `a worker that was told a moment ago hears of its limit when it may be told again`() {
        var bench = limited(50)
        bench.setAvailable(8)
        bench.run(for: .seconds(20))
        #expect(bench.warnings == ["a"])
        bench.setAvailable(50)
        bench.run(for: .seconds(1))
        #expect(bench.relieved == ["a"])
        let told = bench.tellings.count
        hold(90, &bench, for: .milliseconds(500))
        #expect(bench.tellings.count == told)
        bench.run(for: .seconds(30))
        #expect(bench.tellings.count == told + 1 && bench.tellings.last?.level == .warning)
    }

    @Test func `a machine that is no longer short is not the end of it for a worker near its limit`() {
        var bench = limited(90)
        #expect(bench.warnings == ["a"])
        bench.setAvailable(8)
        bench.run(for: .seconds(40))
        bench.setAvailable(50)
        bench.run(for: .seconds(40))
        #expect(bench.warnings == ["a", "a"] && bench.relieved.isEmpty)
        hold(40, &bench, for: .seconds(20))
        #expect(bench.relieved == ["a"])
    }

    @Test func `a worker that sleeps is not told of its limit, and of what is over by then never`() {
        var bench = limited(90, .suspended)
        bench.give(.limitsChanged(areOurs: true))
        bench.run(for: .seconds(30))
        #expect(bench.tellings.isEmpty)
        bench.workers[0].band = .active
        bench.start()
        bench.give(.limitsChanged(areOurs: false))
        bench.give(.limitsChanged(areOurs: true))
        #expect(bench.warnings == ["a"])
        bench.workers[0].band = .suspended
        bench.give(.workersChanged(canEvict: false, canWarn: false))
        bench.give(.limitsChanged(areOurs: false))
        hold(30, &bench, for: .seconds(30))
        bench.workers[0].band = .active
        bench.start()
        bench.give(.limitsChanged(areOurs: true))
        bench.run(for: .seconds(30))
        #expect(bench.tellings.count == 1)
    }

    @Test func `a policy that observes says once what it would do`() {
        var settings = PressureSettings()
        settings.observes = true
        var bench = Bench([.worker("a", .active, megabytes: 120, evictable: .no)], settings)
        bench.limit = 100 << 20
        bench.start()
        bench.give(.limitsChanged(areOurs: true))
        bench.run(for: .seconds(9))
        #expect(bench.victims.isEmpty && bench.reports.count == 1)
    }
}
