/// A past fact or a request.
///
/// An event that has no meaning in the worker's state is reported, never ignored.
public enum Event: Hashable, Sendable {
    // Requests.

    /// A request for a state.
    case requested(Request)
    /// An operator resumes it: back to the last goal before suspension, and out of an external stop.
    case resumeRequested(Requester)
    /// An operator restarts it: the current process is stopped gracefully, and the goal stays.
    case restartRequested(Requester)
    /// An operator force-quits it.
    case forceQuit(Requester)
    /// A wake source fired.
    case woken(Wake)
    /// Memory is short and this worker was chosen for eviction.
    case evictionRequested(Eviction)
    /// An interruption began: the worker is inactive until it is over.
    case interrupted
    /// The interruption is over.
    case interruptionEnded
    /// A callback to every running worker, one of `Event.announcements`.
    case announced(Callback)
    /// The worker's queue of notifications is no longer empty.
    case notificationsQueued
    /// Notifications wait that are delivered in the foreground, or on the way there.
    case foregroundNotificationsQueued
    /// It is in use (a connection is open), or no longer in use.
    case used(Bool)
    /// Another worker of its foreground group holds the foreground, or no longer holds it.
    case foregroundTaken(Bool)
    /// Its definition changed.
    ///
    /// By reference: every event is as large as the largest one, and policies are large and rare.
    case policyChanged(SharedPolicy)
    /// State was saved or discarded outside this model.
    case savedState(Bool)

    /// The machine has no more time for the long work that it does.
    case processingRevoked

    // Facts of the process.

    /// The process exists; for an ordinary program execve succeeded.
    case launched(pid: Int32)
    /// No process could be started.
    case launchFailed(errno: Int32)
    /// The launch was cancelled before there was a process, since the worker is no longer needed; nothing remains of it.
    case launchAbandoned
    /// The process ended and has been reaped.
    case exited(ExitStatus, oomKilled: Bool)
    /// The requested freeze is complete.
    case frozen
    /// The requested freeze failed; the worker runs, and the freeze is retried.
    case freezeFailed
    /// It must not be frozen while another worker that requires it is awake; the suspend is requested again when that one sleeps.
    case freezeRefused
    /// The requested thaw is complete.
    case thawed
    /// Another program stopped or froze it.
    case stoppedOutside
    /// Another program continued or thawed it.
    case continuedOutside
    /// The resource that it must not hold while suspended; nil if there is none.
    case inspected(HeldResource?)
    /// It has used more CPU in the background than it may.
    case cpuLimitExceeded
    /// Its CPU usage so far; nil if unknown.
    case cpuRead(CPUReading?)
    /// Its latest use, as `inspectUse` asked.
    case usedLast(LastUse)

    /// A command of `ExecStartPost=` failed: the launch fails, and the worker ends.
    case startFailed

    // What the worker says.

    /// READY=1.
    case ready
    /// RELOADING=1.
    case reloading
    /// STOPPING=1.
    case stopping
    /// EXTEND_TIMEOUT_USEC=, counted from now.
    case extendTimeout(TimeSpan)
    /// WATCHDOG=1.
    case watchdogPinged
    /// WATCHDOG=trigger.
    case watchdogTriggered
    /// WATCHDOG_USEC=; nil switches it off.
    case watchdogChanged(TimeSpan?)
    /// X_TORPOR_IN_USE=, or SetInUse of its socket: whether it is in use, as it knows itself.
    case saidInUse(Bool)
    /// MAINPID=.
    case mainProcessChanged(pid: Int32)
    /// It attached to its socket and receives these callbacks.
    case attached(CallbackSet)
    /// Its connection was closed.
    case detached
    /// A callback or an activity is over.
    case completed(id: UInt32, Completion)
    /// A background task begins.
    case taskBegan(token: UInt32, by: TaskHolder = .worker)
    /// A background task ends.
    case taskEnded(token: UInt32)

    // Time.

    /// A timer expired. A traced worker is being debugged: no deadline applies then.
    case expired(Timer, generation: UInt32, traced: Bool)
    /// The supervisor's loop did not run for this time: all deadlines are extended.
    case stalled(TimeSpan)

    /// The callbacks that can be announced: those that are not caused by a change of state.
    public static let announcements = CallbackSet([
        .didReceiveMemoryWarning, .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable,
        .significantTimeChange,
    ])
}

extension Event {
    /// Whether the event requires a process: it launches a worker that is not running, and relaunches one that is ending.
    public var wantsProcess: Bool {
        switch self {
        case .requested(let request): request.goal != .notRunning
        case .woken, .restartRequested: true
        default: false
        }
    }
}

/// A request for a state.
public struct Request: Hashable, Sendable {
    /// The requested goal.
    public let goal: Goal
    /// The requester.
    public let requester: Requester
    /// The launch reason, if the worker has to be launched.
    public let reason: LaunchReason

    /// Creates a request for `goal` by `requester`.
    public init(_ goal: Goal, by requester: Requester, reason: LaunchReason = .operator) {
        self.goal = goal
        self.requester = requester
        self.reason = reason
    }
}

