/// The settings of one worker that the model uses, including all time rules.
public struct Policy: Hashable, Sendable {
    /// When a launch is complete (`Type=`).
    public enum Readiness: String, Hashable, Sendable, CaseIterable {
        /// When execve succeeded (`Type=simple`).
        case exec
        /// When READY=1 came (`Type=notify`).
        case notify
        /// When the worker has attached to its socket and taken didFinishLaunching (`Type=app`).
        case app
        /// When its process has ended (`Type=oneshot`): it is launching for as long as it runs.
        case exit
    }

    /// How a worker may be evicted (`Evictable=`).
    public enum Evictable: String, Hashable, Sendable, CaseIterable {
        /// Silently, when suspended.
        case silent
        /// Only with willTerminate.
        case graceful
        /// Never.
        case no
    }

    /// What happens to a suspended worker that holds a lock for which another process waits.
    public enum HeldResources: String, Hashable, Sendable, CaseIterable {
        /// Locks are not checked.
        case ignore
        /// A warning is logged, and the worker sleeps.
        case warn
        /// The worker is killed with `0xdead10cc`.
        case kill
    }

    /// When its launch counts as complete.
    public var readiness: Readiness
    /// The callbacks that have a hook in the worker's file.
    public var hooks: CallbackSet
    /// Those of them that complete `immediately`, which proves nothing.
    public var immediateHooks: CallbackSet
    /// When a worker that cannot report completion counts as done; nil: at once.
    public var quiet: QuietPolicy?
    /// The deadlines.
    public var limits: Limits
    /// What an overrun callback causes: an app is killed; for a daemon a warning is logged and the callback abandoned.
    public var killsOverrun: Bool
    /// What an overrun didEnterBackground causes: an app is killed, a daemon only stays awake.
    public var killsOverrunInBackground: Bool
    /// When and how often it is restarted.
    public var restart: RestartPolicy
    /// How it may be evicted; nil is the default, which depends on a receiver of didEnterBackground.
    public var evictable: Evictable?
    /// Whether a suspended worker that may be evicted silently is nevertheless woken to be stopped.
    public var wakesToStop: Bool
    /// An app without multitasking: it terminates where it would enter background.
    public var exitsOnSuspend: Bool
    /// The `continuous` background mode: it is never suspended for idleness.
    public var runsContinuously: Bool
    /// Whether a background launch or wake ends with didEnterBackground too.
    public var tellsBackgroundAfterWake: Bool
    /// What happens when it holds a lock at suspension that it should not (`HeldLocks=`).
    public var heldResources: HeldResources
    /// The announced callbacks that wait until it is on its way to the foreground.
    public var foregroundAnnouncements = CallbackSet([])
    /// Whether it has to close devices before it sleeps (`ReleaseInBackground=`): one that has not is killed.
    public var releasesDevices: Bool
    /// Whether some of them must be closed as soon as it is in the background (`ReleaseInBackground=…:always`).
    public var releasesDevicesInBackground = false
    /// The idle delay and its damping; nil never suspends for idleness.
    public var idle: IdlePolicy?
    /// The maximum number of concurrent background tasks, extensions and activities.
    public var mostTasks: Int

    /// Creates a policy with the defaults of an ordinary daemon.
    public init(
        readiness: Readiness = .exec, hooks: CallbackSet = [], immediateHooks: CallbackSet = [],
        quiet: QuietPolicy? = nil, limits: Limits = .daemon,
        killsOverrun: Bool = true, killsOverrunInBackground: Bool = false, restart: RestartPolicy = .init(),
        evictable: Evictable? = nil, wakesToStop: Bool = false,
        exitsOnSuspend: Bool = false, runsContinuously: Bool = false, tellsBackgroundAfterWake: Bool = false,
        heldResources: HeldResources = .ignore, releasesDevices: Bool = false, idle: IdlePolicy? = nil,
        mostTasks: Int = 256
    ) {
        self.readiness = readiness
        self.hooks = hooks
        self.immediateHooks = immediateHooks
        self.quiet = quiet
        self.limits = limits
        self.killsOverrun = killsOverrun
        self.killsOverrunInBackground = killsOverrunInBackground
        self.restart = restart
        self.evictable = evictable
        self.wakesToStop = wakesToStop
        self.exitsOnSuspend = exitsOnSuspend
        self.runsContinuously = runsContinuously
        self.tellsBackgroundAfterWake = tellsBackgroundAfterWake
        self.heldResources = heldResources
        self.releasesDevices = releasesDevices
        self.idle = idle
        self.mostTasks = mostTasks
    }

