internal import ControlAPI
internal import Launching
internal import Lifecycle
internal import Supervisor
internal import SupervisorPorts

/// What a request for a state came to, as it is answered.
extension OperatorService {
    func currentResult(_ entry: RegisteredWorker) -> API.GoalResult {
        let id = entry.id
        let (state, goal) =
            supervisor.stateAndGoal(of: id) ?? (.notRunning, .notRunning)
        return API.GoalResult(
            name: entry.name, state: .init(state), goal: .init(goal), reached: state == goal.state)
    }

    func goal(of entry: RegisteredWorker) -> API.Goal? {
        let id = entry.id
        return supervisor.stateAndGoal(of: id).map { .init($0.goal) }
    }

    /// The hook of a worker that failed on its way; nil where none did, and after an end by force, which cuts hooks off.
    private func hookFailure(of entry: RegisteredWorker, since began: Instant) -> Worker.HookFailure? {
        let worker = supervisor.workers[entry.id]
        guard let worker, worker.life.restReason != .forceQuit else { return nil }
        return worker.hookFailures.last { $0.at >= began && $0.isOnTheWay }
    }

    /// Which worker takes the foreground, of one that is on its way to sleep for that; nil where it is not.
    private func successor(of entry: RegisteredWorker) -> String? {
        let id = entry.id
        guard let worker = supervisor.workers[id], worker.life.goalRequester == .handOver else {
            return nil
        }
        return supervisor.goalOrigin(of: worker)?.worker ?? "another worker"
    }

    /// Why a worker could not be put to sleep, and when that is tried again; nil where it is not.
    private func freezeFailure(of entry: RegisteredWorker) -> String? {
        let id = entry.id
        guard let worker = supervisor.workers[id], worker.life.awaitsFreeze else { return nil }
        return worker.detail(of: .freezeFailed, at: supervisor.host.now)
    }

    /// What a worker is waited for that is not where it is wanted.
    func waiting(for entry: RegisteredWorker) -> API.GoalWaiting {
        let current = currentResult(entry)
        return API.GoalWaiting(
            name: entry.name, state: current.state, on: obstacle(of: entry),
            deadline: commandDeadline(of: entry) ?? rendering(entry)?.deadlines.first)
    }

    /// When the time of a worker's command is over that reloads it.
    private func commandDeadline(of entry: RegisteredWorker) -> API.Deadline? {
        supervisor.command(of: entry.id).map { command, due in
            API.Deadline(
                name: command.key, at: due.microseconds, remainingUsec: max(0, (due - now).microseconds),
                then: "the command is killed")
        }
    }

    func late(_ entry: RegisteredWorker) -> API.GoalResult {
        var result = currentResult(entry)
        result.reached = false
        result.error = API.ErrorName.goalNotReached.rawValue
        let obstacle = obstacle(of: entry).map { "\($0); " } ?? ""
        result.message = "timed out; \(obstacle)it is still moving to \(result.goal.rawValue)"
        return result
    }

    func result(
        _ outcome: WaitOutcome, _ entry: RegisteredWorker, wanted: API.Goal?, since began: Instant
    ) -> API.GoalResult {
        var result = currentResult(entry)
        result.reached = outcome == .reached
        if outcome == .reached, let failure = hookFailure(of: entry, since: began) {
            result.error = API.ErrorName.hookFailed.rawValue
            result.message =
                "it is \(result.state.rawValue), but its \(failure.callback.rawValue) hook failed: \(failure.problem)"
            return result
        }
        guard let (error, message) = outcome.complaint else { return result }
        result.error = error.rawValue
        result.message = message
        if case .replaced = outcome {
            result.wanted = wanted == result.goal ? nil : wanted
            if let other = successor(of: entry) {
                result.message = "\(other) took the foreground of its group"
            }
        }
        if outcome == .stuck, let failure = freezeFailure(of: entry) {
            result.message = "it could not be suspended and stays in the background: \(failure)"
        }
        guard outcome.tellsOfEnd else { return result }
        let id = entry.id
        if let failure = supervisor.launchFailure(of: id) {
            // An end that was never a beginning: the reason is all there is to say.
            if failure.isLasting { result.error = API.ErrorName.launchFailed.rawValue }
            result.message = "its launch failed: \(failure)"
            // Only of this launch: a program that cannot be executed has printed nothing.
            if failure.stage == .precondition { result.lastOutput = wordsOfFailedLaunch(of: entry) }
        } else {
            result.lastOutput = lastWords(of: entry)
        }
        return result
    }
}
