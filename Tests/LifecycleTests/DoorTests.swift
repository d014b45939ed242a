import Idleness
import Testing

@testable import Lifecycle

/// After which ends the clients of a worker go on waiting at its sockets, and for how long.
@Suite struct `Sockets of a worker that is gone` {
    private static let kill = Lifecycle.ExitStatus.killed(signal: 9, coreDumped: false)

    private static func evicted(_ requester: Requester) -> Cue {
        .event(.evictionRequested(Eviction(by: requester)))
    }

    private static var exiting: Policy {
        var policy = Policy.app
        policy.exitsOnSuspend = true
        return policy
    }

    private static let stopped = Cue.event(.requested(Request(.notRunning, by: Vocabulary.human)))
    private static let suspended = Cue.event(.requested(Request(.suspended, by: Vocabulary.human)))
    private static let knocked = Cue.event(.woken(Wake(.socket, intoForeground: true)))

    @Test(arguments: [Requester.memoryPressure, .memoryLimit])
    func `stay open when it is evicted, until an operator ends it`(_ requester: Requester) {
        var life = Life(.app, .asleep + [Self.evicted(requester)])
        #expect(life.worker.leavesDoors)
        life.play(.exits(Self.kill))
        #expect(life.worker.restReason == .evicted && life.worker.mayKeepDoors)
        var stopped = life
        stopped.play(Self.stopped)
        #expect(!stopped.worker.mayKeepDoors)
        var forced = life
        forced.play(.event(.forceQuit(Vocabulary.human)))
        #expect(!forced.worker.mayKeepDoors)
        life.play(Self.knocked)
        #expect(life.worker.isLaunching && life.worker.mayKeepDoors)
        #expect(life.worker.currentLaunch?.isRestored == true && life.worker.currentLaunch?.reason == .socket)
    }

    @Test func `stay open when it ends instead of sleeping, whichever requester asked for that`() {
        var life = Life(Self.exiting, .active + [Self.suspended])
        life.play(.completes())
        #expect(life.worker.isEnding && life.worker.leavesDoors)
        life.play(.exits())
        #expect(life.worker.restReason == .exited && life.worker.mayKeepDoors)
        life.play(Self.stopped)
        #expect(!life.worker.mayKeepDoors)
    }

    @Test func `are closed with a worker that an operator ends`() {
        for end in [Self.stopped, .event(.forceQuit(Vocabulary.human))] {
            var life = Life(.app, .asleep + [end])
            #expect(!life.worker.leavesDoors && !life.worker.mayKeepDoors)
            life.play(.exits(Self.kill))
            #expect(!life.worker.mayKeepDoors)
        }
    }

    @Test func `are kept through a launch that fails, and not through one that an operator calls off`() {
        let gone: [Cue] = .asleep + [Self.evicted(.memoryPressure), .exits(Self.kill), Self.knocked]
        var failed = Life(.app, gone + [.event(.launchFailed(errno: 2))])
        #expect(failed.worker.mayKeepDoors)
        failed.play(Self.knocked)
        #expect(failed.worker.mayKeepDoors)
        #expect(!Life(.app, gone + [Self.stopped]).worker.mayKeepDoors)
    }
}
