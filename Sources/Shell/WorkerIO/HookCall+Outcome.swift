package import Lifecycle
package import Linux
package import SupervisorPorts

extension HookCall {
    /// What the end of its process means for what it was called for, and what went wrong, in words; nil where nothing did.
    ///
    /// No end of a command with `-` before its program is a failure, and none of a oneshot worker's `ExecStart=` that
    /// `SuccessExitStatus=` lists (systemd.service(5)).
    package func outcome(of change: ChildEvent.Change) -> (Completion, problem: String?) {
        let isSuccess =
            change.status.map { hook.ignoresFailure || command?.success.contains($0) ?? false } ?? false
        switch change {
        case .exited(0): return (.done, nil)
        // An answer, and no failure that could be ignored.
        case .exited(Self.noDataStatus) where isFetch: return (.refused, nil)
        case .exited where isSuccess, .killed where isSuccess: return (.done, nil)
        case .exited(let status):
            if command == nil, callback.canBeRefused { return (.refused, nil) }
            return (.failed, "exit status \(status)")
        case .killed(let signal, let coreDumped):
            return (.failed, "killed by \(signal)\(coreDumped ? ", core dumped" : "")")
        // Neither is an end.
        case .stopped, .continued: return (.done, nil)
        }
    }
}

extension ChildEvent.Change {
    /// How it ended; nil where it has not.
    fileprivate var status: ExitStatus? {
        switch self {
        case .exited(let code): .exited(code)
        case .killed(let signal, let coreDumped): .killed(signal: signal.rawValue, coreDumped: coreDumped)
        case .stopped, .continued: nil
        }
    }
}

extension Callback {
    /// Whether an exit status other than 0 of its command is an answer, and no failure.
    fileprivate var canBeRefused: Bool {
        switch self {
        case .willFinishLaunching, .didFinishLaunching, .shouldSaveState: true
        case .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground, .willTerminate,
            .didReceiveMemoryWarning, .backgroundTaskWillExpire, .performFetch, .didReceiveNotifications,
            .openURL, .continueActivity, .handleTransferEvents, .protectedDataWillBecomeUnavailable,
            .protectedDataDidBecomeAvailable, .significantTimeChange, .saveState, .restoreState,
            .performProcessing:
            false
        }
    }
}
