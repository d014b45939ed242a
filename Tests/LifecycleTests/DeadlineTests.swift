import Testing

@testable import Lifecycle

/// The table of 1.4, row by row: what a deadline is, and what it costs to miss it.
@Suite struct `Deadlines` {
    struct Row: CustomTestStringConvertible, Sendable {
        let rule: String
        let policy: Policy
        let from: [Cue]
        let timer: Timer
        let limit: TimeSpan
        /// What the worker dies of; nil when it lives.
        let cause: TerminationRecord.Cause?
        var testDescription: String { rule }
    }

    private static let hooked = Policy(hooks: .all)
    private static let up: [Cue] = [.wants(.active), .event(.launched(pid: 7))]
    private static let hookedActive = up + [.completes(), .completes(), .completes()]
    private static let hookedBackground =
        hookedActive + [.wants(.background), .completes(), .completes(), .completes(.refused)]

    static let app: [Row] = [
        Row(rule: "attaching", policy: .app, from: up, timer: .launch, limit: .seconds(20), cause: .watchdog),
        Row(
            rule: "the whole launch", policy: .app, from: .attached + [.completes()], timer: .launch,
            limit: .seconds(20), cause: .watchdog),
        Row(
            rule: "didBecomeActive", policy: .app, from: .attached + [.completes(), .completes()],
            timer: .callback, limit: .seconds(10), cause: .watchdog),
        Row(
            rule: "willResignActive", policy: .app, from: .active + [.wants(.background)], timer: .callback,
            limit: .seconds(10), cause: .watchdog),
        Row(
            rule: "willEnterForeground", policy: .app, from: .background + [.wants(.active)],
            timer: .callback, limit: .seconds(10), cause: .watchdog),
        Row(
            rule: "resume, the queue flushed", policy: .app,
            from: .asleep + [.event(.notificationsQueued), .wants(.active), .event(.thawed)],
            timer: .callback, limit: .seconds(10), cause: .watchdog),
        Row(
            rule: "didEnterBackground", policy: .app, from: .entering, timer: .callback, limit: .seconds(5),
            cause: .watchdog),
        Row(
            rule: "didEnterBackground with a background task", policy: .app,
            from: .active + [.event(.taskBegan(token: 1)), .wants(.background), .completes()],
            timer: .callback, limit: .seconds(5), cause: .watchdog),
        Row(
            rule: "willTerminate", policy: .app, from: .background + [.wants(.notRunning)], timer: .ending,
            limit: .seconds(5), cause: .watchdog),
        Row(
            rule: "performFetch", policy: .app, from: .background + [.brings(.fetch)], timer: .activity(7),
            limit: .seconds(30), cause: .fetch),
        Row(
            rule: "transfer events", policy: .app, from: .background + [.brings(.transfer)],
            timer: .activity(7), limit: .seconds(30), cause: .transfer),
        Row(
            rule: "a notification in the background", policy: .app,
            from: .background + [.brings(.silentNotification)], timer: .activity(7), limit: .seconds(30),
            cause: .watchdog),
        Row(
            rule: "the watchdog", policy: .app, from: .active + [.event(.watchdogChanged(.seconds(3)))],
            timer: .watchdog, limit: .seconds(3), cause: .watchdog),
    ]

    static let daemon: [Row] = [
        Row(
            rule: "READY=1", policy: Policy(readiness: .notify), from: up, timer: .launch,
            limit: .seconds(90), cause: .watchdog),
        Row(
            rule: "a hook at launch", policy: hooked, from: up, timer: .launch, limit: .seconds(90),
            cause: .watchdog),
        Row(
            rule: "didBecomeActive hook", policy: hooked, from: up + [.completes(), .completes()],
            timer: .callback, limit: .seconds(30), cause: .watchdog),
        Row(
            rule: "willResignActive hook", policy: hooked, from: hookedActive + [.wants(.background)],
            timer: .callback, limit: .seconds(30), cause: .watchdog),
        Row(
            rule: "willEnterForeground hook", policy: hooked, from: hookedBackground + [.wants(.active)],
            timer: .callback, limit: .seconds(30), cause: .watchdog),
        Row(
            rule: "didEnterBackground hook: a warning, and it stays", policy: hooked,
            from: hookedActive + [.wants(.background), .completes()], timer: .callback, limit: .seconds(30),
            cause: nil),
        Row(
            rule: "willTerminate hook: the stop signal", policy: hooked,
            from: hookedBackground + [.wants(.notRunning)], timer: .ending, limit: .seconds(90), cause: nil),
        Row(
            rule: "the stop signal", policy: Policy(), from: up + [.wants(.notRunning)], timer: .ending,
            limit: .seconds(90), cause: .watchdog),
    ]

