import Testing

@testable import Lifecycle

/// Force-quit and eviction: which workers end silently, which are told, and which come back (1.2, 1.4, 2.3).
@Suite struct `Force-quit and eviction` {
    private static let kill = Lifecycle.ExitStatus.killed(signal: 9, coreDumped: false)
    private static let forced = Cue.event(.forceQuit(Vocabulary.human))
    private static let fetches = Cue.event(.woken(Wake(.fetch, intoForeground: false)))

    private static func evicted(_ requester: Requester = .memoryPressure, grace: TimeSpan? = nil) -> Cue {
        .event(.evictionRequested(Eviction(by: requester, grace: grace)))
    }

    private static func app(_ evictable: Policy.Evictable?) -> Policy {
        var policy = Policy.app
        policy.evictable = evictable
        return policy
    }

    @Test func `a force-quit is silent wherever it comes`() {
        for from: [Cue] in [.active, .entering, .background, .asleep, .attached] {
            var life = Life(.app, from)
            let effects = life.play(Self.forced)
            #expect(effects.contains(.kill))
            #expect(!effects.contains(.thaw))
            #expect(effects.seen.isEmpty)
        }
    }

    @Test func `after a force-quit only the foreground or an operator brings it back`() {
        var life = Life(.app, .active + [Self.forced, .exits(Self.kill)])
        #expect(life.worker.restReason == .forceQuit)
        #expect(life.play(Self.fetches) == [.refuse(.forceQuit, .wakeSource)])
        #expect(life.play(.brings(.fetch)) == [.drop(Inbound(id: 1, .fetch), .forceQuit)])
        #expect(
            life.play(.event(.requested(Request(.active, by: .supervisor, reason: .boot)))) == [
                .refuse(.forceQuit, .supervisor)
            ])
        life.play(.wants(.active), .event(.launched(pid: 8)), .exits())
        #expect(life.worker.restReason == .exited)
        life.play(Self.fetches)
        #expect(life.worker.isLaunching)
    }

    @Test func `an exit that came before SIGKILL leaves it force-quit all the same`() {
        #expect(Life(.app, .active + [Self.forced, .exits()]).worker.restReason == .forceQuit)
    }

    @Test func `a force-quit before the process exists kills it as it comes`() {
        var life = Life(.app, [.wants(.active), Self.forced])
        #expect(life.play(.event(.launched(pid: 7))).contains(.kill))
        life.play(.exits(Self.kill))
        #expect(life.worker.restReason == .forceQuit)
    }

    @Test func `an activate after that starts another one`() {
        for end: [Cue] in [
            [.event(.launched(pid: 7)), .exits(Self.kill)], [.event(.launchFailed(errno: 2))],
        ] {
            let life = Life(.app, [.wants(.active), Self.forced, .wants(.active)] + end)
            #expect(life.worker.isLaunching)
            #expect(life.worker.currentIncarnation == 2)
            #expect(life.worker.goal == .active)
        }
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let policy: Policy
        let from: [Cue]
        let effects: [Effect]
        var testDescription: String { name }
    }

    private static let plainAsleep: [Cue] = [
        .wants(.active), .event(.launched(pid: 7)), .idles(), .event(.frozen),
    ]

    static let evictions: [Row] = [
        Row(name: "an app could save itself: silent", policy: app(nil), from: .asleep, effects: [.kill]),
        Row(
            name: "Evictable=silent", policy: Policy(evictable: .silent), from: plainAsleep, effects: [.kill]),
        Row(
            name: "Evictable=graceful: woken to be told", policy: app(.graceful), from: .asleep,
            effects: [.thaw]),
        Row(
            name: "a daemon: the signal is there before it runs", policy: Policy(), from: plainAsleep,
            effects: [.stop, .thaw]),
        Row(
            name: "Evictable=no", policy: app(.no), from: .asleep,
            effects: [.refuse(.notEvictable, .memoryPressure)]),
        Row(
            name: "nothing to evict", policy: .app, from: [], effects: [.refuse(.notRunning, .memoryPressure)]
        ),
    ]

    @Test(arguments: evictions) func `a suspended worker goes as it may`(_ row: Row) {
        var life = Life(row.policy, row.from)
        let effects = life.play(Self.evicted()).filter {
            switch $0 {
            case .arm, .disarm: false
            default: true
            }
        }
        #expect(effects == row.effects)
    }

    @Test func `the worker of torpor run goes silently for memory, and is woken to be stopped`() {
        var policy = Policy.run
        policy.evictable = .silent
        var life = Life(policy, Self.plainAsleep)
        #expect(life.play(Self.evicted()).contains(.kill))
        life = Life(policy, Self.plainAsleep)
        let effects = life.play(.wants(.notRunning))
        #expect(effects.contains(.stop) && effects.contains(.thaw) && !effects.contains(.kill))
    }

    @Test func `over its own limit even Evictable=no goes`() {
        var life = Life(Self.app(.no), .asleep)
        #expect(life.play(Self.evicted(.memoryLimit)).contains(.thaw))
    }

    @Test func `a running worker is told, within what the pressure allows`() {
        var life = Life(.app, .background + [Self.evicted(grace: .seconds(1))])
        #expect(life.worker.callbackInFlight?.callback == .willTerminate)
        #expect(life.remaining(.ending) == .seconds(1))
        #expect(life.play(.expires(.ending)).contains(.kill))
        life.play(.exits(Self.kill))
        #expect(life.worker.restReason == .evicted)
    }

    @Test func `a callback in flight is waited for no longer than that`() {
        var life = Life(.app, .entering + [Self.evicted(grace: .seconds(1))])
        #expect(life.remaining(.ending) == .seconds(1))
        #expect(life.play(.expires(.ending)).contains(.kill))
    }

    @Test func `a freeze under way is waited for`() {
        var life = Life(.app, .background + [.idles(), Self.evicted()])
        #expect(life.play(.event(.frozen)).contains(.kill))
        life = Life(.app, .background + [.idles(), Self.evicted()])
        #expect(life.play(.event(.freezeFailed)).seen == [.told(.willTerminate)])
    }

    @Test func `an evicted worker comes back by the next event, to be restored`() {
        var life = Life(.app, .asleep + [.event(.savedState(true)), Self.evicted(), .exits(Self.kill)])
        life.play(Self.fetches)
        #expect(life.worker.currentLaunch?.reason == .fetch && life.worker.currentLaunch?.isRestored == true)
        #expect(life.worker.currentLaunch?.restoresState == true)
    }

    @Test func `one that is wanted during its eviction is started as soon as it has gone`() {
        var life = Life(.app, .asleep + [Self.evicted(), .wants(.active)])
        #expect(life.play(.exits(Self.kill)).contains { if case .launch = $0 { true } else { false } })
        #expect(life.worker.currentLaunch?.reason == .operator)
        #expect(life.worker.currentLaunch?.isRestored == true)
    }

    @Test func `a stop of a suspended worker wakes it only where it may not die silently`() {
        var silent = Life(.app, .asleep)
        #expect(silent.play(.wants(.notRunning)).contains(.kill))
        var graceful = Life(Self.app(.graceful), .asleep)
        #expect(graceful.play(.wants(.notRunning)).contains(.thaw))
        #expect(
            graceful.play(.event(.thawed)).seen == [.moved(.suspended, .background), .told(.willTerminate)])
    }
}