/// A wake source that fired, with its content.
public struct Wake: Hashable, Sendable {
    /// The launch reason, if the worker has to be launched.
    public let reason: LaunchReason
    /// Whether the wake is into the foreground, or only for work in the background.
    public let intoForeground: Bool
    /// The content to deliver, if any.
    public let inbound: Inbound?

    /// Creates a wake for `reason`.
    public init(_ reason: LaunchReason, intoForeground: Bool, bringing inbound: Inbound? = nil) {
        self.reason = reason
        self.intoForeground = intoForeground
        self.inbound = inbound
    }
}

/// Content to deliver to a worker.
///
/// The creator of the id keeps the content.
public struct Inbound: Hashable, Sendable {
    /// The kind of content, which determines its delivery.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A URL: in the foreground, in the callback slot.
        case url
        /// An activity handed over: likewise.
        case activity
        /// A user-facing notification: likewise.
        case notification
        /// A background fetch: an activity with its own deadline.
        case fetch
        /// The events of a transfer: likewise.
        case transfer
        /// A notification handled in the background: likewise.
        case silentNotification
        /// Time for long work: likewise, and told before the deadline.
        case processing

        /// The callback that delivers it.
        public var callback: Callback {
            switch self {
            case .url: .openURL
            case .activity: .continueActivity
            case .notification, .silentNotification: .didReceiveNotifications
            case .fetch: .performFetch
            case .transfer: .handleTransferEvents
            case .processing: .performProcessing
            }
        }

        /// Whether it waits for the foreground and for the callback slot.
        var needsForeground: Bool {
            switch self {
            case .url, .activity, .notification: true
            case .fetch, .transfer, .silentNotification, .processing: false
            }
        }

        /// The termination cause of a worker that exceeds its deadline.
        var overrun: TerminationRecord.Cause {
            switch self {
            case .fetch: .fetch
            case .transfer: .transfer
            case .processing: .backgroundTask
            case .silentNotification, .url, .activity, .notification: .watchdog
            }
        }
    }

    /// The id of the content.
    public let id: UInt32
    /// The kind.
    public let kind: Kind

    /// Creates content of this kind.
    public init(id: UInt32, _ kind: Kind) {
        self.id = id
        self.kind = kind
    }
}

/// A resource that a worker must not hold while suspended, or not in the background either.
public enum HeldResource: String, Hashable, Sendable, CaseIterable {
    /// A device of `ReleaseInBackground=` is open.
    case device
    /// The same of a device that must be closed in the background too (`ReleaseInBackground=…:always`).
    case backgroundDevice
    /// A file lock that another process waits for.
    case lock
}

/// One reading of a worker's CPU usage.
public struct CPUReading: Hashable, Sendable {
    /// The CPU time of all its processes since their start.
    public let used: TimeSpan
    /// Whether one of its processes is runnable at the time of the reading.
    public let isRunnable: Bool

    /// Creates a reading.
    public init(used: TimeSpan, isRunnable: Bool = false) {
        self.used = used
        self.isRunnable = isRunnable
    }
}

/// When a worker was used last.
public struct LastUse: Hashable, Sendable {
    /// The moment, any that is still to come for a use that lasts; nil if there was none.
    public let at: Instant?
    /// Whether that is one exchange on an old connection, for which it was woken: a ping.
    public let isExchange: Bool

    /// Creates an answer.
    public init(at: Instant?, isExchange: Bool = false) {
        self.at = at
        self.isExchange = isExchange
    }
}

/// The holder of a background task, which determines what happens when the task lasts too long.
public enum TaskHolder: Hashable, Sendable {
    /// The worker: its tasks share the background time, and the worker is killed when they exceed it.
    case worker
    /// Another program, such as `torpor hold`: the task lasts until the holder ends it, or to this limit, and the worker is never
    /// killed for it.
    case other(limit: TimeSpan?)
}

/// An eviction chosen by the memory policy.
public struct Eviction: Hashable, Sendable {
    /// The requester: `.memoryPressure` or `.memoryLimit`.
    public let requester: Requester
    /// The time that the memory pressure allows for willTerminate; nil is the worker's own limit.
    public let grace: TimeSpan?

    /// Creates an eviction by `requester`.
    public init(by requester: Requester, grace: TimeSpan? = nil) {
        self.requester = requester
        self.grace = grace
    }
}

/// The timers of a worker, at most one of each kind.
public enum Timer: Hashable, Comparable, Sendable {
    /// The launch, from process start to didFinishLaunching complete.
    case launch
    /// The callback in flight.
    case callback
    /// The background tasks: their warning first, then their end.
    case backgroundTasks
    /// The time requested by EXTEND_TIMEOUT_USEC in the background.
    case grace
    /// A fetch, a transfer or a notification handled in the background, by its delivery.
    case activity(UInt32)
    /// The watchdog.
    case watchdog
    /// The idle delay.
    case idle
    /// A check whether the worker is quiet.
    case quiet
    /// The limit of a task with an external holder, by its token.
    case hold(UInt32)
    /// A stage of the stop: willTerminate, the stop signal, SIGKILL.
    case ending
    /// The delay before a restart.
    case backoff
    /// The delay before a failed freeze is retried.
    case freeze
}
