import HostContract
import Lifecycle
import Linux
import Supervisor
import SupervisorPorts
import TestSupport
import Testing

/// Whole machines that misbehave: facts late, doubled and in another order, freezes and launches that fail, stalls.
@Suite(.timeLimit(.minutes(60))) struct `Random worlds` {
    @Test(arguments: 0..<100)
    func `never trap, and come to rest with nothing pending`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try World(seed.isMultiple(of: 3) ? .late : .terrible, seed: seed)
        let restart = RestartPolicy(condition: .onFailure, delay: .seconds(1), longestDelay: .seconds(30))
        let policies = [
            Policy(restart: restart),
            Policy(readiness: .notify, restart: restart, idle: IdlePolicy(delay: .seconds(5))),
            Policy(readiness: .notify, heldResources: .warn),
        ]
        let workers = ["sleeper", "notifier", "silent", "failing"].enumerated().map { index, program in
            world.add(program, policies[(index + Int(seed)) % policies.count])
        }
        var answers: [Answer] = []
        for _ in 0..<300 {
            let worker = workers[Int.random(in: 0..<workers.count, using: &random)]
            switch Int.random(in: 0..<14, using: &random) {
            case 0..<5:
                answers.append(
                    world.request(Goal.allCases[Int.random(in: 0..<5, using: &random)], of: worker))
            case 5: world.submit(.resumeRequested(World.person), to: worker)
            case 6: world.host.stopFromOutside(worker)
            case 7: world.host.continueFromOutside(worker)
            case 8: world.host.end(worker, .killed(signal: 11, coreDumped: true))
            case 9:
                world.host.say(
                    worker, .phase([.ready, .reloading, .stopping][Int.random(in: 0..<3, using: &random)]))
            case 10:
                world.submit(.woken(Wake(.socket, intoForeground: Bool.random(using: &random))), to: worker)
            case 11: world.submit(.forceQuit(World.person), to: worker)
            case 12: world.host.stall(for: .seconds(Int64.random(in: 0...200, using: &random)))
            default: world.submit(.used(Bool.random(using: &random)), to: worker)
            }
            world.host.advance(by: .milliseconds(Int64.random(in: 0...4000, using: &random)))
        }
        for worker in workers {
            world.host.continueFromOutside(worker)
            answers.append(world.request(.notRunning, of: worker))
            world.submit(.forceQuit(World.person), to: worker)
        }
        world.host.run()
        #expect(world.host.isIdle)
        #expect(world.host.abuses == [])
        #expect(world.host.alarmAt == nil)
        for worker in workers {
            #expect(world.state(of: worker) == .notRunning)
            #expect(!world.host.lives(worker))
            let path = world.path(of: worker)
            for (from, to) in zip([State.notRunning] + path, path) {
                #expect(Transition.isLegal(from: from, to: to), "\(from) → \(to)")
            }
        }
        // Every request has been answered, once.
        #expect(answers.allSatisfy { $0.outcomes.count == 1 })
    }
}
