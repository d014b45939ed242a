#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a worker does at each turn of its life.
///
/// Every method has a default that does nothing. They are called one at a time and in order, and the supervisor waits for each:
/// returning completes the callback, throwing tells that it could not be done, and `false` refuses. Three may overlap with
/// others and with each other: ``performFetch()``, ``handleTransferEvents(_:)`` and ``didReceiveNotifications(_:)``.
///
/// Each has a time limit, past which the supervisor ends the worker.
public protocol LifecycleDelegate: Sendable {
    /// What ``saveState()`` returns and ``restoreState(_:)`` takes; anything that is Codable.
    associatedtype State: Codable & Sendable = NoState

    /// What ``didEnterBackground()`` returns: nothing where a delegate has that method, and a type of its own where it has none.
    ///
    /// Inferred; it tells whether the worker can save itself before it sleeps.
    associatedtype EnteredBackground: Sendable = NotImplemented

    /// The callbacks that are wanted; by default all, but `didEnterBackground` only where the delegate has a method for it.
    ///
    /// A worker that wants `didEnterBackground` counts as one that saves there what must not be lost: when memory is short it may be
    /// ended in its sleep without a word. One that does not is woken, and told ``willTerminate()``.
    var callbacks: Set<CallbackName> { get }

    /// The process exists, and saved state has not been handed back yet.
    ///
    /// False refuses the launch's options.
    func willFinishLaunching(_ launch: Launch) async throws -> Bool
    /// The launch is over when this returns.
    ///
    /// False refuses the launch's options.
    func didFinishLaunching(_ launch: Launch) async throws -> Bool
    /// It is in use.
    func didBecomeActive() async throws
    /// It is about to be out of use.
    func willResignActive() async throws
    /// It has left the foreground: save what must not be lost, since a suspended worker may end without a word.
    func didEnterBackground() async throws -> EnteredBackground
    /// It is about to be in the foreground.
    func willEnterForeground() async throws
    /// It is about to end; `run` returns afterwards.
    ///
    /// Called once at most, whether the supervisor ends it or ``Worker/terminate()``.
    func willTerminate() async throws
    /// Memory is short, or critical: what can be had again should be given up.
    ///
    /// Called by the default of ``didReceiveMemoryWarning(_:)``; a delegate that has that method need not have this one.
    func didReceiveMemoryWarning() async throws
    /// Memory is short, critical, or no longer short: it tells which, and how much more the worker may take.
    func didReceiveMemoryWarning(_ warning: MemoryWarning) async throws
    /// The background time is nearly over; the background tasks have been cancelled.
    func backgroundTaskWillExpire() async throws
    /// Time to fetch what is new.
    func performFetch() async throws
    /// What was posted while it slept, or one notification.
    ///
    /// A notification may come twice, with the same topic and sequence.
    func didReceiveNotifications(_ notifications: [PostedNotification]) async throws
    /// Opens a URL; false when it is none of ours.
    func openURL(_ url: URL) async throws -> Bool
    /// Continues an activity; false when it is none of ours.
    func continueActivity(_ activity: ContinuedActivity) async throws -> Bool
    /// Transfers have ended.
    func handleTransferEvents(_ events: TransferEvents) async throws
    /// Protected data is about to go away.
    func protectedDataWillBecomeUnavailable() async throws
    /// Protected data is back.
    func protectedDataDidBecomeAvailable() async throws
    /// Midnight, another time zone, a clock that was set.
    func significantTimeChange() async throws
    /// Whether there is state to be saved; by default when ``State`` says what it is.
    func shouldSaveState() async throws -> Bool
    /// The state, to be handed back at the next launch.
    func saveState() async throws -> State
    /// The state that was saved, between willFinishLaunching and didFinishLaunching.
    func restoreState(_ state: State) async throws

    /// The worker slept that long, and its clocks have jumped; called before the callback that it woke up for.
    func wasSuspended(for duration: Duration) async
    /// A callback could not be answered: its time was over, the supervisor went away, or the state was refused.
    func answerWasLost(_ callback: CallbackName, _ error: WorkerError) async
}

/// What a callback returns that a delegate has no method for.
public struct NotImplemented: Hashable, Sendable {
    init() {}
}

/// The state of a worker that saves none.
public struct NoState: Codable, Hashable, Sendable {
    /// Nothing.
    public init() {}
}