    /// Whether its resources must be checked before it sleeps, since it would be killed for holding one.
    var inspectsBeforeSleep: Bool {
        releasesDevices || releasesDevicesInBackground || heldResources == .kill
    }

    /// The contract of `Type=app`.
    public static let app = Policy(readiness: .app, limits: .app, killsOverrunInBackground: true)

    /// The one worker of `torpor run`: nothing is ever killed for being slow, and SIGTERM reaches it asleep too.
    ///
    /// A program started by hand is evicted only on request.
    public static let run = Policy(
        quiet: QuietPolicy(), limits: .run, killsOverrun: false, evictable: .no, wakesToStop: true)
}

/// The deadlines of callbacks and stages (torpor-lifecycle(7)); nil is none.
public struct Limits: Hashable, Sendable {
    /// Process start to didFinishLaunching complete (`TimeoutStartSec=`).
    public var launch: TimeSpan?
    /// willResignActive, willEnterForeground, didBecomeActive, what is handed over in the foreground.
    public var callback: TimeSpan?
    /// The queue flushed at a resume.
    public var resume: TimeSpan?
    /// didEnterBackground, and saving state after it.
    public var enterBackground: TimeSpan?
    /// The willTerminate callback, before the stop signal.
    public var terminate: TimeSpan?
    /// The stop signal, before SIGKILL (`TimeoutStopSec=`).
    ///
    /// Zero: SIGKILL at once when `terminate` has passed.
    public var stop: TimeSpan?
    /// All background tasks together (`TaskLimitSec=`).
    public var backgroundTasks: TimeSpan?
    /// A fetch, a transfer's events or a notification handled in the background.
    public var activity: TimeSpan?
    /// Long work, where the machine has time for it (`ProcessingLimitSec=`).
    public var processing: TimeSpan? = .seconds(1800)
    /// The watchdog's period (`WatchdogSec=`).
    public var watchdog: TimeSpan?
    /// Callbacks with a limit of their own (`<Callback>TimeoutSec=`), over the others here; nil is none.
    public var own: [Callback: TimeSpan?] = [:]
    /// How long before the end of background time backgroundTaskWillExpire comes (`TaskWarningSec=`); nil is 5 s, or a tenth of a
    /// shorter limit.
    public var taskWarning: TimeSpan?
    /// After SIGKILL: when the worker is reported as one that cannot be killed.
    public var kill: TimeSpan

    /// Limits, given one by one.
    public init(
        launch: TimeSpan?, callback: TimeSpan?, resume: TimeSpan?, enterBackground: TimeSpan?,
        terminate: TimeSpan?, stop: TimeSpan?,
        backgroundTasks: TimeSpan? = .seconds(600), activity: TimeSpan? = .seconds(30),
        watchdog: TimeSpan? = nil, kill: TimeSpan = .seconds(10)
    ) {
        self.launch = launch
        self.callback = callback
        self.resume = resume
        self.enterBackground = enterBackground
        self.terminate = terminate
        self.stop = stop
        self.backgroundTasks = backgroundTasks
        self.activity = activity
        self.watchdog = watchdog
        self.kill = kill
    }

    /// The limits of workers that follow the contract (`Type=app`).
    public static let app = Limits(
        launch: .seconds(20), callback: .seconds(10), resume: .seconds(10), enterBackground: .seconds(5),
        terminate: .seconds(5), stop: .zero)

