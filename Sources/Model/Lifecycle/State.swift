/// What a worker is allowed to do right now (1.1 States).
public enum State: String, Hashable, Sendable, CaseIterable {
    /// No process; wake sources are held by the supervisor.
    case notRunning
    /// Runs code, is given no input; every change passes through it.
    case inactive
    /// Runs code and is given input.
    case active
    /// Runs code on a budget.
    case background
    /// Runs no code, keeps its memory.
    case suspended

    /// Whether a process exists in this state.
    ///
    /// A suspended worker is running (1.8).
    public var isRunning: Bool { self != .notRunning }

    /// Whether the worker is one that somebody looks at: inactive or active.
    public var isForeground: Bool { self == .inactive || self == .active }
}

/// Where a worker is wanted; the model walks there one legal step at a time (1.2).
public enum Goal: String, Hashable, Sendable, CaseIterable {
    /// In the foreground, in use.
    case active
    /// In the foreground, out of use: an operator's `resign`, until `activate`.
    case inactive
    /// In the background, and held there.
    case background
    /// Asleep, through the background; what idleness, hand-over and machine sleep ask for.
    case suspended
    /// Ended, gracefully where the worker can be told.
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
    var isForeground: Bool { state.isForeground }
}

/// Why a worker has no process (1.1: `notRunning` carries why).
public enum RestReason: String, Hashable, Sendable, CaseIterable {
    /// Nobody has wanted it yet.
    case neverLaunched
    /// It ended by itself, or because it was asked to, and is not restarted.
    case exited
    /// It was shed for memory and comes back by the next event.
    case evicted
    /// An operator ended it by force; background events do not bring it back.
    case forceQuit
    /// It failed, and its restart policy has given up or never wanted to.
    case failed
    /// It failed and will be started again when its delay is over.
    case backingOff
}

/// Who or what asked for a goal.
public enum Requester: Hashable, Sendable {
    /// A person or program at the control socket or terminal.
    case `operator`(uid: UInt32, pid: Int32)
    /// The worker itself.
    case worker
    /// Its idle delay ran out.
    case idle
    /// Another worker of its foreground group took the foreground (1.7).
    case handOver
    /// A worker that requires or wants it, that it requires, or that names it in `OnFailure=`, has moved.
    case dependency
    /// The machine goes to sleep or shuts down.
    case machine
    /// Memory is short (2.3).
    case memoryPressure
    /// It is over its own `MemoryMax=` (2.3).
    case memoryLimit
    /// A wake source: connection, URL, schedule, path, device.
    case wakeSource
    /// The supervisor: boot, restart, the worker's own definition.
    case supervisor

    /// Whether a person asked: what an operator asks for lifts a bar and resets a start limit.
    public var isOperator: Bool {
        if case .operator = self { true } else { false }
    }
}

/// Why a process was started (1.6 Launch reasons).
public enum LaunchReason: String, Hashable, Sendable, CaseIterable {
    /// An operator asked.
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
    /// A local notification came due.
    case schedule
    /// A background fetch came due.
    case fetch
    /// A watched path changed.
    case path
    /// A device came or went.
    case device
    /// An activity was handed over.
    case activity
    /// A transfer ended.
    case transfer
    /// It crashed before.
    case restart
    /// It was evicted before and is wanted again.
    case restore
    /// The warm pool.
    case prelaunch
    /// Another worker, which names it in `OnFailure=`, failed for good.
    case failure
}
