import ConfigurationSyntax
import Lifecycle
import Linux
import Supervisor
import SupervisorPorts
import WorkerFile

/// Hooks, as the programs of the contract have them: done for didEnterBackground, refused for willFinishLaunching, failed for
/// openURL, and endless for willTerminate.
extension HostContract {
    static let hooks: [Promise] = [
        Promise(name: "a command is answered once, by what came of it") { play in
            let worker = try await play.launchReady(.sleeper)
            let rows: [(Callback, Completion)] = [
                (.didEnterBackground, .done), (.willFinishLaunching, .refused), (.openURL, .failed),
            ]
            for (number, row) in rows.enumerated() {
                play.run(row.0, id: UInt32(number + 1), of: worker)
                try await play.waitForHook(UInt32(number + 1), row.1, of: worker)
            }
            try await play.settle()
            try play.expect(play.hookEnds(worker).count == 3, "answered \(play.hookEnds(worker))")
            try await play.end(worker)
        },
        Promise(name: "a command that is given up is not answered, and the next one is") { play in
            let worker = try await play.launchReady(.sleeper)
            play.run(.willTerminate, id: 1, of: worker)
            play.host.cancelHook(1, of: worker.id)
            play.host.cancelHook(1, of: worker.id)
            play.run(.didEnterBackground, id: 2, of: worker)
            try await play.waitForHook(2, .done, of: worker)
            try await play.settle()
            try play.expect(play.hookEnds(worker) == [2], "answered \(play.hookEnds(worker))")
            try await play.end(worker)
        },
        Promise(name: "a command ends with its worker, and nothing is told of it after") { play in
            let worker = try await play.launchReady(.sleeper)
            play.run(.willTerminate, id: 1, of: worker)
            play.host.signal(worker.id, .terminate)
            // The signal may have ended the command first; after the exit nothing is told.
            try await play.waitForEnd(of: worker, .killed(signal: 15, coreDumped: false))
        },
        Promise(name: "hooks of two workers do not wait for each other") { play in
            let one = try await play.launchReady(.sleeper)
            let other = try await play.launchReady(.sleeper)
            play.run(.willTerminate, id: 1, of: one)
            play.run(.didEnterBackground, id: 1, of: other)
            try await play.waitForHook(1, .done, of: other)
            try play.expect(play.hookEnds(one) == [], "the endless one is answered")
            try await play.end(one)
            try await play.end(other)
        },
        Promise(name: "a signal is done when it is sent") { play in
            let worker = try await play.launchReady(.stubborn)
            let hook = Hook(.signal(.terminate), completes: .immediately)
            play.host.run(HookCall(id: 7, .didBecomeActive, hook), of: worker.id)
            try await play.waitForHook(7, .done, of: worker)
            try await play.end(worker)
        },
        Promise(name: "a command does not hinder a worker that another program has stopped") { play in
            let worker = try await play.launchReady(.sleeper)
            play.stage.stopFromOutside(worker.id, pid: worker.pid)
            try await play.wait(for: .stoppedOutside, of: worker)
            play.run(.willTerminate, id: 1, of: worker)
            play.stage.continueFromOutside(worker.id, pid: worker.pid)
            try await play.wait(for: .continuedOutside, of: worker)
            try await play.end(worker)
        },
        Promise(name: "a worker sleeps and wakes while a command of it runs") { play in
            let worker = try await play.launchReady(.sleeper)
            play.run(.willTerminate, id: 1, of: worker)
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker)
            play.host.thaw(worker.id)
            try await play.wait(for: .thawed, of: worker)
            try await play.end(worker)
        },
        Promise(name: "a look at what a worker holds is answered, and its CPU use can be held down") { play in
            let worker = try await play.launchReady(.sleeper)
            play.host.inspect(worker.id)
            try await play.wait(for: .inspected(nil, detail: nil), of: worker)
            play.host.throttle(worker.id, true)
            play.host.throttle(worker.id, false)
            try await play.end(worker)
        },
        Promise(name: "a look at the processor time of a worker is answered, and never less than before") {
            play in
            let worker = try await play.launchReady(.sleeper)
            var readings: [CPUReading] {
                play.facts(worker).compactMap { if case .cpuRead(let reading) = $0 { reading } else { nil } }
            }
            for count in 1...3 {
                play.host.readCPU(worker.id)
                try await play.wait(for: "an answer") { readings.count >= count }
            }
            let used = readings.map(\.used)
            try play.expect(used == used.sorted(), "it went back: \(used)")
            try await play.end(worker)
            play.host.readCPU(worker.id)
        },
        Promise(name: "hooks of a worker that has ended are nothing") { play in
            let worker = try await play.launch(.failing)
            try await play.waitForEnd(of: worker, .exited(3))
            play.run(.didEnterBackground, id: 1, of: worker)
            play.host.cancelHook(1, of: worker.id)
            play.host.inspect(worker.id)
            play.host.throttle(worker.id, true)
            try play.expect(play.host.lastOutput(of: worker.id) == [], "it still has output")
            try await play.settle()
            try play.expect(play.facts(worker), [.memory(.released), .exited(.exited(3), oomKilled: false)])
        },
    ]
}

extension Play {
    func run(_ callback: Callback, id: UInt32, of worker: Worker) {
        host.run(HookCall(id: id, callback, Hook(.command, completes: .exit)), of: worker.id)
    }

    /// The hooks that were answered, in order.
    func hookEnds(_ worker: Worker) -> [UInt32] {
        facts(worker).compactMap { if case .hookEnded(let id, _, _) = $0 { id } else { nil } }
    }

    func waitForHook(_ id: UInt32, _ completion: Completion, of worker: Worker) async throws {
        try await wait(for: "the hook \(id) of \(worker.pid)") { hookEnds(worker).contains(id) }
        let isSo = facts(worker).contains {
            if case .hookEnded(id, completion, _) = $0 { true } else { false }
        }
        try expect(isSo, "it ended otherwise than \(completion): \(facts(worker))")
    }
}