    /// The limits of ordinary daemons (`Type=simple`, `Type=notify`).
    public static let daemon = Limits(
        launch: .seconds(90), callback: .seconds(30), resume: .seconds(30), enterBackground: .seconds(30),
        terminate: .seconds(90), stop: .seconds(90))

    /// The limits of `torpor run`: none.
    public static let run = Limits(
        launch: nil, callback: .seconds(30), resume: .seconds(30), enterBackground: .seconds(30),
        terminate: nil, stop: nil)

    /// How long before the end of background time, which is `limit`, backgroundTaskWillExpire comes.
    func warning(before limit: TimeSpan) -> TimeSpan {
        taskWarning.map { Swift.min($0, limit) }
            ?? Swift.min(.seconds(5), TimeSpan(microseconds: limit.microseconds / 10))
    }

    /// How long a callback may take that has `limit` unless it has one of its own.
    func limit(of callback: Callback, or limit: TimeSpan?) -> TimeSpan? { own[callback] ?? limit }

    /// How long something may take that is handled beside the callback slot.
    func limit(ofActivity callback: Callback) -> TimeSpan? {
        limit(of: callback, or: callback == .performProcessing ? processing : activity)
    }
}

/// When a worker that cannot report completion counts as done: as soon as it is quiet.
public struct QuietPolicy: Hashable, Sendable {
    /// How long it has to be quiet (`QuietSec=`): its processor time moves by less than a hundredth of that.
    public var window: TimeSpan
    /// When a callback counts as done at the latest, unless it has its own limit.
    public var callback: TimeSpan
    /// When the work of a launch or wake counts as done at the latest.
    public var wake: TimeSpan

    /// Quiet for `window`.
    public init(
        window: TimeSpan = .milliseconds(500), callback: TimeSpan = .seconds(5), wake: TimeSpan = .seconds(30)
    ) {
        self.window = window
        self.callback = callback
        self.wake = wake
    }
}

/// When an idle worker is suspended, and how early wakes extend the delay.
public struct IdlePolicy: Hashable, Sendable {
    /// How long it must have been idle (`IdleSec=`).
    public var delay: TimeSpan
    /// The longest delay after false idles.
    public var longest: TimeSpan
    /// A wake this soon after falling asleep was a false idle.
    public var falseWithin: TimeSpan

    /// Whether its last use is asked for when the delay runs out; otherwise it is idle then.
    public var isJudged: Bool
    /// The delay after a wake for one exchange on an old connection, if that is shorter (`WakeLingerSec=`).
    public var linger: TimeSpan

    /// An idle delay of `delay`, doubling up to `longest` while wakes come within `falseWithin`.
    public init(
        delay: TimeSpan, longest: TimeSpan? = nil, falseWithin: TimeSpan = .seconds(10),
        isJudged: Bool = false, linger: TimeSpan = .seconds(2)
    ) {
        self.delay = delay
        self.isJudged = isJudged
        self.linger = linger
        self.longest =
            longest
            ?? TimeSpan(microseconds: delay.microseconds.multipliedReportingOverflow(by: 16).partialValue)
        self.falseWithin = falseWithin
    }

    /// The delay that counts now.
    func delay(after idleness: Idleness) -> TimeSpan {
        let first = idleness.lingers && isJudged ? min(linger, delay) : delay
        return Backoff(first: first, longest: max(first, longest)).delay(after: Int(idleness.falseIdles))
    }
}

/// A policy that many copies of a model share.
public final class SharedPolicy: Hashable, Sendable {
    /// The policy itself.
    public let value: Policy

    /// `value`, to be shared.
    public init(_ value: Policy) {
        self.value = value
    }

    /// Whether both say the same.
    public static func == (a: SharedPolicy, b: SharedPolicy) -> Bool { a === b || a.value == b.value }

    /// Adds nothing, so that copies of a model with one policy are told apart by what differs.
    public func hash(into hasher: inout Hasher) {
        // Two workers that differ in their policy alone are rare: comparing them is enough.
    }
}
