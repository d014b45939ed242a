public import Lifecycle

/// What a worker file says, typed, with defaults where it says nothing.
///
/// Two equal definitions ask for the same worker; `changedKeys(from:)` tells how two differ. Values whose default depends
/// on others are optional here, and computed in one place: `WorkerDefinition+Defaults.swift`.
public struct WorkerDefinition: Hashable, Sendable {
    /// A sentence for people.
    public var description: Text?
    /// The lines of `ExecStart=`: one, or any number where the type is `oneshot`; every definition that was read from files has
    /// one at least.
    public var startCommands: [Command] = []
    /// What runs before them, one command after the other.
    public var startPreCommands: [Command] = []
    /// What runs when the worker is ready, one command after the other.
    public var startPostCommands: [Command] = []
    /// What makes the worker read its own configuration anew, one command after the other.
    public var reloadCommands: [Command] = []
    /// Workers that are ready before this one is launched or woken, where they are launched or woken together.
    public var after: [WorkerReference] = []
    /// Workers that this one cannot be without.
    public var requires: [WorkerReference] = []
    /// Workers that are launched and woken with this one.
    public var wants: [WorkerReference] = []
    /// Workers that are launched when this one has failed.
    public var onFailure: [WorkerReference] = []
    /// How it tells that it is ready.
    public var type = WorkerType.simple
    /// What shows that it is ready, where it does not say so itself; nil leaves that to the type.
    public var readyWhen: ReadinessSign?
    /// Whose notifications count; nil leaves it to the type.
    public var notifyAccess: NotifyAccess?
    /// When it is launched.
    public var launch = LaunchMode.onDemand
    /// Whether it terminates where it would enter the background.
    public var exitsOnSuspend = false
    /// The schemes of the URLs it opens.
    public var urlSchemes: [URLScheme] = []
    /// Whether the last lines of output are kept when it leaves the foreground; nil keeps them where its output passes through
    /// the supervisor anyway.
    public var snapshot: Bool?
    /// What is blanked in them.
    public var snapshotRedact: [OutputPattern] = []
    /// How it is executed.
    public var execution = Execution()
    /// How it is stopped and started again.
    public var restart = Restart()
    /// How long things may take.
    public var timeouts = Timeouts()
    /// The foreground.
    public var foreground = Foreground()
    /// The background.
    public var background = Background()
    /// Memory.
    public var memory = Memory()
    /// The hooks for callbacks.
    public var callbacks = Callbacks()
    /// The hooks for notifications.
    public var notifications = Notifications()

    /// A definition with nothing but defaults.
    public init() {}

    /// How a worker's process is set up (systemd.exec(5)).
    public struct Execution: Hashable, Sendable {
        /// Its working directory; nil is the root.
        public var workingDirectory: WorkingDirectory?
        /// Its user; nil is the supervisor's.
        public var user: Account?
        /// Its group; nil is the user's.
        public var group: Account?
        /// Its further groups.
        public var supplementaryGroups: [Account] = []
        /// Variables; of two of one name the later one counts.
        public var environment: [EnvironmentVariable] = []
        /// Files of variables, which go over `environment`.
        public var environmentFiles: [EnvironmentFileReference] = []
        /// Variables taken over from the supervisor.
        public var passEnvironment: [VariableName] = []
        /// Variables removed at the very end.
        public var unsetEnvironment: [UnsetVariable] = []
        /// What new files do not allow.
        public var umask = FileMode(bits: 0o022)
        /// The nice level; nil leaves the supervisor's.
        public var nice: Int?
        /// The kernel's bias for the OOM killer; nil leaves the supervisor's.
        public var oomScoreAdjust: Int?
        /// The most processes and threads that it may have together.
        public var tasksMax = TaskLimit.standard
        /// The limits of setrlimit(2) that are set.
        public var limits: [ResourceLimit.Resource: ResourceLimit] = [:]
        /// Standard input; nil is a pipe where a hook writes to it, else /dev/null.
        public var standardInput: StandardInput?
        /// Standard output.
        public var standardOutput = StandardOutput.journal
        /// Standard error; `inherit` is standard output's.
        public var standardError = StandardOutput.inherit
        /// The identifier in the log; nil is the worker's name.
        public var syslogIdentifier: Label?
        /// Directories made below the root of state directories, owned by the user.
        public var stateDirectories: [RelativePath] = []
        /// Directories made below the root of runtime directories, owned by the user.
        public var runtimeDirectories: [RelativePath] = []
        /// How many descriptors are kept for it (`FDSTORE=1`).
        public var descriptorStoreMax = 0
        /// Whether no program it runs can gain rights.
        public var noNewPrivileges = false

        /// The defaults.
        public init() {}
    }

    /// When and how soon a worker is launched again (systemd.service(5)).
    public struct Restart: Hashable, Sendable {
        /// After which ends.
        public var policy = RestartPolicy.no
        /// The wait before a restart; nil is the daemon's default.
        public var delay: TimeSpan?
        /// In how many steps the wait grows to `maximumDelay`; 0 keeps it as it is.
        public var steps = 0
        /// The longest wait.
        public var maximumDelay = TimeLimit.infinity
        /// The interval for `startLimitBurst`; nil is the daemon's default, no time switches the limit off.
        public var startLimitInterval: TimeLimit?
        /// How many launches are allowed in the interval; nil is the daemon's default, 0 switches the limit off.
        public var startLimitBurst: Int?
        /// Ends that count as clean, besides exit 0, SIGHUP, SIGINT, SIGTERM and SIGPIPE.
        public var successStatus = ExitStatusSet()
        /// Ends after which it is never launched again by itself.
        public var preventStatus = ExitStatusSet()
        /// Ends after which it is always launched again.
        public var forceStatus = ExitStatusSet()
        /// The stop signal.
        public var stopSignal = SignalNumber.term

        /// The defaults.
        public init() {}
    }

    /// Deadlines that are set; nil leaves them to the type (spec 1.4).
    public struct Timeouts: Hashable, Sendable {
        /// From the process's start to didFinishLaunching complete.
        public var start: TimeLimit?
        /// For willTerminate.
        public var stop: TimeLimit?
        /// From one `WATCHDOG=1` to the next; zero and infinity switch it off.
        public var watchdog = TimeLimit.after(.zero)
        /// From a thaw until the queue is taken.
        public var resume: TimeLimit?

        /// The defaults.
        public init() {}
    }
}
