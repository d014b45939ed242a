package import ConfigurationSyntax
package import Lifecycle
internal import Processing

/// The defaults that depend on other directives, all of them here.
extension WorkerDefinition {
    /// Whether the worker lives by the contract, with iOS's limits; an ordinary daemon has its own.
    package var livesByContract: Bool { type == .app }

    /// From the process's start until it is ready.
    package var startTimeout: TimeLimit {
        // What is to be done takes as long as it takes, as with systemd.
        timeouts.start ?? (type == .oneshot ? .infinity : .after(.seconds(livesByContract ? 20 : 90)))
    }

    /// For willTerminate, until SIGKILL.
    package var stopTimeout: TimeLimit {
        timeouts.stop ?? .after(.seconds(livesByContract ? 5 : 90))
    }

    /// From a thaw until the queue is taken.
    package var resumeTimeout: TimeLimit {
        timeouts.resume ?? .after(.seconds(livesByContract ? 10 : 30))
    }

    /// The watchdog's period, nil where it is off.
    package var watchdog: TimeSpan? {
        timeouts.watchdog.span.flatMap { $0 > .zero ? $0 : nil }
    }

    /// How long `callback` may take.
    package func timeout(for callback: Callback) -> TimeLimit {
        if let set = callbacks.timeouts[callback] { return set }
        switch callback {
        case .willFinishLaunching, .didFinishLaunching, .restoreState: return startTimeout
        case .willTerminate: return stopTimeout
        case .performProcessing: return background.processing.limit
        case .performFetch, .handleTransferEvents, .didReceiveNotifications: return .after(.seconds(30))
        case .didEnterBackground: return .after(.seconds(livesByContract ? 5 : 30))
        case .backgroundTaskWillExpire: return .after(livesByContract ? taskWarning : .seconds(30))
        case .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning, .openURL,
            .continueActivity, .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable,
            .significantTimeChange, .shouldSaveState, .saveState:
            return .after(.seconds(livesByContract ? 10 : 30))
        }
    }

    /// Whether a missed deadline of a callback kills, as it does an app; with an ordinary daemon the callback is given up
    /// with a warning.
    package var overrunKills: Bool { livesByContract }

    /// How long before the end of all background tasks their expiry is told: as it is written, else 5 s, or a tenth of a shorter
    /// limit.
    package var taskWarning: TimeSpan {
        guard let limit = background.taskLimit.span else { return background.taskWarning ?? .seconds(5) }
        guard let written = background.taskWarning else {
            return min(.seconds(5), TimeSpan(microseconds: limit.microseconds / 10))
        }
        return min(written, limit)
    }

    /// When the hook for `callback` counts as completed; nil where there is no hook.
    package func completion(of callback: Callback) -> CallbackCompletion? {
        callbacks.actions[callback].map { action in
            callbacks.completions[callback] ?? Self.defaultCompletion(of: action)
        }
    }

    /// When a hook without a completion of its own counts as completed.
    package static func defaultCompletion(of action: CallbackAction) -> CallbackCompletion {
        switch action {
        case .exec: .exit
        case .signal, .stdin: .immediately
        }
    }

    /// Whose notifications count: those of the main process, unless the type is `simple`; all where a hook waits for one.
    ///
    /// As in systemd.service(5) those of the main process count wherever the contract rests on them, whatever is written.
    package var effectiveNotifyAccess: NotifyAccess {
        let restsOnThem = type == .notify || watchdog != nil || execution.descriptorStoreMax > 0
        if let notifyAccess { return notifyAccess == .none && restsOnThem ? .main : notifyAccess }
        if callbacks.completions.values.contains(.notify) { return .all }
        switch type {
        case .simple, .exec, .oneshot: return restsOnThem ? .main : .none
        case .notify, .app: return .main
        }
    }

    /// How it may be evicted: silently where it could save itself in didEnterBackground, by a hook here whose completion proves
    /// that it has, or by a receiver on its socket (`hasReceiver`).
    package func evictability(hasReceiver: Bool = false) -> Evictability {
        if let evictable = memory.evictable { return evictable }
        let completion = completion(of: .didEnterBackground)
        return hasReceiver || completion != nil && completion != .immediately ? .silent : .graceful
    }

    /// Whether a hook writes to standard input, so that the supervisor must hold it.
    package var hasInputHook: Bool {
        let actions = Array(callbacks.actions.values) + Array(notifications.actions.values)
        return actions.contains { action in
            guard case .stdin = action else { return false }
            return true
        }
    }

    /// Whether what it prints has to pass through the supervisor: where a line of it completes a hook, or a snapshot is asked
    /// for.
    package var capturesOutput: Bool {
        if snapshot == true || (snapshot == nil && !snapshotRedact.isEmpty) { return true }
        if case .output = readyWhen { return true }
        return callbacks.completions.values.contains { completion in
            guard case .output = completion else { return false }
            return true
        }
    }

    /// Where standard input comes from.
    package var effectiveStandardInput: StandardInput {
        execution.standardInput ?? (hasInputHook ? .pipe : .null)
    }

    /// The weights of `cpu.weight` and `io.weight` while it is in the foreground, inactive included, or in the background.
    package func weights(inForeground: Bool) -> (cpu: CPUWeight, io: Int) {
        inForeground
            ? (foreground.cpuWeight ?? .weight(100), foreground.ioWeight ?? 100)
            : (background.cpuWeight ?? .weight(10), background.ioWeight ?? 10)
    }

    /// `memory.high` while it is in the foreground or in the background.
    package func memoryHigh(inForeground: Bool) -> MemoryLimit {
        inForeground ? memory.high : memory.backgroundHigh ?? memory.high
    }
}
