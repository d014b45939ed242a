package import Budgeting
package import ConfigurationSyntax
package import Idleness
package import Lifecycle
package import Processing

extension WorkerDefinition {
    /// The foreground: how a worker gets there, and how long it stays.
    package struct Foreground: Hashable, Sendable {
        /// Sockets that the supervisor holds for it, in the order in which they are passed.
        package var listens: [HeldSocket] = []
        /// What is set on them.
        package var sockets = HeldSocket.Options()
        /// How their clients come to it, and what browsers see while it is launched.
        package var relaying = Relaying()
        /// Their name in `LISTEN_FDNAMES`; nil is the worker's name.
        package var descriptorName: Label?
        /// The mode of sockets in the file system.
        package var socketMode = FileMode(bits: 0o666)
        /// The mode of directories that are made for them.
        package var directoryMode = FileMode(bits: 0o755)
        /// The owner of sockets in the file system; nil is root, or the supervisor's user.
        package var socketUser: Account?
        /// The group of sockets in the file system.
        package var socketGroup: Account?
        /// How long nothing must happen before it goes to sleep.
        package var idle = TimeLimit.infinity
        /// The longest that false idles may stretch `idle` to.
        package var idleMaximum = TimeLimit.after(.seconds(3600))
        /// Which of its connections keep it awake.
        package var idleWhen = IdleCondition.quiet
        /// The share of one CPU from which on it counts as used.
        package var idleCPU = CPUThreshold.share(.percent(10))
        /// How long a request without an answer counts as use.
        package var idlePending = TimeLimit.after(.seconds(300))
        /// Whether it is suspended when it is idle.
        package var idleAction = IdleAction.act
        /// What is watched while it sleeps.
        package var wake = WakeRules.Watching.auto
        /// What wakes it; empty is the default of `WakeRules`.
        package var wakeOn: Set<WakeRules.Kind> = []
        /// The peers that wake it; empty is all.
        package var wakeFrom: [IPNetworkSet] = []
        /// The peers that do not.
        package var wakeNotFrom: [IPNetworkSet] = []
        /// How long it stays up after a wake that was one exchange on an old connection.
        package var wakeLinger = TimeSpan.seconds(2)
        /// The group of workers of which one is active at most.
        package var group: Label?
        /// Its share of the CPU; nil is 100.
        package var cpuWeight: CPUWeight?
        /// Its share of the disks; nil is 100.
        package var ioWeight: Int?

        /// The defaults.
        package init() {}
    }

    /// The background: what a worker may do there, and for how long.
    package struct Background: Hashable, Sendable {
        /// What may run it there.
        package var modes: Set<BackgroundMode> = []
        /// How long all background tasks together may last.
        package var taskLimit = TimeLimit.after(.seconds(600))
        /// How long before their end backgroundTaskWillExpire comes; nil is 5 s, or a tenth of a shorter limit.
        package var taskWarning: TimeSpan?
        /// How long a worker that cannot say that it is done has to be quiet before it is put to sleep; zero waits for nothing.
        package var quiet = TimeSpan.milliseconds(500)
        /// The time between two fetches.
        package var fetchInterval = TimeSpan.seconds(3600)
        /// When it does its long work.
        package var processing = ProcessingSettings()
        /// How many of its transfers may run at one time.
        package var transfersMax = 8
        /// How long a transfer may take.
        package var transferLimit = TimeLimit.after(.seconds(7 * 86_400))
        /// How much memory a transfer may use.
        package var transferMemoryMax = MemoryLimit.infinity
        /// How large a file may be that a transfer writes; nil is as large as one of the worker.
        package var transferFileSizeMax: ByteSize?
        /// How often it may be woken without a request, and how long it may be awake for that.
        package var wakeBudget = WakeAllowance.usual
        /// Its share of the CPU; nil is 10.
        package var cpuWeight: CPUWeight?
        /// Its share of the disks; nil is 10.
        package var ioWeight: Int?
        /// How much CPU time it may take.
        package var cpuLimit = CPULimit.off
        /// Over which span that is counted.
        package var cpuLimitWindow = TimeSpan.seconds(60)
        /// Devices that must be closed when it is suspended, or when didEnterBackground has completed.
        package var release: [ReleasedDevice] = []
        /// What happens to one that sleeps on a lock.
        package var heldLocks = HeldLocks.warn
        /// Whether didEnterBackground is called after a launch or wake into the background, too.
        package var entersOnLaunch = false

        /// The defaults.
        package init() {}
    }

