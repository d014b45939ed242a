internal import ControlAPI
internal import Lifecycle
internal import WorkerFile

/// Why a worker is in its state, what would change it, the next deadline, who asked: in one sentence (`torpor why`).
struct Explanation {
    private let rendering: WorkerRendering
    private var life: WorkerLifecycle { rendering.view.life }

    init(_ rendering: WorkerRendering) {
        self.rendering = rendering
    }

    var reply: SupervisorInterface.Why.Reply {
        SupervisorInterface.Why.Reply(
            sentence: sentence, state: rendering.state, goal: rendering.goal, cause: life.goalRequester.word,
            requestedBy: SupervisorInterface.Caller(life.goalRequester), wouldChange: wouldChange,
            deadline: rendering.deadlines.first)
    }

    private var sentence: String {
        var text = "\(rendering.entry.name) is \(life.state): \(because)"
        if let change = wouldChange.first { text += "; \(change)" }
        if let deadline = rendering.deadlines.first {
            let span = TimeSpan(microseconds: deadline.remainingUsec)
            text +=
                "; next deadline: \(deadline.name) in \(span.written(accuracy: .milliseconds(1))), then \(deadline.then)"
        }
        return text + "."
    }

    private var because: String {
        if life.isEnding { return "it is about to end, asked by \(life.goalRequester)" }
        if life.isHeld { return "somebody else has stopped it" }
        if let rest = life.restReason { return because(rest) }
        if life.isLaunching { return "its launch is not complete yet" }
        if let callback = life.callbackInFlight { return "it has \(callback.callback.rawValue) to complete" }
        if life.isInterrupted { return "an interruption lasts" }
        if life.isReloading { return "it reloads its configuration" }
        if life.awaitsForeground { return "another worker of its group has the foreground" }
        let work = life.backgroundWork
        if life.state == .background, life.goal == .suspended, work.tasks + work.activities > 0 {
            return "\(work.tasks) background tasks and \(work.activities) activities keep it awake"
        }
        if life.state.rawValue == life.goal.rawValue { return "\(life.goalRequester) wants it there" }
        return "it is on its way to \(life.goal), where \(life.goalRequester) wants it"
    }

    private func because(_ rest: RestReason) -> String {
        let record = rendering.view.lastRecord.map { ", it \(Narrator.sentence($0))" } ?? ""
        return switch rest {
        case .neverLaunched: "nobody has wanted it yet"
        case .exited: "its process is over\(record)"
        case .evicted: "it had to make room\(record)"
        case .forceQuit: "it was ended by force\(record)"
        case .failed: "it failed\(record)"
        case .backingOff: "it waits to be started again\(record)"
        }
    }

    /// What would change it, in words, the likeliest first.
    private var wouldChange: [String] {
        if life.isHeld { return ["SIGCONT or 'torpor resume' would continue it"] }
        switch life.state {
        case .notRunning:
            return life.restReason == .forceQuit
                ? ["only an operator's launch brings it back"]
                : ["'torpor launch', or any of its wake sources, would start it"]
        case .inactive: return ["'torpor activate' would bring it into use"]
        case .active:
            return life.policy.idle == nil
                ? ["'torpor suspend' would put it to sleep"]
                : ["it is suspended when it has been idle for long enough"]
        case .background:
            return [
                "'torpor activate' would bring it to the foreground",
                "'torpor suspend' would put it to sleep",
            ]
        case .suspended: return ["'torpor activate' or 'torpor resume' would wake it"]
        }
    }
}
