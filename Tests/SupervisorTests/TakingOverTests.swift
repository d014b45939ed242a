import HostContract
import Launching
import Lifecycle
import Linux
import SnapshotCoding
import Testing
import WorkerFile

@testable import Supervisor
@testable import SupervisorPorts

/// Several workers that a supervisor takes over together.
///
/// Each of these was found by a walk (Tests/ShellWalk).
@Suite(.timeLimit(.minutes(60))) struct `Workers that are taken over together` {
    private func add(_ name: String, _ dependencies: Dependencies, to world: World) -> WorkerID {
        let configuration = WorkerConfiguration(
            name: name,
            policy: Policy(
                readiness: name == "db" ? .notify : .exec, restart: RestartPolicy(condition: .no))
        ) { _ in
            LaunchRequest(ByteString(name == "db" ? "notifier" : "sleeper"), environment: Environment())
        }
        configuration.dependencies = dependencies
        return world.supervisor.add(configuration)
    }

    private func record(of id: WorkerID, in world: World) throws -> LiveRecord {
        let worker = try #require(world.supervisor.workers[id])
        let now = world.host.now
        return LiveRecord(of: worker, at: now, startTime: nil)
    }

    @Test func `are launched once, though one of them needs the other before that is taken over`() throws {
        let dependencies = Dependencies(after: ["db"], requires: ["db"])
        let before = try World()
        let (web, db) = (add("web", dependencies, to: before), add("db", Dependencies(), to: before))
        before.request(.active, of: web)
        before.host.run { before.state(of: web) == .active }
        before.request(.notRunning, of: db)
        before.host.run { before.state(of: db) == .notRunning }
        let rested = try record(of: db, in: before)
        before.request(.active, of: web)
        let launching = try record(of: web, in: before)
        #expect(launching.life.isLaunching && rested.life.state == .notRunning)

        let after = try World()
        after.host.advance(by: .seconds(10))
        let (newWeb, newDb) = (add("web", dependencies, to: after), add("db", Dependencies(), to: after))
        after.supervisor.beginInheritance()
        #expect(after.supervisor.restore(launching, as: newWeb) == .missing)
        _ = after.supervisor.restore(rested, as: newDb)
        after.supervisor.settleInheritance(lastRan: nil)
        after.host.run { after.state(of: newWeb) == .active }
        #expect(after.state(of: newDb) == .active && after.state(of: newWeb) == .active)
        let launches = after.host.calls.filter { if case .launch(newDb, _) = $0 { true } else { false } }
        #expect(launches.count == 1 && after.host.abuses.isEmpty)
    }

    @Test func `and of which one waits for the other are launched by the program that follows`() throws {
        let dependencies = Dependencies(after: ["db"], requires: ["db"])
        let before = try World()
        let (web, db) = (add("web", dependencies, to: before), add("db", Dependencies(), to: before))
        before.request(.active, of: web)
        #expect(before.life(of: web)?.isLaunching == true && before.supervisor.isAtRest)
        let texts = try [web, db].map {
            HandoverWriter.text(of: try #require(before.supervisor.handover(of: $0)))
        }

        let after = try World()
        after.host.advance(by: .seconds(10))
        let ids = [add("web", dependencies, to: after), add("db", Dependencies(), to: after)]
        after.supervisor.beginInheritance()
        for (id, text) in zip(ids, texts) {
            after.supervisor.take(try HandoverReader.value(LifeHandover.self, of: text), as: id)
        }
        for id in ids { after.supervisor.resumeLife(of: id) }
        after.supervisor.settleInheritance(lastRan: nil)
        // Its process is none of this machine, which tells of it all the same.
        after.supervisor.receive(.said(.ready), of: ids[1])
        after.host.run { after.state(of: ids[0]) == .active }
        #expect(after.state(of: ids[0]) == .active)
    }

    @Test func `and were active in what is one foreground group now have one that stays`() throws {
        let before = try World()
        let active = [before.active("sleeper"), before.active("sleeper")]
        let texts = try active.map {
            HandoverWriter.text(of: try #require(before.supervisor.handover(of: $0)))
        }

        let after = try World()
        after.host.advance(by: .seconds(10))
        let ids = ["first", "second", "third"].map { name in
            let configuration = WorkerConfiguration(name: name, policy: Policy()) { _ in
                LaunchRequest("sleeper", environment: Environment())
            }
            configuration.foregroundGroup = "screen"
            return after.supervisor.add(configuration)
        }
        func inForeground() -> [WorkerID] { ids.filter { after.state(of: $0)?.isForeground ?? false } }
        after.supervisor.beginInheritance()
        for (id, text) in zip(ids, texts) {
            after.supervisor.take(try HandoverReader.value(LifeHandover.self, of: text), as: id)
        }
        for id in ids { after.supervisor.resumeLife(of: id) }
        after.supervisor.settleInheritance(lastRan: nil)
        let holder = try #require(inForeground().first)
        #expect(inForeground() == [holder])

        // It ends by itself, and is there until it has ended: the other one, which made room for it, does not come beside it.
        after.supervisor.receive(.said(.phase(.stopping)), of: holder)
        let other = try #require(ids.first { $0 != holder })
        after.submit(.woken(Wake(.url, intoForeground: true)), to: other)
        after.supervisor.receive(.thawed, of: other)
        #expect(inForeground() == [holder] && after.life(of: other)?.awaitsForeground == true)
    }

    @Test func `are read though the machine has slept longer than it has been up`() throws {
        let world = try World()
        let id = world.active("sleeper")
        world.request(.suspended, of: id)
        world.host.run { world.state(of: id) == .suspended }
        world.host.machineSlept = world.host.machineSlept + .seconds(3600)
        world.submit(.used(false), to: id)
        var writer = RecordWriter()
        try record(of: id, in: world).write(to: &writer)
        let now = world.host.now
        let read = try LiveRecord(reading: writer.bytes, now: now)
        #expect(read.since == .zero && read.life.state == .suspended)
        let text = HandoverWriter.text(of: try #require(world.supervisor.handover(of: id)))
        let handed = try HandoverReader.value(LifeHandover.self, of: text, latest: now.microseconds)
        #expect(handed.record.life.state == .suspended)
    }
}