    /// Memory: how much, and what happens when there is too little.
    package struct Memory: Hashable, Sendable {
        /// The most it may have.
        package var max = MemoryLimit.infinity
        /// What is throttled above.
        package var high = MemoryLimit.infinity
        /// The same in the background; nil is `high`.
        package var backgroundHigh: MemoryLimit?
        /// How it may be evicted; nil depends on whether it has a receiver for didEnterBackground.
        package var evictable: Evictability?
        /// Its rank in its band; lower ones go first.
        package var priority = 0
        /// Whether its listening sockets stay open when it is evicted.
        package var holdsSockets = true
        /// How they change hands when it is launched again.
        package var handOver = HandOver.auto
        /// Whether its memory is reclaimed while it sleeps.
        package var reclaimsOnSuspend = true
        /// Whether it is told of memory pressure by systemd's protocol.
        package var pressureWatch = MemoryPressureWatch.auto
        /// From which stall on within 2 s.
        package var pressureThreshold = PressureThreshold.standard

        /// The defaults.
        package init() {}
    }

    /// The hooks for callbacks; those that are not set complete at once, or go to the worker socket.
    package struct Callbacks: Hashable, Sendable {
        /// What is done.
        package var actions: [Callback: CallbackAction] = [:]
        /// When it counts as done; the default is `exit` for a command, `immediately` for the others.
        package var completions: [Callback: CallbackCompletion] = [:]
        /// How long it may take; the defaults depend on the type.
        package var timeouts: [Callback: TimeLimit] = [:]
        /// What tells the state of an activity that is handed over: a command.
        package var userActivity: CallbackAction?

        /// The defaults.
        package init() {}
    }

    /// The hooks for notifications, and what is watched for them.
    package struct Notifications: Hashable, Sendable {
        /// What is done for each topic.
        package var actions: [String: CallbackAction] = [:]
        /// Files whose change is `settingsChanged`.
        package var settings: [AbsolutePath] = []
        /// Files whose change is `accountChanged`.
        package var accounts: [AbsolutePath] = []
        /// Paths whose mount or unlock makes protected data available.
        package var protectedPaths: [AbsolutePath] = []
        /// Paths whose change wakes a worker with the `path` mode.
        package var paths: [AbsolutePath] = []
        /// Devices whose coming wakes a worker with the `device` mode.
        package var devices: [PathGlob] = []
        /// Topics that a worker on the socket wants without a hook here.
        package var topics: [TopicName] = []
        /// Topics whose posts may interrupt it as alerts.
        package var alerts: [TopicPattern] = []
        /// Topics that merge on in the background, and are delivered on the way to the foreground.
        package var untilForeground: [TopicName] = []

        /// The defaults.
        package init() {}
    }
}

/// The name of a topic: `settingsChanged`, `cache.invalidate`.
package struct TopicName: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The name.
    package let text: String

    /// Reads letters, digits, dots, dashes and `_`, a lowercase letter first.
    package init(parsing text: String) throws(ValueError) {
        guard let first = text.utf8.first, first.isLowercase, text.utf8.count <= 128,
            text.utf8.allSatisfy({ $0.isWord || $0 == .dot || $0 == .dash })
        else { throw ValueError(text, isNot: Self.expectation) }
        self.text = text
    }

    /// What a topic looks like.
    package static var expectation: String {
        "a topic: a lowercase letter, then letters, digits, “.”, “-” and “_”, at most 128"
    }
    /// A topic is one word.
    package static var isClosed: Bool { true }
    /// The name.
    package var description: String { text }
}

/// A topic, or the beginning of some: `deploy.failed`, `deploy.*`, `*`.
package struct TopicPattern: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// What every topic begins with that it matches; the whole of it unless `isPrefix`.
    private let start: String
    private let isPrefix: Bool

    /// Reads a topic, or its beginning and a star.
    package init(parsing text: String) throws(ValueError) {
        isPrefix = text.utf8.last == UInt8(ascii: "*")
        start = isPrefix ? String(text.dropLast()) : text
        guard isPrefix && start.isEmpty || (try? TopicName(parsing: start)) != nil else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// Whether it stands for the topic.
    package func matches(_ topic: String) -> Bool { isPrefix ? topic.hasPrefix(start) : topic == start }

    /// What one looks like.
    package static var expectation: String {
        "a topic such as deploy.failed, or the beginning of some and a star, such as deploy.*"
    }
    /// It is one word.
    package static var isClosed: Bool { true }
    /// As it is written.
    package var description: String { isPrefix ? "\(start)*" : start }
}
