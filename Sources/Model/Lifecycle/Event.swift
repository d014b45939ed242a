/// A past fact, or somebody's wish.
///
/// What cannot mean anything where the worker stands is reported, never swallowed.
public enum Event: Hashable, Sendable {
    // Wishes.

    /// Somebody wants the worker in a state.
    case requested(Request)
    /// An operator wants it awake again: back to the last goal before suspension, and free of an outside hold.
    case resumeRequested(Requester)
    /// An operator wants it to have another process: the one it has ends the graceful way, and the goal stays.
    case restartRequested(Requester)
    /// An operator ends it by force.
    case forceQuit(Requester)
    /// A wake source wants it.
    case woken(Wake)
    /// Memory is short and this worker has been chosen.
    case evictionRequested(Eviction)
    /// An interruption began: it belongs in inactive until it is over.
    case interrupted
    /// The interruption is over.
    case interruptionEnded
    /// Something that every running worker hears of, one of `Event.announcements`.
    case announced(Callback)
    /// The worker's queue of notifications is no longer empty.
    case notificationsQueued
    /// It is in use (a connection is open), or has just ceased to be.
    case used(Bool)
    /// Another worker of its foreground group holds the foreground, or does so no longer (1.7).
    case foregroundTaken(Bool)
    /// Its definition changed.
    ///
    /// By reference: every event is as large as the largest one, and policies are large and rare.
    case policyChanged(SharedPolicy)
    /// State was saved, or dropped, by somebody else than this model.
    case savedState(Bool)

    // Facts of the process.

    /// The process exists; for an ordinary program execve succeeded.
    case launched(pid: Int32)
    /// No process came to be.
    case launchFailed(errno: Int32)
    /// The launch was ended on purpose before there was a process, since the worker was not wanted any more; nothing of it is left.
    case launchAbandoned
    /// The process ended and has been reaped.
    case exited(ExitStatus, oomKilled: Bool)
    /// Our freeze is confirmed.
    case frozen
    /// Our freeze did not succeed; the worker runs, and the freeze is tried again.
    case freezeFailed
    /// It must not be frozen as long as another worker that needs it is awake: it is asked for sleep again when that one sleeps.
    case freezeRefused
    /// Our thaw is confirmed.
    case thawed
    /// Somebody else stopped or froze it.
    case stoppedOutside
    /// Somebody else continued or thawed it.
    case continuedOutside
    /// What it holds that it must not hold asleep; nil is nothing.
    case inspected(HeldResource?)
    /// It has used more CPU in the background than it may.
    case cpuLimitExceeded
    /// What it has used of the processors by now; nil where that cannot be known.
    case cpuRead(CPUReading?)

    /// What runs when it is ready has failed: its launch is none, and it ends (`ExecStartPost=`).
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
    /// MAINPID=.
    case mainProcessChanged(pid: Int32)
    /// It attached to its socket and receives these callbacks.
    case attached(CallbackSet)
    /// Its connection went away.
    case detached
    /// A callback or an activity is over.
    case completed(id: UInt32, Completion)
    /// A background task begins.
    case taskBegan(token: UInt32, by: TaskHolder = .worker)
    /// A background task ends.
    case taskEnded(token: UInt32)

    // Time.

    /// A timer ran out. A traced worker is being debugged: nothing is ever due then (1.4).
    case expired(Timer, generation: UInt32, traced: Bool)
    /// Our own loop did not run for this long: every deadline moves (1.4).
    case stalled(TimeSpan)

    /// The callbacks that can be announced: those that no change of state brings.
    public static let announcements = CallbackSet([
        .didReceiveMemoryWarning, .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable,
        .significantTimeChange,
    ])
}

extension Event {
    /// Whether the event asks for a process: it launches a worker that does not run, and a worker that ends is launched again.
    public var wantsProcess: Bool {
        switch self {
        case .requested(let request): request.goal != .notRunning
        case .woken, .restartRequested: true
        default: false
        }
    }
}

/// Somebody wants the worker in a state.
public struct Request: Hashable, Sendable {
    /// Where.
    public let goal: Goal
    /// Who.
    public let requester: Requester
    /// What to tell the worker if it has to be started.
    public let reason: LaunchReason

    /// A wish for `goal` by `requester`.
    public init(_ goal: Goal, by requester: Requester, reason: LaunchReason = .operator) {
        self.goal = goal
        self.requester = requester
        self.reason = reason
    }
}

