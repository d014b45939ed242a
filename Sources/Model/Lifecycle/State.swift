/// The state of a worker: what it may do now (torpor-lifecycle(7)).
public enum State: String, Hashable, Sendable, CaseIterable {
    /// No process; the supervisor holds the wake sources.
    case notRunning
    /// Runs code and receives no input; every transition passes through this state.
    case inactive
    /// Runs code and receives input.
    case active
    /// Runs code on a budget.
    case background
    /// Runs no code, keeps its memory.
    case suspended

    /// Whether a process exists in this state.
    ///
    /// A suspended worker is running.
    public var isRunning: Bool { self != .notRunning }

    /// Whether the worker is in the foreground: inactive or active.
    public var isForeground: Bool { self == .inactive || self == .active }
}

/// The goal of a worker; the model takes one legal transition at a time towards it.
public enum Goal: String, Hashable, Sendable, CaseIterable {
    /// In the foreground, in use.
    case active
    /// In the foreground, inactive: an operator's `resign`, until `activate`.
    case inactive
    /// In the background, and kept there.
    case background
    /// Suspended, through the background; also requested by idleness, hand-over and system sleep.
    case suspended
    /// Ended, gracefully if the worker has a receiver.
    case notRunning

    /// The state in which the goal is reached.
    public var state: State {
        switch self {
        case .active: .active
        case .inactive: .inactive
        case .background: .background
        case .suspended: .suspended
        case .notRunning: .notRunning
        }
    }

    /// Whether a worker with this goal belongs in the foreground.
    package var isForeground: Bool { state.isForeground }
}

/// Why a worker has no process (1.1: `notRunning` carries why).
public enum RestReason: String, Hashable, Sendable, CaseIterable {
    /// It was never launched.
    case neverLaunched
    /// It exited by itself or on request, and is not restarted.
    case exited
    /// It was evicted and comes back with the next event.
    case evicted
    /// An operator force-quit it; background events do not bring it back.
    case forceQuit
    /// It failed, and its restart policy does not restart it.
    case failed
    /// It failed and will be restarted after the delay.
    case backingOff
}

/// The requester of a goal.
public enum Requester: Hashable, Sendable {
    /// A person or program at the control socket or terminal.
    case `operator`(uid: UInt32, pid: Int32)
    /// The worker itself.
    case worker
    /// Its idle delay expired.
    case idle
    /// Another worker of its foreground group took the foreground.
    case handOver
    /// The state of a worker related by a dependency or `OnFailure=` changed.
    case dependency
    /// The system goes to sleep or shuts down.
    case machine
    /// Memory is short.
    case memoryPressure
    /// It exceeded its own `MemoryMax=`.
    case memoryLimit
    /// A wake source: connection, URL, schedule, path, device.
    case wakeSource
    /// The supervisor: boot, restart, the worker's own definition.
    case supervisor

    /// Whether the requester is an operator: such a request lifts a force-quit and resets the start limit.
    public var isOperator: Bool {
        if case .operator = self { true } else { false }
    }
}

/// Why a process was started.
public enum LaunchReason: String, Hashable, Sendable, CaseIterable {
    /// An operator requested it.
    case `operator`
    /// The supervisor started.
    case boot
    /// A connection on a held socket.
    case socket
    /// A URL was opened.
    case url
    /// A user-facing post.
    case notification
    /// A silent post.
    case silentNotification
    /// A scheduled post is due.
    case schedule
    /// A background fetch is due.
    case fetch
    /// A watched path changed.
    case path
    /// A device appeared or disappeared.
    case device
    /// An activity was handed over.
    case activity
    /// A transfer ended.
    case transfer
    /// It ended and is restarted.
    case restart
    /// It was evicted and is needed again.
    case restore
    /// Prelaunch (`Launch=prelaunch`).
    case prelaunch
    /// Another worker, which names it in `OnFailure=`, failed for good.
    case failure
    /// It is a good time for long work.
    case processing
}
