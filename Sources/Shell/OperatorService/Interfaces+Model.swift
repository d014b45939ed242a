internal import ControlAPI
internal import Lifecycle
internal import Notifications
internal import Pressure

// The values of the interfaces' enumerations that the model has too, under the same names: the compiler compares the short lists, a
// test all of them.

extension WorkerInterface.CallbackName {
    init(_ callback: Callback) { self = .init(rawValue: callback.rawValue) ?? .willTerminate }
}

extension CallbackSet {
    /// The callbacks of these names; all of them without names.
    init(_ names: [WorkerInterface.CallbackName]?) {
        self = names.map { Self($0.compactMap { Callback(rawValue: $0.rawValue) }) } ?? .all
    }
}

extension SupervisorInterface.LaunchReason {
    init(_ reason: Lifecycle.LaunchReason) { self = .init(rawValue: reason.rawValue) ?? .operator }
}

extension SupervisorInterface.NotRunningReason {
    init(_ reason: RestReason) {
        self =
            switch reason {
            case .neverLaunched: .neverLaunched
            case .exited: .exited
            case .evicted: .evicted
            case .forceQuit: .forceQuit
            case .failed: .failed
            case .backingOff: .backingOff
            }
    }
}

extension SupervisorInterface.State {
    init(_ state: Lifecycle.State) {
        self =
            switch state {
            case .notRunning: .notRunning
            case .inactive: .inactive
            case .active: .active
            case .background: .background
            case .suspended: .suspended
            }
    }
}

extension SupervisorInterface.Goal {
    init(_ goal: Lifecycle.Goal) {
        self =
            switch goal {
            case .notRunning: .notRunning
            case .inactive: .inactive
            case .active: .active
            case .background: .background
            case .suspended: .suspended
            }
    }
}

extension WorkerInterface.MemoryLevel {
    init(_ level: PressureLevel) {
        self =
            switch level {
            case .normal: .normal
            case .warning: .warning
            case .critical: .critical
            }
    }
}

extension MergeRule {
    init(_ rule: SupervisorInterface.MergeRule) {
        self =
            switch rule {
            case .latest: .latest
            case .net: .net
            case .set: .set
            case .count: .count
            case .each: .each
            }
    }
}

extension SupervisorInterface.MergeRule {
    init(_ rule: MergeRule) {
        self =
            switch rule {
            case .latest: .latest
            case .net: .net
            case .set: .set
            case .count: .count
            case .each: .each
            }
    }
}
