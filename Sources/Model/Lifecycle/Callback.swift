/// What a worker can be told (1.3 Callbacks).
public enum Callback: String, Hashable, Sendable, CaseIterable {
    /// The process exists; saved state has not been handed back yet.
    case willFinishLaunching
    /// The launch is over.
    case didFinishLaunching
    /// It is in use.
    case didBecomeActive
    /// It is about to be out of use; the state still reads active.
    case willResignActive
    /// It left the foreground; the state already reads background.
    case didEnterBackground
    /// It is about to be in the foreground; the state still reads background.
    case willEnterForeground
    /// It is about to end.
    case willTerminate
    /// Memory is short.
    case didReceiveMemoryWarning
    /// Its background time is nearly over.
    case backgroundTaskWillExpire
    /// Time to fetch what is new.
    case performFetch
    /// The flushed queue, or one notification.
    case didReceiveNotifications
    /// A URL to open.
    case openURL
    /// An activity to continue.
    case continueActivity
    /// Transfers that ended.
    case handleTransferEvents
    /// Protected data is about to go away.
    case protectedDataWillBecomeUnavailable
    /// Protected data is back.
    case protectedDataDidBecomeAvailable
    /// Midnight, a zone change, a clock set.
    case significantTimeChange
    /// Asks whether state shall be saved.
    case shouldSaveState
    /// Asks for the state.
    case saveState
    /// Hands the saved state back.
    case restoreState
}

/// A set of callbacks, as small as a number: which ones have a receiver.
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
    /// Whether it says that protected data is available; nil for what says nothing of that.
    var dataAvailability: Bool? {
        switch self {
        case .protectedDataDidBecomeAvailable: true
        case .protectedDataWillBecomeUnavailable: false
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
            .didEnterBackground, .willEnterForeground, .willTerminate, .didReceiveMemoryWarning,
            .backgroundTaskWillExpire, .performFetch, .didReceiveNotifications, .openURL, .continueActivity,
            .handleTransferEvents, .significantTimeChange, .shouldSaveState, .saveState, .restoreState:
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
        }
    }
}

/// How a callback ended.
public enum Completion: String, Hashable, Sendable, CaseIterable {
    /// The worker has done it, or answered yes.
    case done
    /// The worker answered no: it refuses its launch options, or has nothing to save.
    case refused
    /// Its hook failed or its connection went away.
    case failed
}
