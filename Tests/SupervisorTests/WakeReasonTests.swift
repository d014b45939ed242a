import HostContract
import Idleness
import Lifecycle
import Testing

@testable import Supervisor

@Suite("What woke a worker") struct WakeReasonTests {
    @Test func `a client wakes it although what the last one was for has never been found out`() throws {
        let world = try World()
        let id = world.active("sleeper")
        let worker = try #require(world.supervisor.workers[id])
        for isExplained in [false, false, true] {
            world.request(.suspended, of: id)
            world.host.run { world.state(of: id) == .suspended }
            // The worker ends, or sleeps again, before the look-up is over: no answer comes.
            world.supervisor.wanted(worker, by: .unnamed, isExplained: isExplained)
            #expect(world.life(of: id)?.goal == .active)
            world.host.run { world.state(of: id) == .active }
        }
    }
}
