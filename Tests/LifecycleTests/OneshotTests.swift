import Testing

@testable import Lifecycle

/// Workers that are ready when they have ended, and launches that fail when the process is there already.
@Suite struct `Oneshot workers and failed starts` {
    private static let oneshot = Policy(
        readiness: .exit, restart: RestartPolicy(condition: .onFailure), idle: IdlePolicy(delay: .seconds(1)))

    @Test(arguments: [Goal.active, .background]) func `are launching for as long as they run`(_ goal: Goal) {
        var life = Life(Self.oneshot, [.wants(goal), .event(.launched(pid: 7))])
        #expect(life.worker.isLaunching && life.worker.deadlines.first?.timer == .launch)
        let state: State = goal == .active ? .inactive : .background
        #expect(life.worker.state == state)
        // Neither what it says nor its sleep is a way out of that.
        for event in [Event.ready, .notificationsQueued, .requested(Request(.suspended, by: .idle))] {
            #expect(life.play(.event(event)).contains(.freeze) == false)
            #expect(life.worker.isLaunching && life.worker.state == state)
        }
        let effects = life.play(.exits(.exited(0)))
        #expect(life.worker.restReason == .exited && life.worker.goal == .notRunning)
        #expect(!effects.contains(.launchCompleted))
    }

    @Test func `that fail are launched again as their policy has it`() {
        var life = Life(Self.oneshot, [.wants(.active), .event(.launched(pid: 7))])
        _ = life.play(.exits(.exited(3)))
        #expect(life.worker.restReason == .backingOff)
    }

    @Test func `end gracefully when they are not wanted any more`() {
        var life = Life(Self.oneshot, [.wants(.active), .event(.launched(pid: 7))])
        #expect(life.play(.wants(.notRunning)).contains(.stop))
    }

    @Test func `a failed start is asked to end, and that is a failure`() {
        let policy = Policy(
            hooks: CallbackSet([.didFinishLaunching]), restart: RestartPolicy(condition: .onFailure))
        var life = Life(policy, [.wants(.active), .event(.launched(pid: 7))])
        #expect(life.worker.callbackInFlight?.callback == .didFinishLaunching)
        #expect(life.play(.event(.startFailed)).contains(.stop))
        #expect(life.worker.isEnding && life.worker.callbackInFlight == nil)
        let effects = life.play(.exits(.killed(signal: 15, coreDumped: false)))
        let causes = effects.compactMap { effect -> TerminationRecord.Cause? in
            guard case .record(let record) = effect else { return nil }
            return record.cause
        }
        #expect(causes == [.failed] && life.worker.restReason == .backingOff)
    }

    @Test func `a failed start of a worker that runs already is a surprise`() {
        var life = Life(Policy(), [.wants(.active), .event(.launched(pid: 7))])
        #expect(life.worker.state == .active)
        let effects = life.play(.event(.startFailed))
        #expect(effects == [.report(Surprise(state: .active, event: .startFailed))])
    }

    @Test func `a launch that nobody wants any more is known`() {
        var life = Life(Policy(), [.wants(.active)])
        #expect(!life.worker.isLaunchUnwanted)
        _ = life.play(.wants(.notRunning))
        #expect(life.worker.isLaunchUnwanted)
        _ = life.play(.wants(.active))
        #expect(!life.worker.isLaunchUnwanted)
        _ = life.play(.event(.forceQuit(Vocabulary.human)))
        #expect(life.worker.isLaunchUnwanted)
    }

    @Test func `is not put to sleep by an operator, and goes on`() {
        var life = Life(Self.oneshot, [.wants(.active), .event(.launched(pid: 7))])
        let request = Request(.suspended, by: .operator(uid: 0, pid: 1))
        #expect(life.worker.refusal(of: request) == .runsToItsEnd)
        let effects = life.play(.event(.requested(request)))
        #expect(effects.contains(.refuse(.runsToItsEnd, .operator(uid: 0, pid: 1))))
        #expect(life.worker.goal == .active)
        _ = life.play(.exits(.exited(0)))
        #expect(life.worker.refusal(of: request) == .notRunning)
    }
}
