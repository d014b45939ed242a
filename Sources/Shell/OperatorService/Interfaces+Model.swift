package import ControlAPI
package import Lifecycle
package import Notifications
package import Pressure

// The values of the interfaces' enumerations that the model has too, under the same names: the compiler compares the short lists, a
// test all of them.

extension WorkerInterface.CallbackName {
    package init(_ callback: Callback) { self = .init(rawValue: callback.rawValue) ?? .willTerminate }
}

extension CallbackSet {
    /// The callbacks of these names; all of them without names.
    package init(_ names: [WorkerInterface.CallbackName]?) {
        self = names.map { Self($0.compactMap { Callback(rawValue: $0.rawValue) }) } ?? .all
    }
}

extension SupervisorInterface.LaunchReason {
    package init(_ reason: Lifecycle.LaunchReason) { self = .init(rawValue: reason.rawValue) ?? .operator }
}

extension SupervisorInterface.NotRunningReason {
    package init(_ reason: RestReason) {
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
    package init(_ state: Lifecycle.State) {
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
    package init(_ goal: Lifecycle.Goal) {
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
    package init(_ level: PressureLevel) {
        self =
            switch level {
            case .normal: .normal
            case .warning: .warning
            case .critical: .critical
            }
    }
}

extension MergeRule {
    package init(_ rule: SupervisorInterface.MergeRule) {
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
    package init(_ rule: MergeRule) {
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
