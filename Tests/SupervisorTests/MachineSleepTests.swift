import HostContract
import Lifecycle
import Linux
import TestSupport
import Testing

@testable import Supervisor
@testable import SupervisorPorts

/// The machine's own sleep: CLOCK_MONOTONIC stands still in it, and spans of sleep count it (CLOCK_BOOTTIME).
@Suite(.timeLimit(.minutes(60))) struct `The machine's own sleep` {
    private func asleep(_ world: World) -> WorkerID {
        let worker = world.active("sleeper")
        world.request(.suspended, of: worker)
        world.host.run { world.state(of: worker) == .suspended }
        return worker
    }

    @Test func `counts as time asleep for whoever slept through it`() throws {
        let world = try World()
        let worker = asleep(world)
        let since = try #require(world.supervisor.view(of: worker)?.since)
        world.host.machineSlept = world.host.machineSlept + .seconds(7)
        world.request(.active, of: worker)
        world.host.run { world.state(of: worker) == .active }
        let told = world.notices.compactMap { entry -> TimeSpan? in
            guard case .changed(let transition) = entry.notice else { return nil }
            return transition.suspendedFor
        }
        #expect(told.count == 1 && told.allSatisfy { $0 >= .seconds(7) && $0 < .seconds(8) })
        #expect(since <= world.host.now)
    }

    @Test func `moves no deadline, and the clocks' own noise is no sleep`() throws {
        let world = try World()
        let worker = asleep(world)
        for _ in 0..<1000 {
            world.host.machineSlept = world.host.machineSlept + TimeSpan(microseconds: 900)
            world.submit(.notificationsQueued, to: worker)
            world.host.machineSlept = world.host.machineSlept + TimeSpan(microseconds: -900)
        }
        world.request(.active, of: worker)
        world.host.run { world.state(of: worker) == .active }
        let told = world.notices.compactMap { entry -> TimeSpan? in
            guard case .changed(let transition) = entry.notice else { return nil }
            return transition.suspendedFor
        }
        #expect(told.allSatisfy { $0 < .seconds(1) })
    }

    @Test func `is not negative, and does not go back`() {
        let first = MachineSleep.total
        #expect(first >= 0 && abs(MachineSleep.total - first) < 1_000_000)
    }
}
