@testable import Lifecycle

/// Effects in a few letters, for tables that people read.
///
/// `⇒S` a new goal · `(failed)` a new reason for not running · `again` it is launched again after its end · `→B` a change of state ·
/// `+wT` a callback · `⟳` launch · `❄` freeze · `☀` thaw · `TERM`, `KILL` the stop signal and SIGKILL · `look` inspectResources ·
/// `cpu?` readCPU · `~limit` the end of a held task · `slow` throttle · `up` launchCompleted · `†crashed` a termination record ·
/// `=began` an answer to a task · `-url/ended` a drop · `no/barred` a refusal · `!freeze` a warning · `save/lost` saved state ·
/// `?` reported · `·` no effect. Timers have a suite of their own.
enum Shorthand {
    static func cell(_ effects: [Effect], from before: WorkerLifecycle, to after: WorkerLifecycle) -> String {
        var words = effects.compactMap(word)
        if before.goal != after.goal { words.append("⇒\(name(after.goal.state))") }
        if before.restReason != after.restReason, let reason = after.restReason {
            words.append("(\(reason))")
        }
        if after.relaunches != before.relaunches { words.append(after.relaunches ? "again" : "no more") }
        return words.isEmpty ? "·" : words.joined(separator: " ")
    }

    private static func word(_ effect: Effect) -> String? {
        switch effect {
        case .launch(let launch): launch.intoForeground ? "⟳F" : "⟳B"
        case .deliver(let delivery): "+\(name(delivery.callback))"
        case .freeze: "❄"
        case .thaw: "☀"
        case .stop: "TERM"
        case .kill: "KILL"
        case .inspectResources: "look"
        case .readCPU: "cpu?"
        case .beginUse: nil
        case .inspectUse: "use?"
        case .holdOver(_, let end): "~\(end.rawValue)"
        case .throttle(let on): on ? "slow" : "fast"
        case .arm, .disarm: nil
        case .publish(let transition): "→\(name(transition.to))"
        case .launchCompleted: "up"
        case .record(let record): "†\(record.cause.rawValue)"
        case .savedState(let fate): "save/\(fate.rawValue)"
        case .answerTask(_, let answer): "=\(answer.rawValue)"
        case .drop(let inbound, let why): "-\(inbound.kind.rawValue)/\(why.rawValue)"
        case .refuse(let why, _): "no/\(why.rawValue)"
        case .warn(let warning): "!\(name(warning))"
        case .report: "?"
        }
    }

    private static func name(_ state: State) -> String {
        switch state {
        case .notRunning: "N"
        case .inactive: "I"
        case .active: "A"
        case .background: "B"
        case .suspended: "S"
        }
    }

    private static func name(_ warning: Warning) -> String {
        switch warning {
        case .overrun: "overrun"
        case .holdsResource: "holds"
        case .freezeFailed: "freeze"
        case .thawFailed: "thaw"
        case .cannotBeKilled: "unkillable"
        case .startLimitHit: "limit"
        }
    }

    private static func name(_ callback: Callback) -> String {
        switch callback {
        case .willFinishLaunching: "wFL"
        case .didFinishLaunching: "dFL"
        case .didBecomeActive: "dBA"
        case .willResignActive: "wRA"
        case .didEnterBackground: "dEB"
        case .willEnterForeground: "wEF"
        case .willTerminate: "wT"
        case .didReceiveMemoryWarning: "mem"
        case .backgroundTaskWillExpire: "exp"
        case .performFetch: "fetch"
        case .didReceiveNotifications: "note"
        case .openURL: "url"
        case .continueActivity: "act"
        case .handleTransferEvents: "trans"
        case .protectedDataWillBecomeUnavailable: "lock"
        case .protectedDataDidBecomeAvailable: "unlock"
        case .significantTimeChange: "time"
        case .shouldSaveState: "save?"
        case .saveState: "save"
        case .restoreState: "restore"
        case .performProcessing: "work"
        }
    }
}

extension WorkerLifecycle {
    /// Whether the end that is under way is followed by another start at once.
    fileprivate var relaunches: Bool {
        switch phase {
        case .notRunning: false
        case .spawning(_, let pendingKill): pendingKill?.relaunch != nil
        case .running(let process): process.ending?.relaunch != nil
        }
    }
}
