import ControlAPI
import Testing
import Varlink
import WorkerFile

@testable import Operator

private typealias API = SupervisorInterface

/// A supervisor that knows what it will say: replies by method, and errors in their place.
private struct Script: ControlTransport {
    var workers: [String] = []
    var calls: [String] = []

    mutating func call<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters
    ) throws(Failure) -> M.Reply {
        calls.append(M.member)
        let reply: (any Sendable)? =
            switch M.member {
            case API.Ping.member: API.Ping.Reply(pid: 1, version: "0.1.0")
            case API.Doctor.member:
                API.Doctor.Reply(findings: [
                    .init(capability: "freezer", available: true, detail: "cgroup.freeze works"),
                    .init(capability: "reclaim", available: false, detail: "none"),
                ])
            case API.Pressure.member:
                API.Pressure.Reply(
                    level: .warning, support: "unified", detail: "all of it works", observesOnly: false,
                    totalBytes: 1 << 30, availableBytes: 96 << 20, warningCount: 2, evictionCount: 1,
                    freedByKillBytes: 32 << 20, freedByReclaimBytes: 0, kernelKillCount: 0,
                    helpless: "it may be over by itself")
            case API.Cost.member:
                API.Cost.Reply(
                    cpuUsec: 12_340_000, residentBytes: 12 << 20,
                    longestPause: .init(lengthUsec: 23_400, at: 1_000_000, place: "Systemd/Clock.swift:7"),
                    recentPause: .init(
                        lengthUsec: 1200, at: 7_200_000_000, place: "ControlServer/Calls.swift:31",
                        method: "List"))
            case API.GetLogLevel.member: API.GetLogLevel.Reply(level: .info)
            case API.List.member: listed((parameters as? API.List.Parameters)?.names)
            default: nil
            }
        guard let reply = reply as? M.Reply else {
            throw Failure(MethodError.methodNotFound(M.name), calling: M.name)
        }
        return reply
    }

    mutating func stream<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters, _ receive: (M.Reply) throws(Failure) -> Void
    ) throws(Failure) {
        try receive(try call(method, parameters))
    }

    private func listed(_ patterns: [String]?) -> API.List.Reply {
        // Enough of fnmatch(3) for here.
        let names = workers.filter { name in
            patterns.map { $0.contains { $0.hasSuffix("*") && name.hasPrefix($0.dropLast()) } } ?? true
        }
        return .init(
            workers: names.map {
                .init(
                    name: $0, state: .notRunning, since: 0, goal: .notRunning,
                    reason: $0 == "web2" ? .failed : .exited, held: false)
            }, asleepCount: 0, givenBackBytes: 0)
    }
}

@Suite
struct `Calls` {
    @Test func `look up patterns, and nothing but patterns`() throws {
        var script = Script(workers: ["web1", "web2", "x"])
        var missed: [Failure] = []
        let names = try script.names(matching: ["y", "web*", "web2", "q*"]) { missed.append($0) }
        #expect(names == ["y", "web1", "web2"])
        #expect(script.calls == ["List", "List"])
        #expect(missed.count == 1 && missed.allSatisfy { $0.isNoSuchWorker })
    }

    @Test func `tell of the supervisor itself`() throws {
        var script = Script(workers: ["web1", "web2"])
        let view = try SupervisorView(at: "/run/x", over: &script)
        #expect(
            view.rendered(Style(), at: WallClock(now: 7_260_000_000)) == """
                ● Torpor 0.1.0
                     Socket: /run/x
                   Main PID: 1
                    Workers: 2 (2 notRunning, 1 of them failed)
                      Sleep: 0 asleep
                    Freezer: cgroup.freeze works
                     Memory: warning (running workers are asked to free memory); 96.0M of 1.0G available
                             eviction does not help: it may be over by itself
                             32.0M freed by ending 1 worker, 2 warnings
                             all of it works
                       Cost: 12.340s of processor time, 12.0M of memory
                     Pauses: longest 23ms, 2h 0min ago (Systemd/Clock.swift:7)
                             of the last 10 minutes 1ms, 1min 0s ago (List, ControlServer/Calls.swift:31)
                  Log level: info
                    Missing: reclaim; see 'torpor doctor'

                """)
    }
}
