import HostContract
import Lifecycle
import Linux
import Supervisor
import SupervisorPorts
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `The supervisor` {
    @Test func `carries out effects in their order`() throws {
        let world = try World()
        let worker = world.active("notifier", Policy(readiness: .notify))
        world.request(.suspended, of: worker)
        world.host.run { world.life(of: worker)?.isSettled ?? false }
        world.request(.notRunning, of: worker)
        world.host.run()
        // The stop signal first, so that it is pending when the worker runs again.
        #expect(
            world.host.calls == [
                .launch(worker, 1), .freeze(worker), .signal(worker, .terminate), .thaw(worker),
            ])
        #expect(
            world.path(of: worker) == [
                .inactive, .active, .inactive, .background, .suspended, .background, .notRunning,
            ])
        #expect(world.records(of: worker).map(\.cause) == [.stopped])
    }

    @Test func `sees each event after the one before it, whoever submits it when`() throws {
        let world = try World()
        let worker = world.add("sleeper")
        var seen: [State?] = []
        world.reaction = { worker, notice in
            guard case .changed(let transition) = notice else { return }
            seen.append(transition.to)
            if transition.to == .active {
                // The state is stored before it is told, and what this asks for waits for its turn.
                #expect(world.state(of: worker) == .active)
                world.submit(.requested(Request(.background, by: World.person)), to: worker)
                #expect(world.state(of: worker) == .active)
            }
        }
        world.request(.active, of: worker)
        #expect(seen == [.inactive, .active, .inactive, .background])
        #expect(world.state(of: worker) == .background)
    }

    @Test func `starts a failing worker again and again, each time later`() throws {
        let world = try World()
        let restart = RestartPolicy(
            condition: .onFailure, delay: .seconds(1), longestDelay: .seconds(4), limitBurst: 5,
            limitInterval: .seconds(100))
        let worker = world.add("failing", Policy(restart: restart))
        world.request(.active, of: worker)
        world.host.run()
        let records = world.records(of: worker)
        let delays = records.compactMap { record in record.restartsAt.map { $0 - record.at } }
        let expected: [TimeSpan] = [.seconds(1), .seconds(2), .seconds(4), .seconds(4), .seconds(4)]
        #expect(delays == expected)
        #expect(records.count == 5)
        #expect(world.life(of: worker)?.restReason == .failed)
        #expect(world.notices.contains { $0.notice == .warned(.startLimitHit, detail: nil) })
    }

    @Test func `warns of a freeze that failed, with the reason, and tries again`() throws {
        let world = try World(FakeManners(failingFreezes: 100))
        let worker = world.active("sleeper")
        world.request(.suspended, of: worker)
        world.host.advance(by: .milliseconds(500))
        var warnings: [Notice] {
            world.notices.map(\.notice).filter { if case .warned = $0 { true } else { false } }
        }
        let first = Notice.warned(
            .freezeFailed, detail: "the fake says so; retry in 1s")
        #expect(warnings == [first])
        world.host.advance(by: .seconds(200))
        // After 0, 1, 3, 7, 15, 31, 63, 123 and 183 s.
        #expect(world.host.calls.count { $0 == .freeze(worker) } == 9)
        #expect(warnings.count == 7)
        world.request(.active, of: worker)
        world.host.advance(by: .seconds(200))
        #expect(world.host.calls.count { $0 == .freeze(worker) } == 9)
    }

    // MARK: time

    @Test func `kills a launch that is late, and not before`() throws {
        let world = try World()
        let worker = world.add("silent", Policy(readiness: .notify))
        world.request(.active, of: worker)
        world.host.advance(by: .seconds(90) - .milliseconds(1))
        #expect(world.records(of: worker).isEmpty)
        world.host.advance(by: .milliseconds(2))
        #expect(world.records(of: worker).map(\.cause) == [.watchdog])
    }

    @Test(arguments: [1, 60, 89, 90, 91, 100, 1000])
    func `never kills anyone for its own sleep`(_ stall: Int64) throws {
        let world = try World()
        let worker = world.add("silent", Policy(readiness: .notify))
        world.request(.active, of: worker)
        // No process runs until long after the deadline; then all of them do.
        world.host.stall(for: .seconds(89))
        world.host.advance(by: .zero)
        world.host.stall(for: .seconds(stall + 2))
        world.host.advance(by: .milliseconds(500))
        #expect(world.records(of: worker).isEmpty)
        world.host.say(worker, .ready)
        #expect(world.state(of: worker) == .active)
    }

    @Test func `moves deadlines by a stall once, however much comes in at its end`() throws {
        let world = try World()
        let worker = world.add("silent", Policy(readiness: .notify))
        world.request(.active, of: worker)
        let before = try #require(world.life(of: worker)?.deadlines.first?.due)
        world.host.stall(for: .seconds(100))
        world.reaction = { worker, notice in
            if case .said = notice { for _ in 0..<3 { world.submit(.used(true), to: worker) } }
        }
        var report = NotifyReport()
        report.status = "still here"
        for _ in 0..<3 { world.host.say(worker, report) }
        let after = try #require(world.life(of: worker)?.deadlines.first?.due)
        #expect(after - before == .seconds(100))
        world.host.run()
        #expect(world.records(of: worker).map(\.cause) == [.watchdog])
    }

    @Test func `does not kill who is being debugged`() throws {
        let world = try World()
        let worker = world.add("silent", Policy(readiness: .notify))
        world.request(.active, of: worker)
        world.host.setTraced(worker, true)
        world.host.advance(by: .seconds(1000))
        #expect(world.state(of: worker) == .inactive)
        world.host.setTraced(worker, false)
        world.host.advance(by: .seconds(91))
        #expect(world.records(of: worker).map(\.cause) == [.watchdog])
    }
}
