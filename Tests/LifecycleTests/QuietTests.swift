import Testing

@testable import Lifecycle

/// A worker that cannot say that it is done is waited for until it is quiet (1.3).
@Suite struct `Quiet` {
    private static let callback = Callback.didEnterBackground

    /// A daemon with a hook for didEnterBackground, which completes immediately or not.
    private static func hooked(immediate: Bool, _ change: (inout Policy) -> Void = { _ in }) -> Policy {
        var policy = Policy(
            hooks: CallbackSet([.didEnterBackground]),
            immediateHooks: immediate ? CallbackSet([.didEnterBackground]) : [],
            quiet: QuietPolicy())
        change(&policy)
        return policy
    }

    /// In use, and on its way to sleep: didEnterBackground has completed.
    private static let told: [Cue] = [
        .wants(.active), .event(.launched(pid: 7)), .wants(.suspended), .completes(),
    ]

    private static func read(_ milliseconds: Int64, runnable: Bool = false) -> Cue {
        .event(.cpuRead(CPUReading(used: .milliseconds(milliseconds), isRunnable: runnable)))
    }

    // MARK: hooks that prove nothing

    @Test func `keeps a worker awake that a hook without proof has told to enter the background`() {
        var life = Life(Self.hooked(immediate: true), Array(Self.told.dropLast()))
        let effects = life.play(.completes())
        #expect(effects.contains(.readCPU))
        #expect(!effects.contains(.freeze))
        #expect(life.play(Self.read(100)).contains(.freeze) == false)
        #expect(life.remaining(.quiet) == .milliseconds(500))
        #expect(life.play(.expires(.quiet)) == [.readCPU])
        #expect(life.play(Self.read(104)).contains(.freeze))
    }

