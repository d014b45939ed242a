import BackgroundWork
import HostContract
import Lifecycle
import Systemd
import Testing
import WorkerFile

@testable import DaemonCore
@testable import Supervisor
@testable import SupervisorPorts

/// What a supervisor hands over of a worker besides its life.
@Suite(.timeLimit(.minutes(60))) struct `What a successor knows of a worker` {
    /// Everything that there is of a worker, as it is handed over.
    private func handover(of worker: WorkerID, in world: World) throws -> [UInt8] {
        HandoverWriter.text(of: try #require(world.supervisor.handover(of: worker)))
    }

    @Test func `is when it was in use last and is to fetch, and for whose sake it is where it is`() throws {
        let before = try World()
        let used = before.active("sleeper")
        before.request(.suspended, of: used)
        before.host.run { before.state(of: used) == .suspended }
        let fresh = before.add("sleeper")
        let due = before.host.now + .seconds(100)
        before.supervisor.setFetchDue(due, of: used)
        let origin = GoalOrigin(worker: "other", tie: .requires, goal: .suspended, requester: .dependency)
        before.supervisor.workers[used]?.goalOrigin = origin
        let known = before.supervisor.workers[used]?.lastActive
        #expect(known != nil)

        let after = try World()
        // A successor's clock goes on from its predecessor's.
        after.host.advance(by: before.host.now - .zero)
        for (worker, wasUsed) in [(used, true), (fresh, false)] {
            let record = after.add("sleeper")
            let text = try handover(of: worker, in: before)
            let now = after.host.now.microseconds
            after.supervisor.take(try HandoverReader.value(of: text, latest: now), as: record)
            let worker = after.supervisor.workers[record]
            #expect(worker?.lastActive == (wasUsed ? known : nil))
            #expect(worker?.wasUsed == wasUsed)
            #expect(worker?.goalOrigin == (wasUsed ? origin : nil))
            #expect(worker?.fetchDue == (wasUsed ? due : nil))
        }
    }

    @Test func `has a fetch come when it was due, unless its files want it sooner`() throws {
        let world = try World()
        let worker = world.add("sleeper")
        let fetches = FetchSchedule(world.supervisor, on: world.supervisor.loop)
        var definition = WorkerDefinition()
        definition.background.modes = [.fetch]
        definition.background.fetchInterval = .seconds(1000)
        fetches.set(worker, definition)
        func due() -> Instant? { world.supervisor.fetchPlan(of: worker).due }
        let own = try #require(due())
        // A predecessor had begun to wait long before.
        let inherited = own + TimeSpan.seconds(-900)
        world.supervisor.setFetchDue(inherited, of: worker)
        fetches.resume(worker)
        #expect(due() == inherited)
        // Its files have changed meanwhile: the interval begins anew, and is shorter.
        definition.background.fetchInterval = .seconds(10)
        fetches.set(worker, definition)
        let sooner = try #require(due())
        world.supervisor.setFetchDue(inherited, of: worker)
        fetches.resume(worker)
        #expect(due() == sooner)
    }
}
