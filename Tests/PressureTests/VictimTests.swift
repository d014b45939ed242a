import Lifecycle
import Testing

@testable import Pressure

/// Which workers are evicted, in which order, and when none is (2.3).
@Suite struct `Victims` {
    struct Row: CustomTestStringConvertible, Sendable {
        let why: String
        let workers: [PressureCandidate]
        var bySize = false
        let order: [String]
        var testDescription: String { why }
    }

    static let orders: [Row] = [
        Row(
            why: "bands: asleep, background, kept there, inactive, active",
            workers: [
                .worker("active", .active), .worker("inactive", .inactive),
                .worker("kept", .keptInBackground), .worker("background", .background), .worker("asleep"),
            ], order: ["asleep", "background", "kept", "inactive", "active"]),
        Row(
            why: "prelaunched before others that sleep",
            workers: [.worker("a", active: 1), .worker("warm", prelaunched: true)], order: ["warm", "a"]),
        Row(
            why: "graceful ones after all others that sleep, and before anything that runs",
            workers: [
                .worker("b", .background), .worker("told", evictable: .graceful, priority: -5),
                .worker("silent"),
                .worker("warm", evictable: .graceful, prelaunched: true),
            ], order: ["silent", "warm", "told", "b"]),
        Row(
            why: "what runs is told in any case",
            workers: [
                .worker("a", .background, evictable: .silent, priority: 1),
                .worker("b", .background, evictable: .graceful),
            ],
            order: ["b", "a"]),
        Row(
            why: "the lower priority, then the least recently active, never active first of all",
            workers: [
                .worker("late", active: 90), .worker("early", active: 10), .worker("never"),
                .worker("low", priority: -1, active: 95),
            ], order: ["low", "never", "early", "late"]),
        Row(
            why: "by size, within a priority",
            workers: [
                .worker("small", megabytes: 10), .worker("big", megabytes: 90),
                .worker("low", megabytes: 5, priority: -1), .worker("running", .background, megabytes: 900),
            ], bySize: true, order: ["low", "big", "small", "running"]),
        Row(
            why: "one that fell asleep in the last ten seconds after all older sleepers, before what runs",
            workers: [
                .worker("b", .background), .worker("fresh", priority: -9, asleep: 91),
                .worker("old", asleep: 90), .worker("told", evictable: .graceful, asleep: 3),
            ], order: ["old", "told", "fresh", "b"]),
        Row(
            why: "without connections first, then those whose sockets stay open, whatever their priority",
            workers: [
                .worker("connected", priority: -9), .worker("closed", priority: -8).unconnected(),
                .worker("held", priority: 5).unconnected().withDoors(), .worker("both").withDoors(),
                .worker("told", evictable: .graceful, priority: -5).withDoors(),
            ], order: ["held", "closed", "both", "told", "connected"]),
        Row(
            why: "never those that must not, those that end, and those that would bring nothing",
            workers: [
                .worker("no", evictable: .no), .worker("empty", megabytes: 0, swapped: 500), .worker("yes"),
            ], order: ["yes"]),
    ]

    @Test(arguments: orders) func `go in their order`(_ row: Row) {
        var settings = PressureSettings()
        settings.biggestFirst = row.bySize
        let sample = MemorySample(memory: MachineMemory(total: 1000, available: 10), stall: nil)
        let now = Instant.zero + .seconds(100)
        let ranked = VictimOrder.ranked(PressureSnapshot(sample, row.workers), settings, at: now)
        #expect(ranked.map(\.candidate.name) == row.order)
        let other = VictimOrder.ranked(
            PressureSnapshot(sample, row.workers.reversed()), settings, at: now)
        #expect(other == ranked, "whatever the order they are told in")
    }

    @Test func `bring what they have in memory, and swap where that is short or lies in memory`() {
        let worker = PressureCandidate.worker("a", megabytes: 10, swapped: 90)
        func benefit(free: Int64, zram: Int64) -> Int64 {
            let memory = MachineMemory(total: 1000, available: 10, swapTotal: 100, swapFree: free)
            return worker.benefit(
                MemorySample(memory: memory, stall: nil, compressedSwapPercent: zram)) >> 20
        }
        #expect(benefit(free: 50, zram: 0) == 10)
        #expect(benefit(free: 50, zram: 100) == 40)
        #expect(benefit(free: 5, zram: 0) == 100)
        let huge = PressureCandidate(
            name: "huge", band: .suspended, memory: WorkerMemory(resident: .max, swapped: .max))
        #expect(huge.benefit(MemorySample(memory: MachineMemory(total: 1, available: 0), stall: nil)) == .max)
    }

