public import ControlAPI

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LifecycleDelegate {
    /// All callbacks, but `didEnterBackground` only if it is implemented.
    public var callbacks: Set<CallbackName> {
        var all = Set(CallbackName.allCases)
        if EnteredBackground.self == NotImplemented.self { all.remove(.didEnterBackground) }
        return all
    }

    /// Accepts.
    public func willFinishLaunching(_ launch: Launch) async throws -> Bool { true }
    /// Accepts.
    public func didFinishLaunching(_ launch: Launch) async throws -> Bool { true }
    /// Does nothing.
    public func didBecomeActive() async throws {}
    /// Does nothing.
    public func willResignActive() async throws {}
    /// Does nothing.
    public func willEnterForeground() async throws {}
    /// Does nothing.
    public func willTerminate() async throws {}
    /// Does nothing.
    public func didReceiveMemoryWarning() async throws {}
    /// Calls ``didReceiveMemoryWarning()``, except at the level normal.
    public func didReceiveMemoryWarning(_ warning: MemoryWarning) async throws {
        if warning.level != .normal { try await didReceiveMemoryWarning() }
    }
    /// Does nothing.
    public func backgroundTaskWillExpire() async throws {}
    /// Does nothing: there is no new data.
    public func performFetch() async throws -> FetchResult { .noData }
    /// Does nothing.
    public func performProcessing() async throws {}
    /// Does nothing.
    public func didReceiveNotifications(_ notifications: [PostedNotification]) async throws {}
    /// Refuses; the caller that opened the URL is informed.
    public func openURL(_ url: URL) async throws -> Bool { false }
    /// Refuses.
    public func continueActivity(_ activity: ContinuedActivity) async throws -> Bool { false }
    /// Does nothing.
    public func handleTransferEvents(_ events: TransferEvents) async throws {}
    /// Does nothing.
    public func protectedDataWillBecomeUnavailable() async throws {}
    /// Does nothing.
    public func protectedDataDidBecomeAvailable() async throws {}
    /// Does nothing.
    public func significantTimeChange() async throws {}
    /// True: there is state to save.
    public func shouldSaveState() async throws -> Bool { true }
    /// Does nothing.
    public func restoreState(_ state: State) async throws {}
    /// Does nothing.
    public func wasSuspended(for duration: Duration) async {}
    /// Does nothing.
    public func answerWasLost(_ callback: CallbackName, _ error: WorkerError) async {}
}

extension LifecycleDelegate where State == NoState {
    /// False: there is no state to save.
    public func shouldSaveState() async throws -> Bool { false }
    /// Nothing.
    public func saveState() async throws -> NoState { NoState() }
}

extension LifecycleDelegate where EnteredBackground == NotImplemented {
    /// Does nothing; the callback is not requested.
    public func didEnterBackground() async throws -> NotImplemented { NotImplemented() }
}
