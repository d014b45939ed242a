import HostContract
import Launching
import Lifecycle
import Linux
import TestSupport
import Testing
import Varlink
import WorkerFile

@testable import Supervisor
@testable import SupervisorPorts

/// Workers that depend on each other, from the outside: in which order they are launched, woken, put to sleep and ended.
@Suite(.timeLimit(.minutes(60))) struct `Workers that depend on each other` {
    private final class Stack {
        let world: World
        private(set) var ids: [String: WorkerID] = [:]
        /// What changed, in order: `db active`.
        private(set) var story: [String] = []

        init(
            _ workers: [(name: String, Dependencies)], ready: [String: TimeSpan] = [:],
            ends: [String: Lifecycle.ExitStatus] = [:], policy: [String: Policy] = [:],
            _ manners: FakeManners = .prompt,
            seed: UInt64 = 1
        ) throws {
            world = try World(manners, seed: seed)
            for (name, dependencies) in workers {
                var actions: [(after: TimeSpan, action: FakeProgram.ScenarioAction)] = []
                if let span = ready[name] { actions.append((span, .says(.ready))) }
                if let status = ends[name] { actions.append((.seconds(1), .ends(status))) }
                world.host.programs[ByteString(name)] = FakeProgram(
                    actions, on: [.terminate: .handles(.ends(.exited(0)), after: .milliseconds(5))])
                let policy = policy[name] ?? Policy(readiness: ready[name] == nil ? .exec : .notify)
                let configuration = WorkerConfiguration(name: name, policy: policy) { _ in
                    LaunchRequest(ByteString(name), environment: Environment())
                }
                configuration.dependencies = dependencies
                ids[name] = world.supervisor.add(configuration)
            }
            let names = Dictionary(ids.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            world.reaction = { [unowned self] worker, notice in
                guard case .changed(let transition) = notice, let name = names[worker] else { return }
                story.append("\(name) \(transition.to)")
            }
        }

        func want(_ goal: Goal, _ name: String) -> Answer {
            guard let id = ids[name] else { return Answer() }
            let answer = world.request(goal, of: id)
            return answer
        }

        @discardableResult
        func done(_ goal: Goal, _ name: String) -> [String] {
            let before = story.count
            _ = want(goal, name)
            world.host.run()
            return Array(story[before...])
        }

        func state(_ name: String) -> State? { ids[name].flatMap { world.state(of: $0) } }

        func submit(_ event: Event, to name: String) { if let id = ids[name] { world.submit(event, to: id) } }

        /// The order in which these came into a state.
        func order(_ state: State, in story: [String]? = nil) -> [String] {
            (story ?? self.story).filter { $0.hasSuffix(" \(state)") }.map {
                String($0.prefix { $0 != " " })
            }
        }
    }

    private static let web: [(name: String, Dependencies)] = [
        ("cache", Dependencies(after: ["db"])), ("db", Dependencies()),
        ("web", Dependencies(after: ["db", "cache"], requires: ["db"], wants: ["cache"])),
    ]

    private func web(_ manners: FakeManners = .prompt, seed: UInt64 = 1) throws -> Stack {
        try Stack(
            Self.web, ready: ["db": .seconds(2), "cache": .seconds(1), "web": .seconds(1)], manners,
            seed: seed)
    }

    @Test func `end when all are to end, whatever is asked of them and refused meanwhile`() throws {
        let stack = try web()
        stack.done(.active, "web")
        stack.world.supervisor.close()
        let answers = ["web", "db", "cache"].map { stack.want(.notRunning, $0) }
        // Its end waits for the others.
        #expect(stack.want(.suspended, "db").outcomes == [.refused(.shuttingDown)])
        stack.world.host.run()
        #expect(answers.allSatisfy { $0.outcomes == [.reached] })
        #expect(["web", "db", "cache"].allSatisfy { stack.state($0) == .notRunning })
    }

    @Test
    func
        `end when all are to end, also one whose restart waits for another that requires it, or is asked for meanwhile`()
        throws
    {
        let stack = try web()
        stack.done(.active, "web")
        let id = try #require(stack.ids["db"])
        let person = Requester.operator(uid: 0, pid: 7)
        let (waiting, late) = (Answer(), Answer())
        stack.world.supervisor.restart(id, by: person) { waiting.outcomes.append($0) }
        stack.world.supervisor.close()
        let answers = ["web", "db", "cache"].map { stack.want(.notRunning, $0) }
        stack.world.supervisor.restart(id, by: person) { late.outcomes.append($0) }
        #expect(late.outcomes == [.refused(.shuttingDown)])
        stack.world.host.run()
        #expect(waiting.outcomes.count == 1)
        #expect(answers.allSatisfy { $0.outcomes == [.reached] })
        #expect(["web", "db", "cache"].allSatisfy { stack.state($0) == .notRunning })
        #expect(stack.world.supervisor.reopen())
    }

    @Test func `one that fails while its end waits comes back no more, nor does what it requires`() throws {
        let stack = try Stack(
            [
                ("back", Dependencies()), ("front", Dependencies(after: ["middle"], requires: ["middle"])),
                ("middle", Dependencies(after: ["back"], requires: ["back"])),
            ], ends: ["back": .exited(0)],
            policy: ["middle": Policy(restart: RestartPolicy(condition: .always))])
        stack.done(.active, "front")
        #expect(stack.state("back") == .notRunning && stack.state("middle") != .notRunning)
        stack.world.supervisor.close()
        let answers = ["front", "middle", "back"].map { stack.want(.notRunning, $0) }
        stack.world.host.end(try #require(stack.ids["middle"]), .exited(1))
        stack.world.host.run()
        #expect(answers.allSatisfy { $0.outcomes == [.reached] })
        for name in ["back", "front", "middle"] {
            let launches = stack.world.host.calls.count {
                if case .launch(stack.ids[name], _) = $0 { true } else { false }
            }
            #expect(launches == 1 && stack.state(name) == .notRunning, "\(name)")
        }
    }

    @Test func `are launched one after the other, each when the one before it is ready`() throws {
        let stack = try web()
        let answer = stack.want(.active, "web")
        #expect(stack.state("db") == .inactive && stack.state("cache") == .notRunning)
        stack.world.host.run()
        #expect(stack.order(.active) == ["db", "cache", "web"] && answer.outcomes == [.reached])
        #expect(stack.world.host.abuses.isEmpty)
    }

    @Test(arguments: UInt64(0)..<20) func `keep their order whatever the manners of the machine`(
        _ seed: UInt64
    ) throws {
        let stack = try web(.late, seed: seed)
        for _ in 0..<3 {
            stack.done(.active, "web")
            let names = ["db", "cache", "web"]
            #expect(names.allSatisfy { stack.state($0) == .active })
            let asleep = stack.done(.suspended, "web")
            #expect(stack.order(.suspended, in: asleep) == ["web", "cache", "db"])
            let awake = stack.done(.active, "web")
            #expect(stack.order(.active, in: awake) == names)
            let ended = stack.done(.notRunning, "db")
            // A worker that does not require it goes on.
            #expect(stack.order(.notRunning, in: ended) == ["web", "db"])
            #expect(stack.state("cache") == .active)
            stack.done(.notRunning, "cache")
        }
        #expect(stack.world.host.abuses.isEmpty)
    }

    @Test func `do not come when one that they require fails, and say which`() throws {
        let stack = try Stack(
            Self.web, ready: ["cache": .seconds(1), "web": .seconds(1)], ends: ["db": .exited(1)],
            policy: ["db": Policy(readiness: .notify)])
        let answer = stack.want(.active, "web")
        stack.world.host.run()
        #expect(stack.state("web") == .notRunning)
        let reasons = stack.world.notices.compactMap { notice -> String? in
            guard case .launchFailed(let error) = notice.notice else { return nil }
            return error.description
        }
        #expect(
            reasons == [
                "db, which it requires, has not been launched: it ended: failed, status 1, ran 1s, asleep 0"
            ])
        guard case .ended(let record)? = answer.outcomes.first else {
            Issue.record("\(answer.outcomes)")
            return
        }
        #expect(record.cause == .launchFailed)
    }

    @Test func `come without one that they only want`() throws {
        let stack = try Stack([
            ("web", Dependencies(after: ["job"], wants: ["job"])), ("job", Dependencies()),
        ])
        stack.world.host.programs["job"] = nil
        stack.done(.active, "web")
        #expect(stack.state("web") == .active && stack.state("job") == .notRunning)
    }

    @Test func `do not come without one that they require and that is not defined`() throws {
        let stack = try Stack([("web", Dependencies(requires: ["nothing"]))])
        stack.done(.active, "web")
        #expect(stack.state("web") == .notRunning)
    }

    @Test
    func `are not waited for where one that they require is not to be had, however often they are tried`()
        throws
    {
        let always = RestartPolicy(condition: .always, delay: .seconds(1), limitInterval: .zero)
        let stack = try Stack(
            [("db", Dependencies()), ("web", Dependencies(after: ["db"], requires: ["db"]))],
            policy: ["web": Policy(readiness: .exec, restart: always)])
        stack.world.host.programs["db"] = nil
        let answer = stack.want(.active, "web")
        stack.world.host.advance(by: .seconds(5))
        guard case .ended? = answer.outcomes.first else {
            Issue.record("\(answer.outcomes)")
            return
        }
    }

    @Test func `wait for a oneshot worker to have ended`() throws {
        let stack = try Stack(
            [
                ("setup", Dependencies(isOneshot: true)),
                ("web", Dependencies(after: ["setup"], requires: ["setup"])),
            ], ends: ["setup": .exited(0)], policy: ["setup": Policy(readiness: .exit)])
        stack.done(.active, "web")
        #expect(stack.story == ["setup inactive", "setup notRunning", "web inactive", "web active"])
        // Waking is no launch.
        stack.done(.suspended, "web")
        #expect(stack.done(.active, "web").filter { $0.hasPrefix("setup") } == [])
    }

    @Test func `are launched though one that they require has ended before another was ready`() throws {
        let stack = try Stack(
            [
                ("db", Dependencies()), ("job", Dependencies()),
                ("web", Dependencies(after: ["db", "job"], requires: ["db", "job"])),
            ], ready: ["db": .seconds(3)], ends: ["job": .exited(0)])
        stack.done(.active, "web")
        #expect(stack.state("web") == .active && stack.state("job") == .notRunning)
        #expect(stack.story.last == "web active", "\(stack.story)")
        // One that has failed meanwhile is not to be had.
        let other = try Stack(
            [
                ("db", Dependencies()), ("job", Dependencies()),
                ("web", Dependencies(after: ["db", "job"], requires: ["db", "job"])),
            ], ready: ["db": .seconds(3)], ends: ["job": .exited(1)])
        other.done(.active, "web")
        #expect(other.state("web") == .notRunning)
    }

    @Test func `stay awake while one that requires them is, however long they are idle`() throws {
        let idle = Policy(idle: IdlePolicy(delay: .seconds(5)))
        let stack = try Stack(
            [("db", Dependencies()), ("web", Dependencies(after: ["db"], requires: ["db"]))],
            policy: ["db": idle])
        stack.done(.active, "web")
        stack.world.host.advance(by: .seconds(60))
        #expect(stack.state("db") == .active)
        stack.done(.suspended, "web")
        #expect(stack.state("db") == .suspended)
    }

    @Test func `are put to sleep with what they require, the last of the stack first`() throws {
        let stack = try web()
        stack.done(.active, "web")
        let answer = stack.want(.suspended, "db")
        stack.world.host.run()
        #expect(answer.outcomes == [.reached])
        #expect(Array(stack.order(.suspended).prefix(1)) == ["web"] && stack.state("db") == .suspended)
    }

    @Test func `none waits for the sleep of another that a third one keeps awake`() throws {
        let stack = try Stack([
            ("back", Dependencies()), ("middle", Dependencies(after: ["back"], requires: ["back"])),
            ("front", Dependencies(after: ["middle"], requires: ["middle"])),
        ])
        stack.done(.background, "front")
        for name in ["back", "middle"] {
            stack.submit(.requested(Request(.suspended, by: .memoryPressure)), to: name)
        }
        stack.world.host.run()
        for name in ["back", "middle", "front"] {
            let life = try #require(stack.ids[name].flatMap { stack.world.supervisor.life(of: $0) })
            #expect(life.state == .background && life.isSettled, "\(name)")
        }
        stack.done(.suspended, "front")
        #expect(stack.order(.suspended) == ["front", "middle", "back"])
    }

    @Test func `an operator who wants one awake keeps it so`() throws {
        let stack = try web()
        stack.done(.active, "db")
        stack.done(.active, "web")
        stack.done(.suspended, "web")
        #expect(stack.state("db") == .active && stack.state("cache") == .suspended)
    }

    @Test func `wait for each other when all are asked to end at once`() throws {
        let stack = try web()
        stack.done(.active, "web")
        let ids = Array(stack.ids.values).sorted()
        let order = stack.world.supervisor.launchOrder(ids)
        let answers = order.reversed().map { stack.world.request(.notRunning, of: $0) }
        #expect(
            stack.world.host.calls.count { if case .signal(_, .terminate) = $0 { true } else { false } } == 1)
        stack.world.host.run()
        #expect(stack.order(.notRunning) == ["web", "cache", "db"])
        #expect(answers.allSatisfy { $0.outcomes == [.reached] })
    }

    @Test func `an end that waits is called off by a newer wish`() throws {
        let stack = try web()
        stack.done(.active, "web")
        let end = stack.want(.notRunning, "db")
        let again = stack.want(.active, "db")
        stack.world.host.run()
        #expect(end.outcomes == [.replaced(by: .active)] && again.outcomes == [.reached])
        #expect(stack.state("db") == .active && stack.state("web") == .notRunning)
    }

    @Test func `a launch that waits is called off`() throws {
        let stack = try Stack(
            Self.web, ready: ["cache": .seconds(1), "web": .seconds(1)],
            policy: ["db": Policy(readiness: .notify)])
        let answer = stack.want(.active, "web")
        #expect(stack.state("db") == .inactive && answer.outcomes.isEmpty)
        _ = stack.want(.notRunning, "web")
        #expect(answer.outcomes == [.replaced(by: .notRunning)] && stack.state("web") == .notRunning)
        #expect(stack.world.life(of: stack.ids["web"] ?? WorkerID(99))?.restReason != nil)
        let launched = stack.world.host.calls.compactMap { call -> WorkerID? in
            guard case .launch(let id, _) = call else { return nil }
            return id
        }
        #expect(launched.map { id in stack.ids.first { $0.value == id }?.key } == ["db"])
    }

    @Test func `are launched when another has failed for good`() throws {
        let stack = try Stack(
            [("web", Dependencies(onFailure: ["mail"])), ("mail", Dependencies())], ends: ["web": .exited(1)],
            policy: ["web": Policy(restart: RestartPolicy(condition: .onFailure, limitBurst: 2))])
        stack.done(.active, "web")
        #expect(stack.state("web") == .notRunning && stack.state("mail") == .active)
        #expect(stack.order(.active) == ["web", "web", "mail"])
        let mail = try #require(stack.ids["mail"])
        let options = stack.world.supervisor.view(of: mail)?.launchOptions
        #expect(options?["failedWorker"]?.string == "web" && options?["cause"]?.string == "failed")
        #expect(stack.world.life(of: mail)?.currentLaunch?.reason == .failure)
        let origins = stack.world.notices.compactMap { notice -> WakeOrigin? in
            guard notice.worker == mail, case .woken(let origin) = notice.notice else { return nil }
            return origin
        }
        #expect(origins == [WakeOrigin(.failure, "web")])
    }

    @Test func `in a circle do without an order`() throws {
        let stack = try Stack([
            ("a", Dependencies(after: ["b"], requires: ["b"])),
            ("b", Dependencies(after: ["a"], requires: ["a"])),
        ])
        stack.done(.active, "a")
        #expect(stack.state("a") == .active && stack.state("b") == .active)
        stack.done(.suspended, "a")
        #expect(stack.state("a") == .suspended && stack.state("b") == .suspended)
    }
}
