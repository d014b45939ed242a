internal import ConfigurationSyntax
package import Lifecycle

/// How a worker says that it is ready, and which rules of time it lives by.
package enum WorkerType: String, Keyword, Sendable {
    /// Ready when execve(2) succeeded.
    case simple
    /// The same: no launch here is told to be complete before that.
    case exec
    /// Ready when its commands have ended, one after the other.
    case oneshot
    /// Ready by sd_notify(3).
    case notify
    /// The whole contract, over the worker socket.
    case app
}

/// Whose notifications count, as in systemd.service(5).
package enum NotifyAccess: String, Keyword, Sendable {
    /// No process's.
    case none
    /// The main process's.
    case main
    /// The main process's and those of commands we start for the worker.
    case exec
    /// Those of every process in its group.
    case all

    /// Why a notification does not count, and what would have it count, for a worker whose main process is `main`.
    package func reason(main: Int32) -> String {
        switch self {
        case .none: "NotifyAccess=none accepts none"
        case .main:
            "NotifyAccess=main accepts only those of the main process \(main); NotifyAccess=all accepts those of every process"
        case .exec:
            "NotifyAccess=exec accepts only those of the main process \(main) and of hooks; NotifyAccess=all accepts those of every process"
        case .all: "it does not belong to the worker"
        }
    }
}

/// When a worker is launched.
package enum LaunchMode: String, Keyword, Sendable {
    /// With the supervisor, into the foreground.
    case boot
    /// With the supervisor, into the background.
    case bootBackground = "boot-background"
    /// When something wants it.
    case onDemand = "on-demand"
    /// With the supervisor, and suspended at once.
    case prelaunch
}

/// After which ends a worker is launched again; the table is in systemd.service(5).
package enum RestartPolicy: String, Keyword, Sendable {
    /// After none.
    case no
    /// After every one.
    case always
    /// After a clean exit.
    case onSuccess = "on-success"
    /// After an unclean exit, a signal, a timeout or the watchdog.
    case onFailure = "on-failure"
    /// After a signal, a timeout or the watchdog.
    case onAbnormal = "on-abnormal"
    /// After the watchdog.
    case onWatchdog = "on-watchdog"
    /// After an unclean signal.
    case onAbort = "on-abort"
}

/// What may run a worker, or keep it running, in the background.
package enum BackgroundMode: String, Keyword, Sendable {
    /// It is never suspended.
    case continuous
    /// It is woken every `FetchIntervalSec=`.
    case fetch
    /// Silent posts wake it.
    case remoteNotification = "remote-notification"
    /// It is given time for long work when the machine has nothing else to do.
    case processing
    /// The end of a transfer wakes it.
    case transfer
    /// A device wakes it.
    case device
    /// A changed path wakes it.
    case path
}

/// What happens to a worker that would sleep on a lock for which another process waits.
package enum HeldLocks: String, Keyword, Sendable {
    /// A line in the log.
    case warn
    /// It is killed with `0xdead10cc`.
    case kill
    /// Nothing.
    case ignore
}

/// Which connections keep a worker awake.
package enum IdleCondition: String, Keyword, Sendable {
    /// Those on which data has passed within `IdleSec=`.
    case quiet
    /// All that are open.
    case unconnected
}

/// What happens to a worker that is idle.
package enum IdleAction: String, Keyword, Sendable {
    /// It is suspended.
    case act
    /// It is only reported that it would be suspended.
    case observe
}

/// How a worker may be evicted.
package enum Evictability: String, Keyword, Sendable {
    /// Without a word while it is suspended.
    case silent
    /// With willTerminate.
    case graceful
    /// Never.
    case no
}

/// The callbacks, which `[Callbacks]` has keys for; their raw values are the names that workers receive.
package typealias CallbackName = Callback

extension Callback {
    /// The callback of this name.
    package init(_ name: CallbackName) { self = name }

    /// The directive's key: the name with a capital (`DidEnterBackground`).
    package var key: String {
        rawValue.prefix(1).uppercased() + rawValue.dropFirst()
    }
}