    @Test(arguments: app + daemon) func `past it, the row's cause`(_ row: Row) throws {
        var life = Life(row.policy, row.from)
        #expect(life.remaining(row.timer) == row.limit)
        let effects = life.play(.expires(row.timer))
        #expect(effects.contains(.kill) == (row.cause != nil))
        guard let cause = row.cause else {
            #expect(life.worker.state.isRunning)
            return
        }
        #expect(life.play(.event(.completed(id: 7, .done))).seen.isEmpty)
        life.play(.exits(.killed(signal: 9, coreDumped: false)))
        #expect(try #require(life.records.last).cause == cause)
    }

    @Test(arguments: app + daemon) func `a traced worker has its whole time again`(_ row: Row) {
        var life = Life(row.policy, row.from)
        let effects = life.play(.expires(row.timer, traced: true))
        #expect(!effects.contains(.kill))
        #expect(life.remaining(row.timer) == row.limit)
    }

    @Test(arguments: app + daemon) func `a stalled loop moves it by the gap`(_ row: Row) {
        var life = Life(row.policy, row.from + [.event(.stalled(.seconds(42)))])
        #expect(life.remaining(row.timer) == row.limit + .seconds(42))
        let effects = life.play(.passes(row.limit + .seconds(41)), .expires(.callback, traced: true))
        #expect(!effects.contains(.kill))
    }

    @Test(arguments: app + daemon) func `one that was replaced means nothing`(_ row: Row) {
        var life = Life(row.policy, row.from)
        let generation = life.worker.timers[row.timer]?.generation ?? 0
        life.play(.event(.stalled(.seconds(2))))
        #expect(life.play(.event(.expired(row.timer, generation: generation, traced: false))).isEmpty)
    }

    @Test(arguments: app + daemon)
    func `none runs while it is suspended, and each starts afresh after it`(_ row: Row) {
        var life = Life(row.policy, row.from)
        // An end goes on: SIGKILL reaches a stopped process too.
        guard row.timer != .ending else { return }
        life.play(.passes(.seconds(2)), .event(.stoppedOutside))
        #expect(life.worker.state == .suspended)
        #expect(life.worker.timers.armed.isEmpty)
        life.play(.passes(.seconds(5000)), .event(.continuedOutside))
        #expect(life.remaining(row.timer) == row.limit)
    }

    @Test func `SIGKILL itself is waited for, and then said`() {
        var life = Life(.app, .active + [.event(.watchdogTriggered)])
        #expect(life.remaining(.ending) == .seconds(10))
        #expect(life.play(.expires(.ending)) == [.warn(.cannotBeKilled)])
    }

    @Test func `torpor run has no deadline for a launch and a stop`() {
        var life = Life(Policy(readiness: .notify, limits: .run), Self.up)
        #expect(life.worker.timers.armed.isEmpty)
        #expect(life.play(.wants(.notRunning)) == [.stop])
        #expect(life.worker.timers.armed.isEmpty)
    }

    @Test func `EXTEND_TIMEOUT_USEC makes it later, never sooner`() {
        var life = Life(Policy(readiness: .notify), Self.up)
        life.play(.event(.extendTimeout(.seconds(30))))
        #expect(life.remaining(.launch) == .seconds(90))
        life.play(.event(.extendTimeout(.seconds(120))))
        #expect(life.remaining(.launch) == .seconds(120))
    }

    @Test func `the watchdog looks again after a ping`() {
        var life = Life(.app, .active + [.event(.watchdogChanged(.seconds(3))), .passes(.seconds(2))])
        life.play(.event(.watchdogPinged))
        #expect(!life.play(.expires(.watchdog)).contains(.kill))
        #expect(life.remaining(.watchdog) == .seconds(2))
        #expect(life.play(.expires(.watchdog)).contains(.kill))
    }

    @Test func `CPU in the background: held down, then killed`() throws {
        var life = Life(.app, .background)
        #expect(life.play(.event(.cpuLimitExceeded)) == [.throttle(true)])
        life.play(.event(.cpuLimitExceeded), .exits(.killed(signal: 9, coreDumped: false)))
        #expect(try #require(life.records.last).cause.code == 0xd00d_2bad)
    }

    @Test func `CPU in the background: back in the foreground nothing is held down`() {
        var life = Life(.app, .background + [.event(.cpuLimitExceeded), .wants(.active)])
        #expect(life.play(.completes()).contains(.throttle(false)))
    }
}
