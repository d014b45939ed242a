import Launching
import Lifecycle
import Linux
import Supervisor
import SupervisorPorts

/// What every host promises, the real one and the fake one alike.
package enum HostContract {
    /// One promise: its name, and what shows whether it is kept.
    package struct Promise: Sendable {
        /// A sentence.
        package let name: String
        /// Throws when it is not kept.
        package let check: @Sendable (Play) async throws -> Void
    }

    /// A promise that was not kept.
    package struct Broken: Error, CustomStringConvertible {
        /// How.
        package let description: String
    }

    /// All of them.
    package static let promises: [Promise] = ends + sleeps + signals + hooks + memory + others

    // MARK: the end

    static let ends: [Promise] = [
        Promise(name: "a launch yields a pid, and one exit with its status") { play in
            let worker = try await play.launch(.failing)
            try play.expect(worker.pid > 0, "the pid is \(worker.pid)")
            try await play.wait(for: .exited(.exited(3), oomKilled: false), of: worker)
            try await play.settle()
            try play.expect(
                play.facts(worker), [.memory(.released), .exited(.exited(3), oomKilled: false)])
        },
        Promise(name: "what is not there is not launched, and nothing but that is told of it") { play in
            let id = play.nextID()
            play.host.launch(
                id, play.stage.configuration(.missing, name: "missing"), play.anyLaunch, LaunchDetails())
            try await play.wait(for: "the answer") { !play.allFacts(id).isEmpty }
            try await play.settle()
            guard case .launchFailed(let error)? = play.allFacts(id).first, play.allFacts(id).count == 1
            else {
                throw Broken(description: "told \(play.allFacts(id))")
            }
            try play.expect(error.errno == 2, "errno is \(error.errno)")
        },
        Promise(name: "SIGKILL to all ends a worker that ignores SIGTERM") { play in
            let worker = try await play.launchReady(.stubborn)
            play.host.signal(worker.id, .terminate)
            play.host.kill(worker.id)
            try await play.waitForEnd(of: worker, .killed(signal: 9, coreDumped: false))
        },
        Promise(name: "the exit is told when nothing of the worker is left") { play in
            let worker = try await play.launch(.parent)
            try await play.waitForEnd(of: worker, .exited(0))
        },
        Promise(name: "a worker can be launched again when it has ended") { play in
            let first = try await play.launchReady(.sleeper)
            play.host.kill(first.id)
            try await play.waitForEnd(of: first, .killed(signal: 9, coreDumped: false))
            let second = try await play.launchReady(.sleeper, as: first.id)
            try play.expect(second.pid != first.pid, "the pid is the same")
            play.host.kill(second.id)
            try await play.waitForEnd(of: second, .killed(signal: 9, coreDumped: false))
        },
        Promise(name: "what is asked of a worker that has ended is nothing") { play in
            let worker = try await play.launch(.failing)
            try await play.waitForEnd(of: worker, .exited(3))
            let before = play.facts(worker)
            play.host.freeze(worker.id)
            play.host.thaw(worker.id)
            play.host.signal(worker.id, .terminate)
            play.host.kill(worker.id)
            play.host.setMainProcess(worker.id, pid: worker.pid)
            try play.expect(!play.host.isTraced(worker.id), "it is said to be traced")
            try await play.settle()
            try play.expect(play.facts(worker), before)
        },
    ]

    // MARK: sleep

    static let sleeps: [Promise] = [
        Promise(name: "a freeze is answered by frozen, a thaw by thawed, each once, again and again") {
            play in
            let worker = try await play.launchReady(.sleeper)
            for round in 1...3 {
                play.host.freeze(worker.id)
                try await play.wait(for: .frozen, of: worker, times: round)
                play.host.thaw(worker.id)
                try await play.wait(for: .thawed, of: worker, times: round)
            }
            try await play.settle()
            try play.expect(play.sleeps(worker), [.frozen, .thawed, .frozen, .thawed, .frozen, .thawed])
            // How it is watched may be told, too, where it sleeps for long enough.
            let facts = play.facts(worker).filter { if case .watched = $0 { false } else { true } }
            try play.expect(facts.count == 7, "more was told: \(facts)")
            try await play.end(worker)
        },
        Promise(name: "no duplicate of a sleeper's is open when it gets a signal, and when it runs") { play in
            let worker = try await play.launchReady(.stubborn)
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker)
            try await play.wait(for: "its watch") { play.host.watching(worker.id) != nil }
            play.host.signal(worker.id, .terminate)
            try play.expect(play.host.watching(worker.id) == nil, "it gets a signal while it is watched")
            try await play.wait(for: "its watch after the signal") { play.host.watching(worker.id) != nil }
            play.host.thaw(worker.id)
            try play.expect(play.host.watching(worker.id) == nil, "it runs while it is watched")
            try await play.end(worker)
        },
        Promise(name: "SIGKILL ends a frozen worker") { play in
            let worker = try await play.launchReady(.stubborn)
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker)
            play.host.kill(worker.id)
            try await play.waitForEnd(of: worker, .killed(signal: 9, coreDumped: false))
            try play.expect(!play.facts(worker).contains(.thawed), "it was thawed for it")
        },
        Promise(name: "a SIGKILL by another program ends a frozen worker, and does not continue it first") {
            play in
            let worker = try await play.launchReady(.stubborn)
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker)
            play.stage.killFromOutside(worker.id, pid: worker.pid)
            // Whatever is looked at first.
            for _ in 0..<3 { play.host.look(at: worker.id) }
            try await play.waitForEnd(of: worker, .killed(signal: 9, coreDumped: false))
            try play.expect(!play.facts(worker).contains(.continuedOutside), "told \(play.facts(worker))")
        },
        Promise(name: "a stop signal to a frozen worker is taken when it is thawed") { play in
            let worker = try await play.launchReady(.catcher)
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker)
            play.host.signal(worker.id, .terminate)
            try await play.settle()
            try play.expect(!play.hasEnded(worker), "it ended in its sleep")
            play.host.thaw(worker.id)
            try await play.waitForEnd(of: worker, .exited(7))
        },
        Promise(name: "two workers sleep and wake each for itself") { play in
            let one = try await play.launchReady(.sleeper)
            let other = try await play.launchReady(.sleeper)
            play.host.freeze(one.id)
            try await play.wait(for: .frozen, of: one)
            play.host.kill(other.id)
            try await play.waitForEnd(of: other, .killed(signal: 9, coreDumped: false))
            play.host.thaw(one.id)
            try await play.wait(for: .thawed, of: one)
            try play.expect(!play.hasEnded(one), "the other one ended too")
            try await play.end(one)
        },
        Promise(name: "a look at a worker tells nothing twice, whatever is under way") { play in
            let worker = try await play.launchReady(.sleeper)
            func look() { for _ in 0..<3 { play.host.look(at: worker.id) } }
            for round in 1...3 {
                play.host.freeze(worker.id)
                look()
                try await play.wait(for: .frozen, of: worker, times: round)
                look()
                play.host.thaw(worker.id)
                look()
                try await play.wait(for: .thawed, of: worker, times: round)
                look()
            }
            play.stage.stopFromOutside(worker.id, pid: worker.pid)
            try await play.wait(for: .stoppedOutside, of: worker)
            look()
            play.stage.continueFromOutside(worker.id, pid: worker.pid)
            try await play.wait(for: .continuedOutside, of: worker)
            look()
            try await play.settle()
            try play.expect(play.facts(worker).count == 9, "told \(play.facts(worker))")
            try await play.end(worker)
        },
        Promise(name: "a worker that is frozen again while it is thawed sleeps, and wakes when it is thawed")
        {
            play in
            let worker = try await play.launchReady(.catcher)
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker)
            play.host.thaw(worker.id)
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker, times: 2)
            play.host.signal(worker.id, .terminate)
            try await play.settle()
            try play.expect(!play.hasEnded(worker), "it runs, though it was frozen last")
            play.host.thaw(worker.id)
            try await play.waitForEnd(of: worker, .exited(7))
            try play.expect(!play.facts(worker).contains(.continuedOutside), "told \(play.facts(worker))")
        },
    ]

    // MARK: signals and words

    static let signals: [Promise] = [
        Promise(name: "a signal that it does not handle ends it") { play in
            let worker = try await play.launchReady(.sleeper)
            play.host.signal(worker.id, .terminate)
            try await play.waitForEnd(of: worker, .killed(signal: 15, coreDumped: false))
        },
        Promise(name: "a signal that it handles is its own affair") { play in
            let worker = try await play.launchReady(.catcher)
            play.host.signal(worker.id, .terminate)
            try await play.waitForEnd(of: worker, .exited(7))
        },
        Promise(name: "a stop and a continue by another program are reported, each once") { play in
            let worker = try await play.launchReady(.sleeper)
            play.stage.stopFromOutside(worker.id, pid: worker.pid)
            try await play.wait(for: .stoppedOutside, of: worker)
            play.stage.continueFromOutside(worker.id, pid: worker.pid)
            try await play.wait(for: .continuedOutside, of: worker)
            try await play.settle()
            let told = play.facts(worker).filter { $0 == .stoppedOutside || $0 == .continuedOutside }
            try play.expect(told, [.stoppedOutside, .continuedOutside])
            try await play.end(worker)
        },
        Promise(name: "a thaw continues what another program has stopped") { play in
            let worker = try await play.launchReady(.catcher)
            play.stage.stopFromOutside(worker.id, pid: worker.pid)
            try await play.wait(for: .stoppedOutside, of: worker)
            play.host.signal(worker.id, .terminate)
            play.host.thaw(worker.id)
            // Whether its end overtakes the answer is the kernel's affair.
            try await play.waitForEnd(of: worker, .exited(7))
        },
    ]

    // MARK: the clock

    static let others: [Promise] = [
        Promise(name: "an alarm goes off once, and not before its moment") { play in
            let moment = play.host.now + .milliseconds(20)
            play.host.setAlarm(moment)
            try await play.wait(for: "the alarm") { !play.alarms.isEmpty }
            try play.expect(play.alarms.allSatisfy { $0 >= moment }, "it went off early")
            try await play.settle()
            try play.expect(play.alarms.count == 1, "it went off \(play.alarms.count) times")
        },
        Promise(name: "an alarm in the past goes off, but not while it is being set") { play in
            play.host.setAlarm(play.host.now)
            try play.expect(play.alarms.isEmpty, "it went off at once")
            try await play.wait(for: "the alarm") { !play.alarms.isEmpty }
        },
        Promise(name: "a new alarm takes the old one's place, and none takes it away") { play in
            play.host.setAlarm(play.host.now + .milliseconds(1))
            play.host.setAlarm(nil)
            play.host.setAlarm(play.host.now + .seconds(3600))
            let moment = play.host.now + .milliseconds(20)
            play.host.setAlarm(moment)
            try await play.wait(for: "the alarm") { !play.alarms.isEmpty }
            try play.expect(play.alarms.count == 1 && play.alarms[0] >= moment, "the old one went off")
            play.host.setAlarm(play.host.now + .milliseconds(1))
            play.host.setAlarm(nil)
            try await play.settle()
            try play.expect(play.alarms.count == 1, "one that was taken away went off")
        },
        Promise(name: "an alarm can be set by the one that goes off") { play in
            play.whenAlarmed = { [weak play] in
                guard let play else { return }
                if play.alarms.count < 3 { play.host.setAlarm(play.host.now + .milliseconds(1)) }
            }
            play.host.setAlarm(play.host.now + .milliseconds(1))
            try await play.wait(for: "three alarms") { play.alarms.count == 3 }
        },
    ]
}