    @Test func `asks for nothing where the completion proves something`() {
        #expect(Life(Self.hooked(immediate: false), Self.told).effects.contains(.freeze))
        var app = Policy.app
        app.quiet = QuietPolicy()
        app.immediateHooks = CallbackSet([.didEnterBackground])
        #expect(
            Life(app, .entering + [.completes(), .completes(.refused), .wants(.suspended)]).effects.contains(
                .freeze))
    }

    @Test func `asks for nothing where nothing was told`() {
        let life = Life(
            Policy(quiet: QuietPolicy()), [.wants(.active), .event(.launched(pid: 7)), .wants(.suspended)])
        #expect(life.effects.contains(.freeze))
    }

    @Test func `is taken for granted five seconds after a callback, and nothing is killed`() {
        var life = Life(Self.hooked(immediate: true), Self.told)
        for second in 1...9 {
            life.play(Self.read(Int64(second) * 1000), .expires(.quiet))
        }
        #expect(!life.effects.contains(.freeze))
        let effects = life.play(Self.read(10_000), .expires(.quiet))
        #expect(effects.contains(.freeze))
        #expect(!life.effects.contains(.kill))
        #expect(life.now == .zero + .seconds(1005))
    }

    @Test func `waits as long as the limit of its callback where that has one`() {
        for (limit, waits) in [(TimeSpan?.none, true), (.seconds(1), false), (.seconds(60), true)] {
            var life = Life(
                Self.hooked(immediate: true) { $0.limits.own[.didEnterBackground] = .some(limit) }, Self.told)
            for second in 1...20 { life.play(Self.read(Int64(second) * 1000), .expires(.quiet)) }
            #expect(life.effects.contains(.freeze) == !waits, "\(String(describing: limit))")
        }
    }

    @Test func `is what counts for every callback without proof on the way to sleep`() {
        var policy = Policy(hooks: CallbackSet([.willResignActive]), quiet: QuietPolicy())
        policy.immediateHooks = CallbackSet([.willResignActive])
        var life = Life(policy, [.wants(.active), .event(.launched(pid: 7)), .wants(.suspended)])
        let effects = life.play(.completes())
        #expect(effects.contains(.readCPU))
        #expect(!effects.contains(.freeze))
    }

    @Test(arguments: [true, false]) func `a hook without proof makes no worker silent-evictable`(
        _ immediate: Bool
    ) {
        var life = Life(Self.hooked(immediate: immediate), Self.told)
        life.play(Self.read(1), .expires(.quiet), Self.read(1), .event(.frozen))
        #expect(life.worker.state == .suspended)
        #expect(life.worker.isSilentEvictable == !immediate)
        let effects = life.play(.event(.evictionRequested(Eviction(by: .memoryPressure))))
        #expect(effects.contains(.kill) == !immediate)
        #expect(effects.contains(.thaw) == immediate)
    }

    @Test func `its own connection is proof, whatever the hook`() {
        var policy = Policy.app
        policy.hooks = CallbackSet([.didEnterBackground])
        policy.immediateHooks = CallbackSet([.didEnterBackground])
        var life = Life(policy, .asleep)
        #expect(life.worker.isSilentEvictable)
        life.play(.event(.detached))
        #expect(!life.worker.isSilentEvictable)
    }

    // MARK: launches and wakes

    @Test func `keeps a worker awake that was launched into the background`() {
        var life = Life(Policy(quiet: QuietPolicy()), .restless)
        #expect(!life.effects.contains(.freeze))
        #expect(life.worker.awaitsQuiet)
        #expect(!life.worker.isSettled)
        // It works for three seconds, then stands still.
        for second in 1...6 { life.play(.expires(.quiet), Self.read(1000 + Int64(second) * 500)) }
        #expect(!life.effects.contains(.freeze))
        #expect(life.play(.expires(.quiet), Self.read(4001)).contains(.freeze))
    }

    @Test func `a job that ends before is never frozen`() {
        var life = Life(Policy(quiet: QuietPolicy()), .restless + [.expires(.quiet)])
        life.play(.exits())
        #expect(!life.effects.contains(.freeze))
        #expect(life.records.last?.cause == .exited)
    }

    @Test func `keeps a worker awake that was prelaunched`() {
        let prelaunch = Cue.event(.requested(Request(.suspended, by: .supervisor, reason: .prelaunch)))
        var life = Life(Policy(quiet: QuietPolicy()), [prelaunch, .event(.launched(pid: 7))])
        #expect(life.effects.contains(.readCPU))
        life.play(Self.read(1), .expires(.quiet))
        #expect(!life.effects.contains(.freeze))
        #expect(life.play(Self.read(2)).contains(.freeze))
    }

    @Test func `is taken for granted thirty seconds after a wake`() {
        var life = Life(Policy(quiet: QuietPolicy()), Self.asleep + [.wakes, .event(.thawed)])
        let woken = life.now
        #expect(life.effects.last == .readCPU)
        for second in 1...60 { life.play(Self.read(Int64(second) * 1000), .expires(.quiet)) }
        #expect(life.now == woken + .seconds(30))
        #expect(life.effects.filter { $0 == .freeze }.count == 2)
    }

    @Test func `asks for nothing of a worker with a connection of its own`() {
        var policy = Policy.app
        policy.quiet = QuietPolicy()
        var life = Life(policy, .asleep)
        let effects = life.play(.wakes, .event(.thawed))
        #expect(effects.contains(.freeze))
        #expect(!life.effects.contains(.readCPU))
    }

    @Test func `is nothing to wait for once the worker was in the foreground`() {
        var life = Life(Policy(quiet: QuietPolicy()), .restless)
        life.play(.wants(.active))
        #expect(life.remaining(.quiet) == nil)
        #expect(life.play(.wants(.suspended)).contains(.freeze))
    }

    @Test func `begins anew with what comes meanwhile`() {
        let policy = Policy(
            hooks: CallbackSet([.performFetch]), immediateHooks: CallbackSet([.performFetch]),
            quiet: QuietPolicy())
        var life = Life(policy, .restless + [.passes(.milliseconds(499)), .brings(.fetch)])
        #expect(life.remaining(.quiet) == nil)
        #expect(life.play(.finishes).contains(.readCPU))
        life.play(Self.read(1000))
        #expect(life.remaining(.quiet) == .milliseconds(500))
    }

    @Test func `is not looked for while something else keeps the worker awake`() {
        var life = Life(Policy(quiet: QuietPolicy()), .restless + [.event(.taskBegan(token: 1))])
        #expect(life.remaining(.quiet) == nil)
        #expect(life.play(.event(.taskEnded(token: 1))).contains(.readCPU))
    }

    struct Look: CustomTestStringConvertible, Sendable {
        let name: String
        let reading: CPUReading?
        let isQuiet: Bool
        var testDescription: String { name }
    }

    static let looks: [Look] = [
        Look(name: "nothing used", reading: CPUReading(used: .seconds(1)), isQuiet: true),
        Look(
            name: "a little less than a hundredth", reading: CPUReading(used: .milliseconds(1004)),
            isQuiet: true),
        Look(name: "a hundredth", reading: CPUReading(used: .milliseconds(1005)), isQuiet: false),
        Look(name: "more", reading: CPUReading(used: .seconds(2)), isQuiet: false),
        Look(name: "less than before: a process has ended", reading: CPUReading(used: .zero), isQuiet: false),
        Look(
            name: "nothing used, but it waits for a processor",
            reading: CPUReading(used: .seconds(1), isRunnable: true), isQuiet: false),
        Look(name: "not known", reading: nil, isQuiet: false),
        Look(
            name: "as much as there can be", reading: CPUReading(used: TimeSpan(microseconds: .max)),
            isQuiet: false),
    ]

    @Test(arguments: looks) func `is seen by what a look finds`(_ look: Look) {
        var life = Life(Policy(quiet: QuietPolicy()), .restless + [.expires(.quiet)])
        #expect(life.play(.event(.cpuRead(look.reading))).contains(.freeze) == look.isQuiet)
    }

    @Test func `a look that was not asked for is reported`() {
        var life = Life(.app, .active)
        let effects = life.play(Cue.read)
        guard case .report? = effects.first, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
    }

    @Test func `is looked at again by a supervisor that takes over`() throws {
        let policy = Policy(quiet: QuietPolicy())
        let life = Life(policy, [.wakes, .event(.launched(pid: 7))])
        var again = try Snapshots.restored(Snapshots.bytes(of: life.worker), policy)
        #expect(again.recover(at: life.now) == [.readCPU])
    }

    @Test func `ends before the worker exits instead of sleeping`() {
        let policy = Policy(quiet: QuietPolicy(), exitsOnSuspend: true)
        var life = Life(policy, .restless)
        #expect(!life.effects.contains(.stop))
        #expect(life.play(.expires(.quiet), Cue.read).contains(.stop))
    }

    @Test func `EnterOnLaunch tells a worker that is held in the background, too`() {
        var policy = Policy(hooks: CallbackSet([.didEnterBackground]), tellsBackgroundAfterWake: true)
        policy.quiet = QuietPolicy()
        let life = Life(policy, [.wants(.background), .event(.launched(pid: 7))])
        #expect(life.effects.seen == [.moved(.notRunning, .background), .told(.didEnterBackground)])
    }

    private static let asleep: [Cue] = [
        .wants(.active), .event(.launched(pid: 7)), .wants(.suspended), .event(.frozen),
    ]
}
