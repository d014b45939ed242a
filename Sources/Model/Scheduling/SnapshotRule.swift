package import Lifecycle

/// When the last lines of a worker's output are kept as its snapshot (1.8): those that a person saw of it last, or would see now.
///
/// On leaving the foreground, when something that it did in the background is over, and when it is suspended.
package enum SnapshotRule {
    /// Whether they are kept now that this change is published.
    package static func keeps(at transition: Transition) -> Bool {
        transition.to == .suspended || transition.to == .background && transition.from == .inactive
    }

    /// Whether they are kept when `callback` of a worker in `state` is over: where the worker may have done something for it.
    package static func keeps(after callback: Callback, in state: State) -> Bool {
        guard state == .background else { return false }
        switch callback {
        case .didEnterBackground, .performFetch, .didReceiveNotifications, .handleTransferEvents,
            .performProcessing, .didReceiveMemoryWarning, .backgroundTaskWillExpire,
            .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable, .significantTimeChange:
            return true
        // On the way to or from the foreground, or to its end.
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
            .willEnterForeground, .willTerminate, .openURL, .continueActivity, .shouldSaveState, .saveState,
            .restoreState:
            return false
        }
    }
}
