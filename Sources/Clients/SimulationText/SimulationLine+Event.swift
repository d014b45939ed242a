internal import Lifecycle
internal import Operator
internal import Varlink

extension SimulationLine {
    /// What happened to a worker, where the effects do not tell it.
    ///
    /// `callback` is the one that the event completes, or whose deadline passes.
    init?(_ event: Event, bringing effects: [Effect], callback: Callback?) {
        switch event {
        case .requested(let request):
            self.init(
                "wanted", "goal \(request.goal.rawValue) set by \(request.requester.words)", .strong,
                ["goal": .string(request.goal.rawValue), "by": .string(request.requester.words)])
        case .resumeRequested(let requester): self.init(happened: "resume requested by \(requester.words)")
        case .restartRequested(let requester): self.init(happened: "restart requested by \(requester.words)")
        case .forceQuit(let requester): self.init(happened: "force-quit by \(requester.words)")
        case .woken(let wake):
            let place = wake.intoForeground ? "foreground" : "background"
            self.init(
                "woken", "woken into the \(place): \(wake.reason.rawValue)", .strong,
                ["reason": .string(wake.reason.rawValue), "foreground": .bool(wake.intoForeground)])
        case .evictionRequested(let eviction):
            self.init(happened: "eviction requested: \(eviction.requester.words)")
        case .interrupted: self.init(happened: "interruption begins")
        case .interruptionEnded: self.init(happened: "interruption over")
        // What was posted has a line of its own.
        case .notificationsQueued, .foregroundNotificationsQueued: return nil
        case .used(let inUse): self.init(happened: inUse ? "in use" : "no longer in use")
        case .saidInUse(let inUse):
            self.init(happened: inUse ? "the worker reports that it is in use" : "no longer in use")
        case .foregroundTaken(let isTaken):
            self.init(happened: isTaken ? "another worker has the foreground" : "the foreground is free")
        case .savedState(let exists): self.init(happened: exists ? "state saved" : "saved state removed")
        case .processingRevoked: self.init(happened: "the time for long work is over")
        case .stoppedOutside: self.init(happened: "stopped by another program")
        case .continuedOutside: self.init(happened: "continued by another program")
        case .cpuLimitExceeded: self.init(happened: "over its CPU limit")
        case .startFailed: self.init(happened: "ExecStartPost= failed")
        case .ready: self.init(happened: "READY=1")
        case .reloading: self.init(happened: "RELOADING=1")
        case .stopping: self.init(happened: "STOPPING=1")
        case .extendTimeout(let time):
            self.init(happened: "EXTEND_TIMEOUT_USEC=\(time.microseconds)")
        case .watchdogTriggered: self.init(happened: "WATCHDOG=trigger")
        case .attached: self.init(happened: "attached to its socket")
        case .detached: self.init(happened: "its connection was closed")
        case .announced(let callback):
            // To one that runs it is told; to the others it means nothing.
            guard effects.isEmpty else { return nil }
            self.init(happened: "\(callback.rawValue), held")
        case .completed(_, let completion):
            guard completion != .done, let callback else { return nil }
            self.init(
                "answer", "  \(callback.rawValue): \(completion.rawValue)", .attention,
                ["callback": .string(callback.rawValue), "answer": .string(completion.rawValue)])
        case .stalled(let time):
            self.init(
                "stalled", "stalled for \(span(time.microseconds)): all deadlines are extended", .attention,
                ["spanUsec": .int(time.microseconds)])
        case .expired(let timer, _, let traced):
            guard let what = Self.deadline(timer, callback, effects) else { return nil }
            let putOff = traced ? "; postponed while a debugger is attached" : ""
            self.init("due", what + putOff, .attention, ["timer": .string(Self.caseName(timer))])
        case .launched, .launchFailed, .launchAbandoned, .exited, .frozen, .freezeFailed, .freezeRefused,
            .thawed, .inspected, .watchdogPinged, .watchdogChanged, .mainProcessChanged, .taskBegan,
            .taskEnded, .policyChanged, .cpuRead, .usedLast:
            return nil
        }
    }

    private init(happened clause: String) {
        self.init("happened", clause, .strong, ["what": .string(clause)])
    }

    /// Nil for a timer that was only armed again.
    private static func deadline(_ timer: Timer, _ callback: Callback?, _ effects: [Effect]) -> String? {
        let counts = effects.contains { effect in
            switch effect {
            case .arm, .disarm: false
            default: true
            }
        }
        switch timer {
        case .launch: return "the deadline of the launch has expired"
        case .callback: return "the deadline of \(callback?.rawValue ?? "a callback") has expired"
        case .activity: return "the deadline of an activity has expired"
        case .ending: return "the deadline of the stop has expired"
        case .backgroundTasks:
            guard counts else { return nil }
            return effects.contains(.kill)
                ? "the background time is over" : "the background time is nearly over"
        case .watchdog: return counts ? "the watchdog was not pinged in time" : nil
        case .grace: return "the requested time is over"
        case .idle: return "idle timeout"
        // Looked at again, it is quiet or not: what follows tells.
        case .quiet: return nil
        case .hold: return "the limit of a hold has expired"
        case .backoff: return "the restart delay is over"
        case .freeze: return "the suspend is retried"
        }
    }
}