    private static func critical(
        _ workers: [PressureCandidate], _ percent: Int64 = 3, _ settings: PressureSettings = .init()
    ) -> Bench {
        var bench = Bench(workers, settings)
        bench.setAvailable(percent)
        bench.start()
        return bench
    }

    @Test func `go one at a time, until there is enough again`() {
        var bench = Self.critical((1...5).map { .worker("\($0)", megabytes: 20) })
        #expect(bench.victims == ["1"])
        bench.run(for: .milliseconds(9))
        bench.give(.fact(.triggered(.full, .machine)))
        #expect(bench.victims == ["1"], "its memory is not back yet")
        bench.run(for: .milliseconds(1))
        #expect(bench.victims == ["1", "2"], "and the next at once")
        bench.run(for: .seconds(60))
        // 30 MB + 2 × 20 MB is 7 %.
        #expect(bench.victims == ["1", "2"])
        #expect(bench.levels == [.critical, .warning])
        #expect(
            bench.reports.filter {
                if case .broughtBack(_, let after) = $0 { after == .milliseconds(10) } else { false }
            }
            .count == 2)
    }

    @Test func `that sleep die silently, and others have as much time as there is`() throws {
        func grace(_ worker: PressureCandidate, _ percent: Int64, stalls: Bool = false) -> TimeSpan?? {
            var bench = Bench([worker])
            bench.setAvailable(percent)
            if stalls { bench.start(); bench.give(.fact(.triggered(.full, .machine))) } else { bench.start() }
            return bench.effects.compactMap { effect -> TimeSpan?? in
                if case .evict(let victim) = effect { .some(victim.grace) } else { nil }
            }.first ?? nil
        }
        #expect(grace(.worker("a"), 3) == .some(nil))
        #expect(grace(.worker("a", evictable: .graceful), 4) == .seconds(2))
        #expect(grace(.worker("a", .background), 4) == .seconds(2))
        #expect(grace(.worker("a", .background), 2) == .milliseconds(500))
        #expect(grace(.worker("a", evictable: .graceful), 6, stalls: true) == .milliseconds(500))
    }

    @Test func `that cannot be killed are reported, and the next one is taken`() {
        var bench = Self.critical([])
        bench.workers = [.worker("a", active: 1), .worker("b", active: 2)]
        bench.dying = nil
        bench.start()
        #expect(bench.victims == ["a"])
        bench.run(for: .milliseconds(2999))
        #expect(bench.victims == ["a"])
        bench.dying = .milliseconds(10)
        bench.run(for: .milliseconds(2))
        #expect(bench.victims == ["a", "b"])
        #expect(
            bench.reports.contains {
                if case .cannotBeFreed(let victim, _) = $0 { victim.name == "a" } else { false }
            })
    }

    @Test func `that are refused are not chosen again and again`() {
        var bench = Self.critical([.worker("a", active: 1), .worker("b", active: 2)])
        bench.give(.refused(worker: "a"))
        #expect(bench.victims == ["a", "b"])
    }

    @Test func `over their own limit go at once, whatever their band and the machine`() {
        var bench = Self.critical([.worker("a"), .worker("greedy", .active, evictable: .no)], 60)
        bench.give(.fact(.overLimit(worker: "greedy")))
        bench.give(.fact(.overLimit(worker: "greedy")))
        bench.run(for: .seconds(10))
        #expect(bench.victims == ["greedy"])
        guard
            case .evict(let victim)? = bench.effects.first(where: {
                if case .evict = $0 { true } else { false }
            })
        else { return }
        #expect(victim.reason == .limit && victim.grace == .seconds(2))
    }

    @Test func `for which the kernel finds nobody to kill are ours, and its victims are its own`() {
        var bench = Self.critical([.worker("a"), .worker("b"), .worker("c")], 60)
        for worker in ["a", "b", "c"] { bench.give(.fact(.eventsChanged(worker: worker, MemoryEvents()))) }
        bench.give(.fact(.eventsChanged(worker: "b", MemoryEvents(max: 4, oom: 1))))
        bench.give(.fact(.eventsChanged(worker: "b", MemoryEvents(max: 4, oom: 1, oomKill: 2))))
        bench.give(.fact(.eventsChanged(worker: "c", MemoryEvents(max: 4, oom: 1))))
        for count in 1...10 as ClosedRange<Int64> {
            bench.give(.fact(.eventsChanged(worker: "a", MemoryEvents(max: 4, oom: count))))
            #expect(bench.victims.isEmpty, "the kernel counts first, and kills then")
            bench.run(for: .milliseconds(100))
        }
        bench.give(.fact(.eventsChanged(worker: "a", MemoryEvents(max: 4, oom: 11))))
        bench.run(for: .seconds(10))
        bench.give(.fact(.eventsChanged(worker: "c", MemoryEvents(max: 4, oom: 2))))
        #expect(bench.victims == ["a"], "the other one was let down once in a while, and goes on")
        #expect(bench.reports.first == .killedByKernel(worker: "b", processes: 2))
    }

    @Test func `by stall alone go one in each trigger, and only fresh ones count`() {
        var bench = Self.critical((1...5).map { .worker("\($0)") }, 11)
        bench.give(.fact(.triggered(.full, .machine)))
        #expect(bench.victims.isEmpty, "there is memory")
        bench.setAvailable(6)
        bench.givesBack = false
        bench.give(.fact(.triggered(.full, .machine)))
        #expect(bench.victims == ["1"])
        bench.run(for: .milliseconds(100))
        bench.give(.fact(.triggered(.full, .machine)))
        #expect(bench.victims == ["1"], "that was before its memory came back")
        bench.run(for: .seconds(3))
        bench.give(.fact(.triggered(.full, .machine)))
        #expect(bench.victims == ["1", "2"])
        bench.run(for: .seconds(60))
        #expect(bench.victims == ["1", "2"])
    }

    @Test func `of a container at its limit go although the machine around it has memory`() {
        var bench = Bench([.worker("a"), .worker("b", .active)])
        bench.memory = MachineMemory(total: 32 << 30, available: 30 << 30)
            .within([GroupMemory(limit: 500 << 20, used: 480 << 20)])
        bench.start()
        bench.give(.fact(.triggered(.full, .subtree)))
        #expect(bench.victims == ["a"])
    }

    // MARK: pressure from outside of us

    @Test func `that sleep go one at a time, however little each brings`() {
        var bench = Self.critical((1...3).map { .worker("\($0)", megabytes: 2) }, 0)
        #expect(bench.victims == ["1"])
        bench.run(for: .seconds(60))
        #expect(bench.victims == ["1", "2", "3"])
        #expect(
            bench.reports.filter {
                if case .nothingHelps(let why, _) = $0 { why == .nobodyLeft } else { false }
            }
            .count == 1)
    }

    @Test func `that sleep go for less than a megabyte too`() {
        var bench = Self.critical([], 1)
        bench.workers = [
            PressureCandidate(name: "tiny", band: .suspended, memory: WorkerMemory(resident: 300 << 10)),
            PressureCandidate(name: "none", band: .suspended, memory: WorkerMemory(resident: 0)),
        ]
        bench.start()
        bench.run(for: .seconds(10))
        #expect(bench.victims == ["tiny"])
    }

    @Test func `that run are not killed for what they cannot give, and sleepers still go`() {
        var bench = Self.critical(
            [
                .worker("asleep", megabytes: 20), .worker("a", .active, megabytes: 20),
                .worker("b", .background, megabytes: 5),
            ],
            1)
        bench.givesBack = false
        bench.run(for: .seconds(60))
        #expect(bench.victims == ["asleep"])
        #expect(
            bench.reports.contains {
                if case .nothingHelps(.holdsTooLittle, _) = $0 { true } else { false }
            })
    }

    @Test func `that run go however little each brings where the shortage is ours`() {
        // The big one must not go, and what is missing is in its hands.
        var bench = Self.critical(
            [
                .worker("big", .active, megabytes: 400, evictable: .no),
                .worker("small", .background, megabytes: 10), .worker("used", .active, megabytes: 5),
            ], 1)
        bench.run(for: .seconds(60))
        #expect(bench.victims == ["small", "used"])
    }

    @Test func `stop where three of them in a row brought nothing and only those that run are left`() {
        let asleep: [PressureCandidate] = (1...4).map { .worker("s\($0)") }
        let running: [PressureCandidate] = (1...4).map { .worker("r\($0)", .active) }
        var bench = Bench(asleep + running)
        bench.givesBack = false
        bench.setAvailable(2)
        bench.start()
        bench.run(for: .seconds(60))
        #expect(bench.victims == ["s1", "s2", "s3", "s4"])
        #expect(bench.model.noVictim == .broughtNothing)
        // It said so once, and looks only now and then.
        #expect(bench.reports.filter { if case .nothingHelps = $0 { true } else { false } }.count == 1)
        #expect(bench.samples < 40)
        bench.setAvailable(60)
        bench.run(for: .seconds(3))
        #expect(bench.model.level == .normal && bench.model.noVictim == nil)
    }

    @Test func `that run go where that settles it`() {
        var bench = Self.critical([
            .worker("a", .active, megabytes: 200), .worker("b", .background, megabytes: 100),
        ])
        bench.run(for: .seconds(10))
        #expect(bench.victims == ["b"])
    }

    @Test func `that run do not go where others take what they bring`() {
        var bench = Bench([.worker("a", .active, megabytes: 60), .worker("b", .background, megabytes: 40)])
        bench.setAvailable(12)
        bench.start()
        bench.run(for: .seconds(1))
        bench.setAvailable(4)
        bench.give(.fact(.sampled(bench.sample)))
        #expect(bench.victims.isEmpty && bench.model.noVictim == .keepsFalling, "80 MB at once")
        bench.run(for: .seconds(20))
        #expect(bench.victims == ["b"], "it has stopped falling")
    }

    @Test func `say by which figures it would not help, those of workers that must not go included`() {
        var bench = Bench([
            .worker("a", .active, megabytes: 60), .worker("b", .background, megabytes: 40, evictable: .no),
        ])
        bench.setAvailable(12)
        bench.start()
        bench.run(for: .seconds(1))
        bench.setAvailable(4)
        bench.give(.fact(.sampled(bench.sample)))
        let told = bench.reports.compactMap { report -> (PressureReport.NoVictim, Shortfall)? in
            guard case .nothingHelps(let why, let shortfall) = report else { return nil }
            return (why, shortfall)
        }
        #expect(told.map(\.0) == [.keepsFalling])
        guard let shortfall = told.first?.1 else { return }
        // 6.25 % of 1000 MB less 40 MB, and 80 MB since the last look, for five seconds.
        #expect(shortfall.missing == (62 << 20) + (1 << 19) - (40 << 20))
        #expect(shortfall.falling >= 400 << 20)
        #expect(shortfall.within == .seconds(5))
        #expect(shortfall.used == 100 << 20 && shortfall.evictable == 60 << 20)
    }

    struct Sum: Sendable {
        var missing: Int64 = 0
        var falling: Int64 = 0
        var used: Int64 = 0
        var evictable: Int64 = 0
        let why: PressureReport.NoVictim?
    }

    static let sums: [Sum] = [
        Sum(missing: 10, used: 10, evictable: 1, why: nil),
        Sum(missing: 10, used: 9, evictable: 9, why: .holdsTooLittle),
        Sum(missing: 10, falling: 5, used: 9, evictable: 9, why: .holdsTooLittle),
        Sum(missing: 10, falling: 5, used: 14, evictable: 14, why: .keepsFalling),
        Sum(missing: 10, falling: 5, used: 15, evictable: 2, why: nil),
        Sum(falling: 5, used: 4, evictable: 4, why: .keepsFalling),
        Sum(why: nil),
        Sum(missing: .max, falling: .max, used: .max, evictable: .max, why: .keepsFalling),
    ]

    @Test(arguments: sums) func `that run go where all workers hold what is missing and what will be`(
        _ sum: Sum
    ) {
        let shortfall = Shortfall(
            missing: sum.missing, falling: sum.falling, within: .seconds(5), used: sum.used,
            evictable: sum.evictable)
        #expect(shortfall.noVictim == sum.why)
        // A sentence does not say that too little is used, where the figure after it is greater than what is missing.
        if shortfall.noVictim == .holdsTooLittle { #expect(shortfall.used < shortfall.missing) }
    }

    @Test func `that run do not go for what is missing until it counts as over`() {
        var bench = Bench([.worker("s", megabytes: 15), .worker("r", .active, megabytes: 100)])
        bench.setAvailable(4)
        bench.start()
        bench.run(for: .seconds(60))
        // 40 MB + 15 MB is 5.5 %: more than too little, and less than what clears it.
        #expect(bench.victims == ["s"])
        #expect(bench.model.level == .critical && bench.model.noVictim == .mayBeOver)
        bench.setAvailable(4)
        bench.run(for: .seconds(30))
        #expect(bench.victims == ["s", "r"])
    }

    @Test func `that run do not go for a stall that may be over`() {
        var bench = Self.critical([.worker("a", .active)], 6)
        bench.give(.fact(.triggered(.full, .machine)))
        bench.run(for: .seconds(9))
        #expect(bench.victims.isEmpty && bench.model.level == .warning)
        for _ in 0..<6 {
            bench.give(.fact(.triggered(.full, .machine)))
            bench.run(for: .seconds(2))
        }
        #expect(bench.victims == ["a"])
    }

    @Test func `of a machine that stands still with plenty of memory are nobody`() {
        var bench = Self.critical([.worker("a"), .worker("b", .active)], 70)
        for _ in 0..<10 {
            bench.give(.fact(.triggered(.full, .machine)))
            bench.run(for: .seconds(2))
        }
        #expect(bench.victims.isEmpty && bench.reports.isEmpty && bench.levels.isEmpty)
    }

    // MARK: a warning that lasts

    private static let nine = (1...9).map { (number: Int64) in
        PressureCandidate.worker("\(number)", megabytes: 20, asleep: number)
    }

    private static let sleepers: [PressureCandidate] = [
        .worker("running", .background), .worker("late", megabytes: 5, asleep: 90),
        .worker("warm", megabytes: 5, prelaunched: true, asleep: 50),
        .worker("no", evictable: .no, asleep: 1),
        .worker("low", megabytes: 5, priority: -9, asleep: 70),
        .worker("told", megabytes: 5, evictable: .graceful, asleep: 3),
        .worker("early", megabytes: 5, priority: 9, asleep: 10), .worker("unknown", megabytes: 5),
    ]

    @Test func `of a warning that lasts are those that have slept longest, silent ones first`() {
        let sample = MemorySample(memory: MachineMemory(total: 1000, available: 90), stall: nil)
        func order(at second: Int64, _ workers: [PressureCandidate]) -> [String] {
            VictimOrder.longestAsleep(
                PressureSnapshot(sample, workers), .init(), at: .zero + .seconds(second)
            ).map(\.candidate.name)
        }
        let order100 = ["unknown", "early", "warm", "low", "late", "told"]
        #expect(order(at: 100, Self.sleepers) == order100)
        #expect(order(at: 100, Self.sleepers.reversed()) == order100)
        #expect(order(at: 95, Self.sleepers) == order100.filter { $0 != "late" }, "it has not slept long")
    }

    @Test func `go one at a time when a warning has lasted ten minutes, until it is over`() throws {
        var bench = Self.critical(Self.sleepers, 9)
        bench.run(for: .seconds(598))
        #expect(bench.victims.isEmpty && bench.model.level == .warning)
        bench.dying = .seconds(1)
        bench.run(for: .seconds(3))
        #expect(bench.victims == ["unknown"])
        let victim = try #require(
            bench.effects.compactMap { if case .evict(let victim) = $0 { victim } else { nil } }.first)
        #expect(victim.reason == .lastingWarning && victim.grace == nil)
        #expect(victim.reason.words == "memory has been short for too long, and it has slept longest")
        bench.run(for: .seconds(1))
        #expect(bench.victims == ["unknown", "early"])
        // 90 MB + 30 MB are 12 %: it is not over, and no sleeping worker is left.
        bench.run(for: .seconds(60))
        #expect(bench.victims == ["unknown", "early", "warm", "low", "late", "told"])
        #expect(bench.model.level == .warning && bench.model.noVictim == nil)
        let looks = bench.looks
        bench.run(for: .seconds(100))
        #expect(bench.looks - looks < 40, "it is not looked for them all the time")
        bench.workers.append(.worker("new", megabytes: 10, asleep: 700))
        bench.run(for: .seconds(30))
        #expect(bench.victims.last == "new")
        #expect(bench.levels == [.warning, .normal])
        bench.workers.append(.worker("newer", megabytes: 10, asleep: 700))
        bench.run(for: .seconds(1000))
        #expect(bench.victims.last == "new")
    }

    struct Interval: CustomTestStringConvertible, Sendable {
        let why: String
        /// Available memory in percent, and for how many seconds.
        let day: [(percent: Int64, seconds: Int64)]
        let isOver: Bool
        var testDescription: String { why }
    }

    @Test(arguments: [
        Interval(why: "one spell", day: [(9, 602)], isOver: true),
        Interval(why: "too short", day: [(9, 597)], isOver: false),
        Interval(why: "normal in between", day: [(9, 400), (50, 5), (9, 400)], isOver: false),
        Interval(why: "critical in between", day: [(9, 400), (4, 5), (9, 400)], isOver: false),
        Interval(why: "critical after it had lasted", day: [(9, 598), (9, 4), (4, 5), (9, 5)], isOver: true),
        Interval(why: "a warning within its hysteresis", day: [(9, 300), (12, 302)], isOver: true),
    ])
    func `of a warning wait for ten minutes without a break`(_ interval: Interval) {
        var settings = PressureSettings()
        settings.observes = true
        // Of one byte: whatever goes, it is not over.
        var bench = Bench([.worker("r", .active, evictable: .no)], settings)
        bench.workers.append(
            PressureCandidate(name: "s", band: .suspended, memory: WorkerMemory(resident: 1 << 20)))
        for part in interval.day {
            bench.setAvailable(part.percent)
            bench.start()
            bench.give(.fact(.sampled(bench.sample)))
            bench.run(for: .seconds(part.seconds))
        }
        let hasLasted = bench.reports.contains {
            if case .wouldEvict(let victim) = $0 { victim.reason == .lastingWarning } else { false }
        }
        #expect(hasLasted == interval.isOver)
    }

    @Test func `of a warning that lasts are nobody where the setting is infinite`() {
        var settings = PressureSettings()
        settings.longestWarning = nil
        var bench = Self.critical(Self.sleepers, 9, settings)
        bench.run(for: .seconds(7200))
        #expect(bench.victims.isEmpty)
    }

    @Test func `of a warning that lasts are named where the policy observes, as many as would do`() {
        var settings = PressureSettings()
        settings.observes = true
        var bench = Self.critical(Self.nine, 9, settings)
        bench.run(for: .seconds(700))
        let named = bench.reports.compactMap {
            if case .wouldEvict(let victim) = $0 { victim.name } else { nil }
        }
        #expect(named == ["1", "2"] && bench.victims.isEmpty)
    }

    @Test(arguments: [24, 20, 7])
    func `are none of stall that lasts, while memory is not scarce`(_ available: Int64) {
        var settings = PressureSettings()
        settings.warningAvailable = 5.5
        var bench = Bench(Self.nine, settings)
        bench.givesBack = false
        bench.setAvailable(available)
        bench.start()
        while bench.now < .zero + .seconds(1300) {
            bench.give(.fact(.triggered(.some, .machine)))
            bench.run(for: .seconds(2))
        }
        #expect(bench.victims.isEmpty)
    }

    @Test func `of stall that lasts go one in each window where memory is scarce`() {
        var settings = PressureSettings()
        settings.warningAvailable = 5.5
        var bench = Bench(Self.nine, settings)
        bench.givesBack = false
        bench.setAvailable(6)
        bench.start()
        while bench.victims.isEmpty, bench.now < .zero + .seconds(620) {
            bench.give(.fact(.triggered(.some, .machine)))
            bench.run(for: .seconds(2))
        }
        #expect(bench.victims == ["1"])
        bench.run(for: .milliseconds(500))
        #expect(bench.victims == ["1"], "that may be from before it went")
    }

    @Test func `are only named where the policy observes, as many as would do`() {
        var settings = PressureSettings()
        settings.observes = true
        var bench = Self.critical((1...9).map { .worker("\($0)", megabytes: 20) }, 3, settings)
        bench.run(for: .seconds(60))
        #expect(bench.victims.isEmpty && bench.workers.count == 9)
        let named = bench.reports.compactMap { if case .wouldEvict(let victim) = $0 { victim } else { nil } }
        #expect(named.map(\.name) == ["1", "2"] && named.map(\.benefit) == [20 << 20, 20 << 20])
    }
}

extension PressureCandidate {
    /// The same without a connection.
    fileprivate func unconnected() -> PressureCandidate {
        var copy = self
        copy.isUnconnected = true
        return copy
    }

    /// The same with sockets that stay open.
    fileprivate func withDoors() -> PressureCandidate {
        var copy = self
        copy.keepsDoors = true
        return copy
    }
}
