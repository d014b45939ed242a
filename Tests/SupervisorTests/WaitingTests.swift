import HostContract
import Lifecycle
import Linux
import Supervisor
import SupervisorPorts
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Who waits for a goal` {
    @Test(arguments: [Goal.active, .background, .suspended, .notRunning])
    func `hears when it is reached`(_ goal: Goal) throws {
        let world = try World(.late)
        let worker = world.active("notifier")
        let answer = world.request(goal, of: worker)
        world.host.run()
        #expect(answer.outcomes == [.reached])
        #expect(world.state(of: worker) == goal.state)
    }

    @Test func `hears when it ended on the way`() throws {
        let world = try World()
        let worker = world.add("failing", Policy(readiness: .notify))
        let answer = world.request(.active, of: worker)
        world.host.run()
        #expect(answer.outcomes == [.ended(try #require(world.records(of: worker).last))])
    }

    @Test func `hears when there is nothing to launch`() throws {
        let world = try World()
        let worker = world.add("nothing of the kind")
        let answer = world.request(.active, of: worker)
        let record = try #require(world.records(of: worker).last)
        #expect(answer.outcomes == [.ended(record)])
        #expect(record.launchErrno == 2)
    }

    @Test func `hears when somebody wants it elsewhere`() throws {
        let world = try World(.late)
        let worker = world.add("notifier", Policy(readiness: .notify))
        let first = world.request(.active, of: worker)
        let second = world.request(.background, of: worker)
        #expect(first.outcomes == [.replaced(by: .background)])
        world.host.run()
        #expect(second.outcomes == [.reached])
    }

    @Test func `hears when somebody else holds it`() throws {
        let world = try World(.late)
        let worker = world.active("sleeper")
        world.host.stopFromOutside(worker)
        world.host.run()
        #expect(world.life(of: worker)?.isHeld == true)
        #expect(world.request(.active, of: worker).outcomes == [.refused(.heldOutside)])
    }

    @Test func `hears when it cannot be put to sleep`() throws {
        let world = try World(FakeManners(longestDelay: .milliseconds(5), failingFreezes: 100))
        let worker = world.active("sleeper")
        let answer = world.request(.suspended, of: worker)
        world.host.advance(by: .seconds(5))
        #expect(answer.outcomes == [.stuck])
    }

    @Test(arguments: [Goal.suspended, .background])
    func `hears that it is reached where the worker ends instead`(_ goal: Goal) throws {
        let world = try World(.late)
        let worker = world.active("sleeper", Policy(exitsOnSuspend: true))
        let answer = world.request(goal, of: worker)
        world.host.run()
        #expect(answer.outcomes == [.reached])
        #expect(world.records(of: worker).map(\.cause) == [.stopped])
    }

    @Test func `hears that sleep is reached of a worker that has ended instead before`() throws {
        let world = try World()
        let worker = world.active("sleeper", Policy(exitsOnSuspend: true))
        for _ in 0..<2 {
            let answer = world.request(.suspended, of: worker)
            world.host.run()
            #expect(answer.outcomes == [.reached])
        }
        #expect(world.records(of: worker).count == 1)
    }

    @Test func `waits for the end of a reload`() throws {
        let world = try World()
        let worker = world.active("notifier", Policy(readiness: .notify))
        world.host.say(worker, .phase(.reloading))
        #expect(world.state(of: worker) == .inactive)
        let answer = world.request(.active, of: worker)
        #expect(answer.outcomes == [])
        let resumed = Answer()
        _ = world.supervisor.resume(worker, by: World.person) { resumed.outcomes.append($0) }
        #expect(resumed.outcomes == [])
        world.host.say(worker, .ready)
        world.host.run()
        #expect(answer.outcomes == [.reached])
        #expect(resumed.outcomes == [.reached])
    }

    @Test func `hears that one that is awake needs no resume`() throws {
        let world = try World()
        let worker = world.active("sleeper")
        let answer = Answer()
        _ = world.supervisor.resume(worker, by: World.person) { answer.outcomes.append($0) }
        #expect(answer.outcomes == [.reached])
    }

    @Test func `hears that an interruption lasts`() throws {
        let world = try World()
        let worker = world.active("sleeper")
        world.supervisor.submit(.interrupted, to: worker)
        #expect(world.request(.active, of: worker).outcomes == [.interrupted])
        #expect(world.state(of: worker) == .inactive)
    }

    @Test func `hears that a worker sleeps that another program has stopped`() throws {
        let world = try World()
        let worker = world.active("sleeper")
        world.host.stopFromOutside(worker)
        world.host.run()
        #expect(world.request(.suspended, of: worker).outcomes == [.reached])
    }

    @Test func `hears at once what is refused`() throws {
        let world = try World()
        let worker = world.add("sleeper")
        #expect(world.request(.inactive, of: worker).outcomes == [.refused(.onlyFromActive)])
        #expect(world.request(.suspended, of: worker).outcomes == [.refused(.notRunning)])
        #expect(world.request(.active, of: WorkerID(99)).outcomes == [.refused(.notRunning)])
    }

    @Test func `hears what came of it even when it asked in the middle of something`() throws {
        let world = try World(.late)
        let worker = world.add("sleeper")
        var answers: [Answer] = []
        world.reaction = { worker, notice in
            guard case .changed(let transition) = notice, transition.to == .active else { return }
            world.reaction = { _, _ in }
            answers.append(world.request(.inactive, of: worker))
            answers.append(world.request(.suspended, of: worker))
        }
        world.request(.active, of: worker)
        world.host.run()
        #expect(answers.map(\.outcomes) == [[.reached], [.reached]])
    }

    @Test func `is refused even when it asked in the middle of something`() throws {
        let world = try World()
        let worker = world.add("sleeper")
        var answer: Answer?
        world.reaction = { worker, notice in
            guard case .changed(let transition) = notice, transition.to == .inactive else { return }
            world.reaction = { _, _ in }
            answer = world.request(.background, of: worker)
            answer = world.request(.inactive, of: worker)
        }
        world.request(.active, of: worker)
        #expect(answer?.outcomes == [.refused(.onlyFromActive)])
    }

    @Test func `hears nothing more when it has given up`() throws {
        let world = try World(.late)
        let worker = world.active("sleeper")
        let answer = world.request(.suspended, of: worker)
        world.cancel(answer)
        world.host.run()
        #expect(answer.outcomes == [])
    }

    @Test func `can give up another's wait in its answer`() throws {
        let world = try World(.late)
        let worker = world.active("sleeper")
        let other = Answer()
        let first = Answer()
        _ = world.supervisor.request(Request(.suspended, by: World.person), of: worker) {
            first.outcomes.append($0)
            world.cancel(other)
        }
        other.token = world.supervisor.request(Request(.suspended, by: World.person), of: worker) {
            other.outcomes.append($0)
        }
        world.host.run()
        #expect(first.outcomes == [.reached])
        #expect(other.outcomes == [])
    }

    @Test func `ends when the worker is forgotten while it waits for its restart`() throws {
        let world = try World()
        let restart = RestartPolicy(condition: .onFailure, delay: .seconds(10))
        let worker = world.add("failing", Policy(readiness: .notify, restart: restart))
        let answer = world.request(.active, of: worker)
        world.host.advance(by: .seconds(1))
        #expect(world.life(of: worker)?.restReason == .backingOff && answer.outcomes.isEmpty)
        #expect(world.supervisor.remove(worker))
        #expect(answer.outcomes == [.refused(.notRunning)])
        world.host.run()
        #expect(answer.outcomes.count == 1 && world.host.abuses.isEmpty)
    }
}
