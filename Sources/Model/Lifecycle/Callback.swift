/// A callback to a worker (torpor-lifecycle(7)).
public enum Callback: String, Hashable, Sendable, CaseIterable {
    /// The process exists; saved state has not been restored yet.
    case willFinishLaunching
    /// The launch is complete.
    case didFinishLaunching
    /// The worker is active.
    case didBecomeActive
    /// The worker is about to become inactive; the state is still active.
    case willResignActive
    /// The worker left the foreground; the state is already background.
    case didEnterBackground
    /// The worker is about to enter the foreground; the state is still background.
    case willEnterForeground
    /// The worker is about to end.
    case willTerminate
    /// Memory is short.
    case didReceiveMemoryWarning
    /// The background time is nearly over.
    case backgroundTaskWillExpire
    /// A background fetch is due.
    case performFetch
    /// The queued notifications, or a single one.
    case didReceiveNotifications
    /// A URL to open.
    case openURL
    /// An activity to continue.
    case continueActivity
    /// Transfers that ended.
    case handleTransferEvents
    /// Protected data is about to become unavailable.
    case protectedDataWillBecomeUnavailable
    /// Protected data is available again.
    case protectedDataDidBecomeAvailable
    /// Midnight, a change of the time zone, or a clock that was set.
    case significantTimeChange
    /// Asks whether there is state to save.
    case shouldSaveState
    /// Requests the state to save.
    case saveState
    /// Restores the saved state.
    case restoreState
    /// Long work may be done now: the machine has time for it.
    case performProcessing
}

/// A set of callbacks, stored as one number.
public struct CallbackSet: OptionSet, Hashable, Sendable {
    /// One bit for each case of `Callback`, in the order of their declaration.
    public let rawValue: UInt32

    /// The set with these bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The set of `callbacks`.
    public init(_ callbacks: some Sequence<Callback>) {
        rawValue = callbacks.reduce(0) { $0 | 1 << $1.bit }
    }

    /// Every callback.
    public static let all = CallbackSet(Callback.allCases)

    /// Whether `callback` is in the set.
    public func contains(_ callback: Callback) -> Bool { rawValue & 1 << callback.bit != 0 }

    /// The first callback of the set, in the order of their declaration.
    var first: Callback? { isEmpty ? nil : Callback.allCases.first { contains($0) } }

    mutating func insert(_ callback: Callback) { self = CallbackSet(rawValue: rawValue | 1 << callback.bit) }

    mutating func remove(_ callback: Callback) {
        self = CallbackSet(rawValue: rawValue & ~(1 << callback.bit))
    }
}

extension Callback {
    /// Whether it announces that protected data is available; nil for other callbacks.
    var dataAvailability: Bool? {
        switch self {
        case .protectedDataDidBecomeAvailable: true
        case .protectedDataWillBecomeUnavailable: false
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
            .didEnterBackground, .willEnterForeground, .willTerminate, .didReceiveMemoryWarning,
            .backgroundTaskWillExpire, .performFetch, .didReceiveNotifications, .openURL, .continueActivity,
            .handleTransferEvents, .significantTimeChange, .shouldSaveState, .saveState, .restoreState,
            .performProcessing:
            nil
        }
    }

    /// The position in a `CallbackSet`.
    var bit: UInt32 {
        switch self {
        case .willFinishLaunching: 0
        case .didFinishLaunching: 1
        case .didBecomeActive: 2
        case .willResignActive: 3
        case .didEnterBackground: 4
        case .willEnterForeground: 5
        case .willTerminate: 6
        case .didReceiveMemoryWarning: 7
        case .backgroundTaskWillExpire: 8
        case .performFetch: 9
        case .didReceiveNotifications: 10
        case .openURL: 11
        case .continueActivity: 12
        case .handleTransferEvents: 13
        case .protectedDataWillBecomeUnavailable: 14
        case .protectedDataDidBecomeAvailable: 15
        case .significantTimeChange: 16
        case .shouldSaveState: 17
        case .saveState: 18
        case .restoreState: 19
        case .performProcessing: 20
        }
    }
}

/// The result of a callback.
public enum Completion: String, Hashable, Sendable, CaseIterable {
    /// The worker completed it, or accepted.
    case done
    /// The worker refused: the launch options, or it has nothing to save.
    case refused
    /// The hook failed or the connection was closed.
    case failed
}

extension Callback {
    /// The callback that tells whether protected data is there.
    package static func protectedData(isAvailable: Bool) -> Callback {
        isAvailable ? .protectedDataDidBecomeAvailable : .protectedDataWillBecomeUnavailable
    }
}
