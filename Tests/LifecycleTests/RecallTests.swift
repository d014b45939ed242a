import Testing

@testable import Lifecycle

/// What is known of a worker whose last process ended under a supervisor that has ended since, and of an automatic restart.
@Suite struct `A worker that ran before` {
    private static let rows: [(cause: TerminationRecord.Cause, rest: RestReason)] = [
        (.failed, .failed), (.crashed, .failed), (.watchdog, .failed), (.launchFailed, .failed),
        (.exited, .exited), (.stopped, .exited), (.evicted, .evicted), (.memoryLimit, .evicted),
        (.forceQuit, .forceQuit),
    ]

    @Test(arguments: rows.indices) func `rests for the reason for which it ended`(_ row: Int) {
        let (cause, rest) = Self.rows[row]
        var life = WorkerLifecycle(policy: .app)
        life.recall(cause)
        #expect(life.restReason == rest)
        // Once it has run again it knows better.
        let started = life.handle(.requested(Request(.active, by: Vocabulary.human)), at: .zero)
        #expect(started.contains { if case .launch = $0 { true } else { false } })
        life.recall(.failed)
        #expect(life.restReason == nil && life.currentLaunch?.isRestored == (rest == .evicted))
    }

    @Test func `and was ended by force comes back by an operator alone`() {
        var life = WorkerLifecycle(policy: .app)
        life.recall(.forceQuit)
        let wake = life.handle(.woken(Wake(.fetch, intoForeground: false)), at: .zero)
        #expect(wake == [.refuse(.forceQuit, .wakeSource)])
    }

    @Test func `is started again by the rule, and not by the operator that launched it once`() {
        var policy = Policy.app
        policy.restart.condition = .onFailure
        var life = Life(policy, .active + [.exits(.exited(1))])
        #expect(life.worker.restReason == .backingOff)
        life.play(.expires(.backoff))
        #expect(life.worker.goalRequester == .supervisor)
        #expect(life.worker.currentLaunch?.reason == .restart && life.worker.goal == .active)
    }
}
