import HostContract
import Lifecycle
import Linux
import TestSupport
import Testing

@testable import Supervisor
@testable import SupervisorPorts

/// The end of all workers: once it has begun none is launched (2.1).
@Suite(.timeLimit(.minutes(60))) struct `Once the end of all has begun` {
    static let asking: [Event] = [
        .woken(Wake(.path, intoForeground: false)), .woken(Wake(.silentNotification, intoForeground: false)),
        .woken(Wake(.socket, intoForeground: true)),
        .requested(Request(.active, by: World.person)), .requested(Request(.background, by: World.person)),
        .requested(Request(.suspended, by: .supervisor, reason: .prelaunch)),
    ]

    /// One that takes its time to end, and one that ends at once.
    private func world() throws -> (world: World, slow: WorkerID, quick: WorkerID) {
        let world = try World()
        world.host.programs["slow"] = FakeProgram(
            on: [.terminate: .handles(.ends(.exited(0)), after: .seconds(2))])
        let (slow, quick) = (world.active("slow"), world.active("notifier"))
        world.supervisor.close()
        world.request(.notRunning, of: slow)
        world.request(.notRunning, of: quick)
        return (world, slow, quick)
    }

    @Test(arguments: asking) func `nothing launches again what has ended`(_ event: Event) throws {
        let (world, slow, quick) = try world()
        world.host.run { world.state(of: quick) == .notRunning }
        #expect(world.state(of: slow) != .notRunning)
        world.submit(event, to: quick)
        world.submit(event, to: slow)
        world.host.run()
        #expect(world.state(of: quick) == .notRunning && world.state(of: slow) == .notRunning)
        #expect(world.records(of: quick).count == 1 && world.records(of: slow).count == 1)
        #expect(world.life(of: slow)?.currentLaunch == nil)
    }

    @Test func `a request is refused, and says why`() throws {
        let (world, _, quick) = try world()
        #expect(world.request(.active, of: quick).outcomes == [.refused(.shuttingDown)])
        #expect(Refusal.shuttingDown.sentence.contains("are being stopped"))
    }

    @Test func `a sleeper that cannot be thawed does not hold it up: its time passes, and it is killed`()
        throws
    {
        let world = try World()
        var policy = Policy()
        policy.limits.stop = .seconds(3)
        policy.evictable = .graceful
        let web = world.active("notifier", policy)
        world.request(.suspended, of: web)
        world.host.run { world.state(of: web) == .suspended }
        let failure = LinuxError(errno: 30, call: "write", subject: "/sys/fs/cgroup/web/cgroup.freeze")
        world.host.thawFailures[web] = failure
        world.supervisor.close()
        let answer = world.request(.notRunning, of: web)
        #expect(world.state(of: web) == .suspended)
        #expect(world.supervisor.view(of: web)?.thawFailure == failure)
        world.host.run { world.state(of: web) == .notRunning }
        #expect(answer.outcomes == [.reached] && world.supervisor.reopen())
        #expect(world.records(of: web).map(\.cause) == [.stopped])
        let warnings = world.notices.compactMap { notice -> String? in
            guard case .warned(.thawFailed, let detail) = notice.notice else { return nil }
            return detail
        }
        #expect(warnings == ["write /sys/fs/cgroup/web/cgroup.freeze: Read-only file system"])
    }

    @Test func `it is over only when all have ended, and then workers are launched again`() throws {
        let (world, slow, quick) = try world()
        world.host.run { world.state(of: quick) == .notRunning }
        #expect(!world.supervisor.reopen(), "one is still ending")
        world.host.run { world.state(of: slow) == .notRunning }
        #expect(world.supervisor.reopen())
        let answer = world.request(.active, of: quick)
        world.host.run { world.state(of: quick) == .active }
        #expect(answer.outcomes == [.reached])
    }
}
