import Lifecycle
import Linux
import Pressure
import Supervisor
import SupervisorPorts

/// Memory: figures, giving back, limits, and when it is back.
extension HostContract {
    static let memory: [Promise] = [
        Promise(name: "its memory is back before its exit is told, and that is told once") { play in
            let worker = try await play.launchReady(.stubborn)
            play.host.kill(worker.id)
            try await play.waitForEnd(of: worker, .killed(signal: 9, coreDumped: false))
            let end = play.facts(worker).suffix(2)
            try play.expect(end.first == .memory(.released), "told \(play.facts(worker))")
            let times = play.facts(worker).count { $0 == .memory(.released) }
            try play.expect(times == 1, "told \(times) times")
        },
        Promise(name: "its memory is not back while something that it left lives") { play in
            let worker = try await play.launch(.parent)
            try await play.waitForEnd(of: worker, .exited(0))
            // It may be said that what was left gets SIGKILL.
            let facts = play.facts(worker).filter { if case .remarked = $0 { false } else { true } }
            try play.expect(facts.first == .memory(.released) && facts.count == 2, "told \(facts)")
        },
        Promise(name: "what workers hold is known for as long as they live") { play in
            let one = try await play.launchReady(.sleeper)
            let other = try await play.launchReady(.sleeper)
            let nobody = play.nextID()
            let held = play.host.memory(of: [one.id, nobody, other.id])
            try play.expect(held[nobody] == nil, "nobody holds something")
            for worker in [one, other] {
                try play.expect(held[worker.id]?.resident ?? 0 > 0, "it holds \(held)")
            }
            play.host.freeze(one.id)
            try await play.wait(for: .frozen, of: one)
            try play.expect(
                play.host.memory(of: [one.id])[one.id]?.resident ?? 0 > 0, "asleep it holds nothing")
            try await play.end(one)
            try play.expect(play.host.memory(of: [one.id]).isEmpty, "it holds something after its end")
            try await play.end(other)
        },
        Promise(name: "what a sleeper holds is given back, and what came of it is told once each time") {
            play in
            let worker = try await play.launchReady(.sleeper)
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker)
            for round in 1...2 {
                play.host.reclaim(worker.id)
                try await play.wait(for: "what reclaiming has brought") {
                    play.reclaims(worker).count == round
                }
                try await play.settle()
                try play.expect(play.reclaims(worker).count == round, "told \(play.reclaims(worker))")
            }
            for reclaim in play.reclaims(worker) {
                try play.expect(reclaim.before.resident > 0, "it held nothing: \(reclaim)")
                // What others share with it may be counted for it by then.
                try play.expect(
                    reclaim.givenBack < reclaim.before.resident + 1, "more came than there was: \(reclaim)")
            }
            play.host.thaw(worker.id)
            try await play.wait(for: .thawed, of: worker)
            play.host.signal(worker.id, .terminate)
            try await play.waitForEnd(of: worker, .killed(signal: 15, coreDumped: false))
        },
        Promise(name: "what is given back of one that is woken is not told") { play in
            let worker = try await play.launchReady(.sleeper)
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker)
            play.host.reclaim(worker.id)
            play.host.thaw(worker.id)
            try await play.wait(for: .thawed, of: worker)
            try await play.settle()
            try play.expect(play.reclaims(worker).isEmpty, "told \(play.reclaims(worker))")
            play.host.freeze(worker.id)
            try await play.wait(for: .frozen, of: worker, times: 2)
            play.host.reclaim(worker.id)
            // Killed while that is underway, it ends all the same, and its end is the last thing told.
            try await play.end(worker)
        },
        Promise(name: "a warning reaches a worker that hears from us by systemd's protocol") { play in
            guard play.stage.warnsOfMemory else { return }
            let worker = try await play.launchReady(.listener)
            let other = try await play.launchReady(.sleeper)
            play.host.warnOfMemory(worker.id)
            try await play.waitForEnd(of: worker, .exited(5))
            try await play.end(other)
        },
        Promise(name: "limits and warnings harm nobody, whoever is there to have them") { play in
            let worker = try await play.launchReady(.sleeper)
            let nobody = play.nextID()
            let limits = MemoryLimits(maximum: 1 << 40, high: 1 << 39)
            for id in [worker.id, nobody] {
                for limits in [limits, limits, .none] { play.host.limitMemory(id, to: limits) }
                play.host.warnOfMemory(id)
            }
            play.host.reclaim(nobody)
            try await play.settle()
            try play.expect(play.facts(worker).count == 1, "told \(play.facts(worker))")
            try await play.end(worker)
        },
    ]
}

extension Play {
    /// What reclaiming has brought, as it was told.
    func reclaims(_ worker: Worker) -> [MemoryReclaim] {
        facts(worker).compactMap {
            guard case .memory(.reclaimed(let reclaim)) = $0 else { return nil }
            return reclaim
        }
    }
}
