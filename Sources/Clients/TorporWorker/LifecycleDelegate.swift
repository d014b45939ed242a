#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The callbacks of a worker's life cycle.
///
/// Every method has a default that does nothing. They are called one at a time and in order, and the supervisor waits for each:
/// returning completes the callback, throwing reports a failure, and returning `false` refuses. Three may overlap with
/// others and with each other: ``performFetch()``, ``handleTransferEvents(_:)`` and ``didReceiveNotifications(_:)``.
///
/// Each has a deadline, after which the supervisor kills the worker.
public protocol LifecycleDelegate: Sendable {
    /// The type that ``saveState()`` returns and ``restoreState(_:)`` receives; any Codable type.
    associatedtype State: Codable & Sendable = NoState

    /// The result of ``didEnterBackground()``: Void if the delegate implements that method, and a separate type otherwise.
    ///
    /// Inferred; it shows whether the worker can save its state before it sleeps.
    associatedtype EnteredBackground: Sendable = NotImplemented

    /// The callbacks to receive; by default all, but `didEnterBackground` only if the delegate implements it.
    ///
    /// A worker that receives `didEnterBackground` is expected to save there everything that must not be lost: when memory is short it
    /// may be ended without notice while it is suspended. Otherwise it is woken and receives ``willTerminate()``.
    var callbacks: Set<CallbackName> { get }

    /// Called before saved state is restored.
    ///
    /// Return false to refuse the launch options.
    func willFinishLaunching(_ launch: Launch) async throws -> Bool
    /// The launch is complete when this returns.
    ///
    /// Return false to refuse the launch options.
    func didFinishLaunching(_ launch: Launch) async throws -> Bool
    /// The worker is active.
    func didBecomeActive() async throws
    /// The worker is about to become inactive.
    func willResignActive() async throws
    /// The worker has left the foreground: save everything that must not be lost, since a suspended worker may be ended without notice.
    func didEnterBackground() async throws -> EnteredBackground
    /// The worker is about to enter the foreground.
    func willEnterForeground() async throws
    /// The worker is about to end; `run` returns afterwards.
    ///
    /// Called at most once, whether the supervisor or ``Worker/terminate()`` ends the worker.
    func willTerminate() async throws
    /// Memory is short or critical: release everything that can be recreated.
    ///
    /// Called by the default of ``didReceiveMemoryWarning(_:)``; a delegate that implements that method does not need this one.
    func didReceiveMemoryWarning() async throws
    /// Memory is short, critical or no longer short; the warning carries the level and the memory that the worker may still allocate.
    func didReceiveMemoryWarning(_ warning: MemoryWarning) async throws
    /// The background time is nearly over; the background tasks have been cancelled.
    func backgroundTaskWillExpire() async throws
    /// Fetch new content; the result says whether there was any.
    ///
    /// The interval to the next fetch adapts to that: no data doubles it, up to eight times `FetchIntervalSec=`, and new data brings it
    /// back.
    func performFetch() async throws -> FetchResult
    /// Does long work, such as compacting or indexing: it is a good time for that (`Modes=processing`).
    ///
    /// It is cancelled shortly before its time is over, or sooner where the system needs its time for other things. Save what was done, and
    /// throw `CancellationError` (or any other error) where work is left: it is called again later.
    func performProcessing() async throws
    /// Notifications that were posted while the worker slept, or a single one.
    ///
    /// A notification may be delivered twice, with the same topic and sequence.
    func didReceiveNotifications(_ notifications: [PostedNotification]) async throws
    /// Opens a URL; return false if the worker does not handle it.
    func openURL(_ url: URL) async throws -> Bool
    /// Continues an activity; return false if the worker does not handle it.
    func continueActivity(_ activity: ContinuedActivity) async throws -> Bool
    /// Transfers have ended.
    func handleTransferEvents(_ events: TransferEvents) async throws
    /// Protected data is about to become unavailable.
    func protectedDataWillBecomeUnavailable() async throws
    /// Protected data is available again.
    func protectedDataDidBecomeAvailable() async throws
    /// It is midnight, the time zone changed, or the clock was set.
    func significantTimeChange() async throws
    /// Whether there is state to save; by default true if ``State`` is defined.
    func shouldSaveState() async throws -> Bool
    /// Returns the state to restore at the next launch.
    func saveState() async throws -> State
    /// Restores the saved state, between willFinishLaunching and didFinishLaunching.
    func restoreState(_ state: State) async throws

    /// The worker slept for this time, and its clocks have jumped; called before the callback that woke it.
    func wasSuspended(for duration: Duration) async
    /// A callback could not be answered: it timed out, the supervisor went away, or the state was refused.
    func answerWasLost(_ callback: CallbackName, _ error: WorkerError) async
}

/// The result of a callback that the delegate does not implement.
public struct NotImplemented: Hashable, Sendable {
    init() {}
}

/// The state of a worker that saves no state.
public struct NoState: Codable, Hashable, Sendable {
    /// Nothing.
    public init() {}
}
