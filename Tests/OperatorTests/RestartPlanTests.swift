import ControlAPI
import Testing

@testable import Operator

/// What a restart has ended besides is brought back to where it was.
@Suite struct `A restart` {
    private typealias API = SupervisorInterface

    private static let us = API.Caller(uid: 0, pid: 7)

    private func summary(_ name: String, _ state: API.State, _ goal: API.Goal) -> API.WorkerSummary {
        API.WorkerSummary(name: name, state: state, since: 0, goal: goal, held: false)
    }

    private func status(_ name: String, by caller: API.Caller?, files: [String] = ["x"]) -> API.WorkerStatus {
        API.WorkerStatus(
            name: name, state: .notRunning, since: 0, goal: .notRunning, goalBy: caller, type: "simple",
            deadlines: [], tasks: [], queueLength: 0, held: false, restartCount: 0, files: files)
    }

    @Test func `brings back what ran and was ended with it`() {
        let before = [
            summary("db", .active, .active), summary("web", .active, .active),
            summary("api", .background, .background),
            summary("cron", .suspended, .suspended), summary("off", .notRunning, .notRunning),
            summary("other", .active, .active), summary("run-1", .active, .active),
            summary("ended", .active, .active),
        ]
        let after = [
            summary("db", .notRunning, .notRunning), summary("web", .notRunning, .notRunning),
            summary("api", .background, .notRunning), summary("cron", .notRunning, .notRunning),
            summary("off", .notRunning, .notRunning), summary("other", .active, .active),
            summary("run-1", .active, .notRunning), summary("ended", .notRunning, .notRunning),
        ]
        let names = RestartPlan.candidates(restarting: "db", before: before, after: after)
        #expect(names == ["web", "api", "cron", "run-1", "ended"])
        let plan = RestartPlan(
            endedBy: Self.us,
            [
                status("web", by: Self.us), status("api", by: Self.us), status("cron", by: Self.us),
                status("run-1", by: Self.us, files: []), status("ended", by: .init(uid: 0, pid: 8)),
            ], before: before)
        #expect(plan == RestartPlan(behind: ["api", "cron"], inFront: ["web"], asleep: ["cron"]))
        #expect(RestartPlan(endedBy: nil, [status("web", by: nil)], before: before).isEmpty)
    }
}
