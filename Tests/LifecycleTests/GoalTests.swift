import Testing

@testable import Lifecycle

/// Goals: a newer one replaces an older one, and no step is skipped (1.2).
@Suite struct `Goals` {
    @Test func `a newer goal replaces an older one at the next step`() {
        var life = Life(.app, .active + [.wants(.suspended), .wants(.active)])
        #expect(
            life.play(.completes()).seen == [
                .moved(.active, .inactive), .moved(.inactive, .active), .told(.didBecomeActive),
            ])
        #expect(life.worker.goal == .active)
    }

    @Test func `a walk out of the foreground turns round where it stands`() {
        var life = Life(.app, .entering + [.wants(.active)])
        #expect(
            life.play(.completes(), .completes()).seen == [
                .told(.willEnterForeground), .moved(.background, .inactive), .moved(.inactive, .active),
                .told(.didBecomeActive),
            ])
    }

    @Test func `background holds it there, suspended does not`() {
        var life = Life(.app, .background)
        #expect(life.worker.isSettled)
        #expect(life.play(.idles()) == [.freeze])
    }

    @Test func `a stop that waits for a callback can be called off, one that has begun cannot`() {
        var life = Life(.app, .entering + [.wants(.notRunning), .wants(.background)])
        #expect(life.play(.completes()).seen == [.told(.shouldSaveState)])
        life.play(.completes(.refused), .wants(.notRunning), .wants(.active))
        #expect(life.worker.isEnding)
        #expect(life.play(.exits()).contains { if case .launch = $0 { true } else { false } })
    }

    @Test func `resign is for active workers`() {
        for from: [Cue] in [[], .attached, .background, .asleep, .background + [.wants(.notRunning)]] {
            var life = Life(.app, from)
            let goal = life.worker.goal
            #expect(life.play(.wants(.inactive)) == [.refuse(.onlyFromActive, Vocabulary.human)])
            #expect(life.worker.goal == goal)
        }
    }

    @Test func `resign lasts until activate`() {
        var life = Life(.app, .active + [.wants(.inactive), .completes()])
        #expect(life.worker.isSettled)
        #expect(life.play(.wants(.active)).seen == [.moved(.inactive, .active), .told(.didBecomeActive)])
    }

    struct Resume: CustomTestStringConvertible, Sendable {
        let goal: Goal
        let from: [Cue]
        var testDescription: String { "\(goal)" }
    }

    static let resumes = [
        Resume(goal: .active, from: .active),
        Resume(goal: .inactive, from: .active + [.wants(.inactive), .completes()]),
        Resume(goal: .background, from: .background),
    ]

    @Test(arguments: resumes) func `resume restores the last one before suspension`(_ row: Resume) {
        var life = Life(.app, row.from + [.idles(), .event(.requested(Request(.suspended, by: .machine)))])
        while life.worker.callbackInFlight != nil { life.play(.completes()) }
        life.play(.event(.frozen))
        #expect(life.worker.state == .suspended)
        #expect(life.play(.event(.resumeRequested(Vocabulary.human))) == [.thaw])
        life.play(.event(.thawed))
        while life.worker.callbackInFlight != nil { life.play(.completes()) }
        #expect(life.worker.goal == row.goal)
        #expect(life.worker.state == row.goal.state)
    }

    @Test func `resume of what is awake is done already, and of what is not there refused`() {
        var life = Life(.app, .active)
        #expect(life.play(.event(.resumeRequested(Vocabulary.human))).isEmpty)
        #expect(life.worker.goal == .active)
        life = Life(.app)
        #expect(
            life.play(.event(.resumeRequested(Vocabulary.human))) == [.refuse(.notRunning, Vocabulary.human)])
    }

    private static let restarts = Cue.event(.restartRequested(Vocabulary.human))

    @Test(arguments: resumes) func `restart replaces the process, and the goal stays`(_ row: Resume) throws {
        var life = Life(.app, row.from)
        #expect(!life.worker.isRestarting)
        life.play(Self.restarts)
        #expect(life.worker.isEnding && life.worker.isRestarting && life.worker.goal == row.goal)
        // Asked for again it is the same restart.
        #expect(life.play(Self.restarts).isEmpty)
        let effects = life.play(.exits())
        let launch = try #require(life.worker.currentLaunch)
        #expect(effects.contains(.launch(launch)) && launch.intoForeground == row.goal.isForeground)
        #expect(life.worker.goal == row.goal && launch.incarnation == 2 && launch.reason == .operator)
    }

    @Test func `what sleeps is restarted, and sleeps again`() throws {
        var life = Life(.app, .background + [.idles(), .event(.frozen)])
        try #require(life.worker.state == .suspended)
        life.play(Self.restarts, .exits(.killed(signal: 9, coreDumped: false)), .event(.launched(pid: 8)))
        while life.worker.callbackInFlight != nil { life.play(.completes()) }
        #expect(life.worker.state == .background && life.worker.goal == .suspended)
        #expect(life.worker.goalRequester == .idle)
    }

    @Test func `an end that is asked for after a restart is for good`() {
        var life = Life(.app, .active + [Self.restarts, .wants(.notRunning), .exits()])
        #expect(life.worker.restReason == .exited)
        life = Life(.app, .active + [.wants(.notRunning), Self.restarts, .exits()])
        #expect(life.worker.currentLaunch?.incarnation == 2 && life.worker.goal == .active)
    }

    @Test func `restart launches what does not run, and leaves alone what is being launched`() {
        var life = Life(.app)
        life.play(Self.restarts)
        #expect(life.worker.currentLaunch?.intoForeground == true)
        #expect(life.play(Self.restarts).isEmpty)
    }

    @Test func `sleep is no reason to start a process, a warm pool is`() {
        var life = Life(.app)
        #expect(life.play(.wants(.suspended)) == [.refuse(.notRunning, Vocabulary.human)])
        life.play(.event(.requested(Request(.suspended, by: .supervisor, reason: .prelaunch))))
        #expect(life.worker.currentLaunch?.reason == .prelaunch)
        #expect(life.worker.currentLaunch?.intoForeground == false)
    }

    @Test func `a warm pool disturbs nobody`() {
        let warm = Cue.event(.requested(Request(.suspended, by: .supervisor, reason: .prelaunch)))
        let failing = Policy(restart: RestartPolicy(condition: .always))
        var life = Life(.app, .active)
        #expect(life.play(warm).isEmpty)
        life = Life(failing, [.wants(.active), .event(.launched(pid: 7)), .exits()])
        #expect(life.play(warm).isEmpty)
        #expect(life.worker.goal == .active)
    }

    @Test func `sleep during an end does not start it again`() {
        var life = Life(.app, .background + [.wants(.notRunning)])
        #expect(
            life.play(.event(.requested(Request(.suspended, by: .machine)))) == [
                .refuse(.notRunning, .machine)
            ])
        life.play(.exits())
        #expect(life.worker.restReason == .exited)
    }

    @Test func `a stop during the launch does not wait for it`() {
        var life = Life(.app, .attached)
        #expect(life.play(.wants(.notRunning)).contains(.stop))
        #expect(life.remaining(.ending) == .seconds(5))
    }

    @Test func `what comes up during the look at held resources is given before any sleep`() {
        var policy = Policy.app
        policy.heldResources = .kill
        var life = Life(policy, .background + [.idles(), .brings(.fetch)])
        let effects = life.play(.event(.inspected(.lock)))
        #expect(effects.seen == [.told(.performFetch)])
        #expect(!effects.contains(.kill))
        #expect(life.play(.finishes).last == .inspectResources)
    }
}
