public import Lifecycle

extension WorkerDefinition {
    /// The foreground: how a worker gets there, and how long it stays.
    public struct Foreground: Hashable, Sendable {
        /// Sockets that the supervisor holds for it.
        public var listenStreams: [ListenAddress] = []
        /// Their name in `LISTEN_FDNAMES`; nil is the worker's name.
        public var descriptorName: Label?
        /// The mode of sockets in the file system.
        public var socketMode = FileMode(bits: 0o666)
        /// The owner of sockets in the file system; nil is root, or the supervisor's user.
        public var socketUser: Account?
        /// The group of sockets in the file system.
        public var socketGroup: Account?
        /// How long nothing must happen before it goes to sleep.
        public var idle = TimeLimit.infinity
        /// The longest that false idles may stretch `idle` to.
        public var idleMaximum = TimeLimit.after(.seconds(3600))
        /// The group of workers of which one is active at most.
        public var group: Label?
        /// Its share of the CPU; nil is 100.
        public var cpuWeight: CPUWeight?
        /// Its share of the disks; nil is 100.
        public var ioWeight: Int?

        /// The defaults.
        public init() {}
    }

    /// The background: what a worker may do there, and for how long.
    public struct Background: Hashable, Sendable {
        /// What may run it there.
        public var modes: Set<BackgroundMode> = []
        /// How long all background tasks together may last.
        public var taskLimit = TimeLimit.after(.seconds(600))
        /// How long before their end backgroundTaskWillExpire comes; nil is 5 s, or a tenth of a shorter limit.
        public var taskWarning: TimeSpan?
        /// How long a worker that cannot say that it is done has to be quiet before it is put to sleep; zero waits for nothing.
        public var quiet = TimeSpan.milliseconds(500)
        /// The time between two fetches.
        public var fetchInterval = TimeSpan.seconds(3600)
        /// Its share of the CPU; nil is 10.
        public var cpuWeight: CPUWeight?
        /// Its share of the disks; nil is 10.
        public var ioWeight: Int?
        /// How much CPU time it may take.
        public var cpuLimit = CPULimit.off
        /// Over which span that is counted.
        public var cpuLimitWindow = TimeSpan.seconds(60)
        /// Devices that must be closed when didEnterBackground has completed.
        public var release: [PathGlob] = []
        /// What happens to one that sleeps on a lock.
        public var heldLocks = HeldLocks.warn
        /// Whether didEnterBackground is called after a launch or wake into the background, too.
        public var entersOnLaunch = false

        /// The defaults.
        public init() {}
    }

    /// Memory: how much, and what happens when there is too little.
    public struct Memory: Hashable, Sendable {
        /// The most it may have.
        public var max = MemoryLimit.infinity
        /// What is throttled above.
        public var high = MemoryLimit.infinity
        /// The same in the background; nil is `high`.
        public var backgroundHigh: MemoryLimit?
        /// How it may be evicted; nil depends on whether it has a receiver for didEnterBackground.
        public var evictable: Evictability?
        /// Its rank in its band; lower ones go first.
        public var priority = 0
        /// Whether its memory is given back while it sleeps.
        public var reclaimsOnSuspend = true
        /// Whether it is told of memory pressure by systemd's protocol.
        public var pressureWatch = MemoryPressureWatch.auto
        /// From which stall on within 2 s.
        public var pressureThreshold = PressureThreshold.standard

        /// The defaults.
        public init() {}
    }

    /// The hooks for callbacks; those that are not set complete at once, or go to the worker socket.
    public struct Callbacks: Hashable, Sendable {
        /// What is done.
        public var actions: [CallbackName: CallbackAction] = [:]
        /// When it counts as done; the default is `exit` for a command, `immediately` for the others.
        public var completions: [CallbackName: CallbackCompletion] = [:]
        /// How long it may take; the defaults depend on the type.
        public var timeouts: [CallbackName: TimeLimit] = [:]

        /// The defaults.
        public init() {}
    }

    /// The hooks for notifications, and what is watched for them.
    public struct Notifications: Hashable, Sendable {
        /// What is done for each topic.
        public var actions: [String: CallbackAction] = [:]
        /// Files whose change is `settingsChanged`.
        public var settings: [AbsolutePath] = []
        /// Files whose change is `accountChanged`.
        public var accounts: [AbsolutePath] = []
        /// Paths whose mount or unlock makes protected data available.
        public var protectedPaths: [AbsolutePath] = []
        /// Paths whose change wakes a worker with the `path` mode.
        public var paths: [AbsolutePath] = []
        /// Devices whose coming wakes a worker with the `device` mode.
        public var devices: [PathGlob] = []
        /// Topics that a worker on the socket wants without a hook here.
        public var topics: [TopicName] = []

        /// The defaults.
        public init() {}
    }
}

/// The name of a topic: `settingsChanged`, `cache.invalidate`.
public struct TopicName: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The name.
    public let text: String

    /// Reads letters, digits, dots, dashes and `_`, a lowercase letter first.
    public init(parsing text: String) throws(ValueError) {
        guard let first = text.utf8.first, first.isLowercase, text.utf8.count <= 128,
            text.utf8.allSatisfy({ $0.isWord || $0 == .dot || $0 == .dash })
        else { throw ValueError(text, isNot: Self.expectation) }
        self.text = text
    }

    /// What a topic looks like.
    public static var expectation: String {
        "a topic: a lowercase letter, then letters, digits, “.”, “-” and “_”, at most 128"
    }
    /// A topic is one word.
    public static var isClosed: Bool { true }
    /// The name.
    public var description: String { text }
}