/// A wake source that fired: what it wants and what it brings.
public struct Wake: Hashable, Sendable {
    /// Why the worker is started, if it has to be.
    public let reason: LaunchReason
    /// Whether it is wanted in the foreground, or only to handle something in the background.
    public let intoForeground: Bool
    /// What it is to be given, if anything.
    public let inbound: Inbound?

    /// A wake for `reason`.
    public init(_ reason: LaunchReason, intoForeground: Bool, bringing inbound: Inbound? = nil) {
        self.reason = reason
        self.intoForeground = intoForeground
        self.inbound = inbound
    }
}

/// Something that a worker is to be given.
///
/// Its content stays with whoever made the id.
public struct Inbound: Hashable, Sendable {
    /// What kind of thing it is, and so how it is delivered.
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

        /// The callback that delivers it.
        public var callback: Callback {
            switch self {
            case .url: .openURL
            case .activity: .continueActivity
            case .notification, .silentNotification: .didReceiveNotifications
            case .fetch: .performFetch
            case .transfer: .handleTransferEvents
            }
        }

        /// Whether it waits for the foreground, and for the callback slot.
        var needsForeground: Bool {
            switch self {
            case .url, .activity, .notification: true
            case .fetch, .transfer, .silentNotification: false
            }
        }

        /// What a worker dies of that overstays it (1.4).
        var overrun: TerminationRecord.Cause {
            switch self {
            case .fetch: .fetch
            case .transfer: .transfer
            case .silentNotification, .url, .activity, .notification: .watchdog
            }
        }
    }

    /// The name by which its content is found.
    public let id: UInt32
    /// What it is.
    public let kind: Kind

    /// A thing of this kind.
    public init(id: UInt32, _ kind: Kind) {
        self.id = id
        self.kind = kind
    }
}

/// What a worker may not hold while it sleeps (2.5).
public enum HeldResource: String, Hashable, Sendable, CaseIterable {
    /// A device of `ReleaseInBackground=` is open.
    case device
    /// A file lock that somebody else waits for.
    case lock
}

/// What a worker has used of the processors, as one look at it tells.
public struct CPUReading: Hashable, Sendable {
    /// The processor time of all its processes since they began.
    public let used: TimeSpan
    /// Whether one of its processes runs at the moment of the look, or waits for a processor.
    public let isRunnable: Bool

    /// A look that has found this.
    public init(used: TimeSpan, isRunnable: Bool = false) {
        self.used = used
        self.isRunnable = isRunnable
    }
}

/// The holder of a background task, which decides what becomes of a task that lasts too long (1.4).
public enum TaskHolder: Hashable, Sendable {
    /// The worker: its tasks share the background time, and outlasting that costs its life.
    case worker
    /// Another program, such as `torpor hold`: the task lasts as long as its holder wants, or to this limit, and never costs the
    /// worker's life.
    case other(limit: TimeSpan?)
}

/// A choice of the memory policy (2.3).
public struct Eviction: Hashable, Sendable {
    /// Who chose: `.memoryPressure` or `.memoryLimit`.
    public let requester: Requester
    /// What the pressure allows willTerminate to take; nil is the worker's own limit.
    public let grace: TimeSpan?

    /// An eviction by `requester`.
    public init(by requester: Requester, grace: TimeSpan? = nil) {
        self.requester = requester
        self.grace = grace
    }
}

/// What can come due, at most one of each at a time.
public enum Timer: Hashable, Sendable {
    /// The launch, from process start to didFinishLaunching complete.
    case launch
    /// The callback in flight.
    case callback
    /// The background tasks: their warning first, then their end.
    case backgroundTasks
    /// A time that EXTEND_TIMEOUT_USEC asked for in the background.
    case grace
    /// A fetch, a transfer or a notification handled in the background, by its delivery.
    case activity(UInt32)
    /// The watchdog.
    case watchdog
    /// The idle delay.
    case idle
    /// A look at whether the worker is quiet (1.3).
    case quiet
    /// The limit of a task that is not the worker's own, by its token.
    case hold(UInt32)
    /// A stage of the end: willTerminate, the stop signal, SIGKILL.
    case ending
    /// The delay before a restart.
    case backoff
    /// The delay before it is tried again to freeze a worker that could not be frozen.
    case freeze
}
