import HostContract
import Launching
import Lifecycle
import Linux
import Testing

@testable import Supervisor
@testable import SupervisorPorts

/// `ExecStartPost=` and `ExecReload=`: commands beside a worker's main process, and what depends on them.
@Suite(.timeLimit(.minutes(60))) struct `Commands that belong to no callback` {
    // Unchecked: the world has one thread.
    private final class Case: @unchecked Sendable {
        let world: World
        let worker: WorkerID
        var reloads: [ReloadOutcome] = []

        /// A worker whose commands come to `fate`.
        init(
            post: Int = 0, reload: Int = 0, _ fate: FakeProgram.HookFate = .ends(.done, after: .seconds(1)),
            _ policy: Policy = Policy()
        ) throws {
            world = try World()
            var program = FakeProgram()
            program.hooks[.didFinishLaunching] = fate
            world.host.programs["worker"] = program
            var policy = policy
            if post > 0 { policy.hooks = policy.hooks.union(CallbackSet([.didFinishLaunching])) }
            let shared = policy
            let configuration = WorkerConfiguration(name: "worker", policy: shared) { _ in
                LaunchRequest("worker", environment: Environment())
            }
            configuration.commands = ServiceCommands(
                startPost: (0..<post).map {
                    ServiceCommand(.startPost, $0, key: "ExecStartPost", program: "p")
                },
                reload: (0..<reload).map { ServiceCommand(.reload, $0, key: "ExecReload", program: "r") })
            worker = world.supervisor.add(configuration)
        }

        func reload() {
            let id = worker
            let answer: @Sendable (ReloadOutcome) -> Void = { [unowned self] in reloads.append($0) }
            world.supervisor.reload(id, by: World.person, then: answer)
        }

        var commands: Int {
            world.host.calls.count { if case .hook(worker, .didFinishLaunching) = $0 { true } else { false } }
        }

        var failures: [String] {
            world.notices.compactMap {
                guard case .commandFailed(let command, let problem) = $0.notice else { return nil }
                return "\(command): \(problem)"
            }
        }
    }

    @Test func `run one after the other before the launch is complete`() throws {
        let one = try Case(post: 2)
        let answer = one.world.request(.active, of: one.worker)
        #expect(one.commands == 1 && one.world.state(of: one.worker) == .inactive)
        one.world.host.advance(by: .milliseconds(1500))
        #expect(one.commands == 2 && one.world.state(of: one.worker) == .inactive && answer.outcomes.isEmpty)
        one.world.host.run()
        #expect(one.world.state(of: one.worker) == .active && answer.outcomes == [.reached])
        #expect(!one.world.supervisor.runsCommands)
    }

    @Test func `end the worker when one fails, as a failure that is followed by a restart`() throws {
        let one = try Case(
            post: 2, .ends(.failed, after: .seconds(1)), Policy(restart: RestartPolicy(condition: .onFailure))
        )
        one.world.request(.active, of: one.worker)
        one.world.host.run { !one.world.records(of: one.worker).isEmpty }
        #expect(one.commands == 1 && one.failures == ["ExecStartPost=p: it was abandoned"])
        #expect(one.world.records(of: one.worker).first?.cause == .failed)
        #expect(one.world.life(of: one.worker)?.restReason == .backingOff)
    }

    @Test func `are given up with the launch`() throws {
        let one = try Case(post: 1, .hangs)
        let answer = one.world.request(.active, of: one.worker)
        one.world.request(.notRunning, of: one.worker)
        one.world.host.run()
        #expect(answer.outcomes == [.replaced(by: .notRunning)])
        #expect(one.world.state(of: one.worker) == .notRunning)
        #expect(!one.world.supervisor.runsCommands)
    }

    @Test func `reload a worker that is awake`() throws {
        let one = try Case(reload: 2)
        one.world.request(.active, of: one.worker)
        one.reload()
        #expect(one.commands == 1 && one.reloads.isEmpty)
        one.reload()
        #expect(one.reloads == [.refused("it is already being reloaded")])
        one.world.host.run()
        #expect(one.commands == 2 && one.reloads.last == .done)
        #expect(one.world.state(of: one.worker) == .active)
        #expect(one.world.life(of: one.worker)?.backgroundWork.tasks == 0)
    }

    @Test func `reload a worker that sleeps, and let it sleep again`() throws {
        let one = try Case(reload: 1)
        one.world.request(.active, of: one.worker)
        one.world.request(.suspended, of: one.worker)
        one.world.host.run()
        #expect(one.world.state(of: one.worker) == .suspended)
        one.reload()
        #expect(one.world.state(of: one.worker) == .background)
        one.world.host.run()
        #expect(one.reloads == [.done] && one.world.state(of: one.worker) == .suspended)
    }

    @Test func `that fail say so and leave the worker as it is`() throws {
        let one = try Case(reload: 2, .ends(.failed, after: .zero))
        one.world.request(.active, of: one.worker)
        one.reload()
        #expect(one.reloads == [.refused("ExecReload=r failed: it was abandoned")] && one.commands == 1)
        #expect(one.world.state(of: one.worker) == .active)
    }

    @Test func `have the time that a launch has`() throws {
        var policy = Policy()
        policy.limits.launch = .seconds(5)
        let one = try Case(reload: 1, .hangs, policy)
        one.world.request(.active, of: one.worker)
        one.reload()
        one.world.host.advance(by: .seconds(6))
        #expect(one.failures == ["ExecReload=r: timed out after TimeoutStartSec=5s"])
        #expect(one.reloads.count == 1 && one.world.state(of: one.worker) == .active)
    }

    @Test func `are over with the worker`() throws {
        let one = try Case(reload: 1, .hangs)
        one.world.request(.active, of: one.worker)
        one.reload()
        one.world.host.end(one.worker, .exited(1))
        one.world.host.run()
        #expect(one.reloads == [.refused("it has ended in the meantime")])
    }

    @Test func `are refused where there is nothing to reload`() throws {
        let one = try Case(reload: 0)
        one.reload()
        one.world.request(.active, of: one.worker)
        one.reload()
        #expect(
            one.reloads == [
                .unsupported(
                    "it has no ExecReload=; use 'torpor reload' without a name to reload the definitions of all workers"
                ),
                .unsupported(
                    "it has no ExecReload=; use 'torpor reload' without a name to reload the definitions of all workers"
                ),
            ])
    }
}
