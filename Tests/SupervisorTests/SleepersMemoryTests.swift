import HostContract
import Launching
import Lifecycle
import Linux
import Pressure
import Testing

@testable import Supervisor
@testable import SupervisorPorts

/// What the supervisor has the machine do about workers' memory, on the fake one.
@Suite struct `Sleepers' memory` {
    private func reclaims(_ world: World) -> Int {
        world.host.calls.count { if case .reclaim = $0 { true } else { false } }
    }

    private func givenBack(_ world: World, _ worker: WorkerID) -> Int64? {
        world.supervisor.view(of: worker)?.reclaim?.givenBack
    }

    @Test func `is given back when they have slept for a while, once, and until they wake`() throws {
        let world = try World()
        let worker = world.active("sleeper")
        world.request(.suspended, of: worker)
        world.host.run { world.state(of: worker) == .suspended }
        #expect(reclaims(world) == 0)
        world.host.advance(by: .milliseconds(999))
        #expect(reclaims(world) == 0)
        world.host.advance(by: .milliseconds(10))
        #expect(reclaims(world) == 1)
        #expect(givenBack(world, worker) == 6 << 20)
        world.host.advance(by: .seconds(100))
        #expect(reclaims(world) == 1)
        world.request(.active, of: worker)
        world.host.run { world.state(of: worker) == .active }
        #expect(givenBack(world, worker) == nil)
    }

    @Test func `stays with those who are woken at once, however often that happens`() throws {
        let world = try World()
        let worker = world.active("sleeper")
        for _ in 0..<20 {
            world.request(.suspended, of: worker)
            world.host.run { world.state(of: worker) == .suspended }
            world.host.advance(by: .milliseconds(500))
            world.request(.active, of: worker)
            world.host.run { world.state(of: worker) == .active }
            world.host.advance(by: .milliseconds(100))
        }
        #expect(reclaims(world) == 0)
        world.request(.suspended, of: worker)
        world.host.run { world.state(of: worker) == .suspended }
        world.host.advance(by: .seconds(3))
        #expect(reclaims(world) == 1)
    }

    @Test func `stays where the worker's file says so, and with whom somebody else has stopped`() throws {
        let world = try World()
        let stopped = world.active("sleeper")
        let worker = world.add("sleeper")
        let configuration = WorkerConfiguration(name: "sleeper", policy: Policy()) { _ in
            LaunchRequest("sleeper", environment: Environment())
        }
        configuration.memory.reclaimsOnSuspend = false
        world.supervisor.update(worker, to: configuration)
        for (goal, state) in [(Goal.active, State.active), (.suspended, .suspended)] {
            world.request(goal, of: worker)
            world.host.run { world.state(of: worker) == state }
        }
        world.host.stopFromOutside(stopped)
        world.host.advance(by: .seconds(10))
        #expect(world.state(of: worker) == .suspended && world.state(of: stopped) == .suspended)
        #expect(reclaims(world) == 0)
    }

    @Test func `of a state has the limits of that state`() throws {
        let world = try World()
        let worker = world.add("sleeper")
        let configuration = WorkerConfiguration(name: "sleeper", policy: Policy()) { _ in
            LaunchRequest("sleeper", environment: Environment())
        }
        configuration.memory.maximum = 3
        configuration.memory.high = 2
        configuration.memory.backgroundHigh = 1
        world.supervisor.update(worker, to: configuration)
        for (goal, state) in [(Goal.active, State.active), (.suspended, .suspended), (.active, .active)] {
            world.request(goal, of: worker)
            world.host.run { world.state(of: worker) == state }
        }
        let limits = world.host.calls.compactMap { call -> MemoryLimits? in
            if case .limitMemory(worker, let limits) = call { limits } else { nil }
        }
        let (foreground, background) = (MemoryLimits(maximum: 3, high: 2), MemoryLimits(maximum: 3, high: 1))
        #expect(limits == [foreground, background, foreground])
    }

    @Test func `is told to whoever acts on it, and a limit that is not in force to everybody`() throws {
        let world = try World()
        let worker = world.active("sleeper")
        final class Told: MemoryObserver {
            var facts: [MemoryFact] = []

            func hear(_ fact: MemoryFact, of worker: WorkerID) { facts.append(fact) }
            func hear(_ change: Supervisor.EligibilityChange) {}
        }
        let told = Told()
        world.supervisor.observeMemory(told)
        let events = MemoryEvents(high: 3, max: 1, oom: 0)
        world.host.meetLimit(worker, events)
        world.host.run()
        world.host.inform(worker, .memory(.limitRefused("it is Tuesday")))
        world.host.kill(worker)
        world.host.run()
        #expect(told.facts == [.eventsChanged(events), .limitRefused("it is Tuesday"), .released])
        #expect(
            world.notices.contains {
                $0.notice == .ignored("a memory limit is not in effect: it is Tuesday")
            })
    }
}
