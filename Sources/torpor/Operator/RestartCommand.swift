import ArgumentParser
import ControlAPI
import Operator

/// `torpor restart NAME…`.
struct RestartCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "End workers the graceful way, and launch them where they were.",
        discussion: """
            A worker that was in the background or asleep is launched into the background, any other one into the foreground; one \
            that did not run is launched. Workers that require it end with it: those that ran are launched again after it, and \
            brought to the state they had.
            """)

    @OptionGroup var options: OperatorOptions
    @OptionGroup var waiting: WaitOptions

    @Argument(help: "Names of workers, or shell patterns.", completion: .workers)
    var names: [String]

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        try session.forEach(names) { session, name throws(Failure) in
            let worker = try session.call(SupervisorInterface.Describe.self, .init(name: name)).worker
            // Without a file there would be nothing to launch again: it is forgotten when it ends.
            guard worker.state == .notRunning || !worker.files.isEmpty else {
                throw Failure(.usage, "\(name) is transient: it is forgotten when it ends; launch it anew")
            }
            var before: [SupervisorInterface.WorkerSummary] = []
            var plan = RestartPlan()
            let isBehind = worker.state == .background || worker.state == .suspended
            if worker.state != .notRunning {
                before = try session.call(SupervisorInterface.List.self, .init()).workers
                let ended = try session.steer(
                    SupervisorInterface.Terminate.self,
                    .init(names: [name], timeoutMs: waiting.timeoutMs(options)),
                    GoalProgress(names: [name], expectation: "to end"), waits: true)
                guard ended == .success else {
                    throw Failure(ended, "\(name) has not ended, and is not launched")
                }
                plan = try self.plan(restarting: name, before, &session)
            }
            let status = try session.steer(
                SupervisorInterface.Launch.self,
                .init(
                    names: [name], background: isBehind ? true : nil, wait: waiting.wait,
                    timeoutMs: waiting.timeoutMs(options)),
                GoalProgress(
                    names: [name], expectation: isBehind ? "to run in the background" : "to be active"),
                waits: !waiting.noWait)
            guard status == .success else { throw Failure(status, "\(name) has ended, and was not launched") }
            try bringBack(plan, with: name, &session)
        }
    }

    /// The workers that have been ended with `name`, since they require it.
    private func plan(
        restarting name: String, _ before: [SupervisorInterface.WorkerSummary], _ session: inout Session
    ) throws(Failure) -> RestartPlan {
        let after = try session.call(SupervisorInterface.List.self, .init()).workers
        let names = RestartPlan.candidates(restarting: name, before: before, after: after)
        guard !names.isEmpty else { return RestartPlan() }
        var candidates: [SupervisorInterface.WorkerStatus] = []
        for other in names {
            candidates.append(try session.call(SupervisorInterface.Describe.self, .init(name: other)).worker)
        }
        let caller = try session.call(SupervisorInterface.Describe.self, .init(name: name)).worker.goalBy
        return RestartPlan(endedBy: caller, candidates, before: before)
    }

    /// Launches again what was ended with `name`.
    private func bringBack(_ plan: RestartPlan, with name: String, _ session: inout Session) throws(Failure) {
        let limit = waiting.timeoutMs(options)
        for (names, isBehind) in [(plan.behind, true), (plan.inFront, false)] where !names.isEmpty {
            let status = try session.steer(
                SupervisorInterface.Launch.self,
                .init(names: names, background: isBehind ? true : nil, wait: waiting.wait, timeoutMs: limit),
                GoalProgress(
                    names: names, expectation: isBehind ? "to run in the background" : "to be active"),
                waits: !waiting.noWait)
            guard status == .success else {
                throw Failure(
                    status,
                    "\(name) has been restarted; what was ended with it has not all been launched again: \(names.joined(separator: ", "))"
                )
            }
        }
        guard !plan.asleep.isEmpty else { return }
        let status = try session.steer(
            SupervisorInterface.Suspend.self,
            .init(names: plan.asleep, wait: waiting.wait, timeoutMs: limit),
            GoalProgress(names: plan.asleep, expectation: "to sleep"), waits: !waiting.noWait)
        guard status == .success else {
            throw Failure(
                status,
                "\(name) has been restarted; what slept has not all been put to sleep again: \(plan.asleep.joined(separator: ", "))"
            )
        }
    }
}
