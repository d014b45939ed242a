package import ConfigurationSyntax
package import Lifecycle

/// What a worker file says, typed, with defaults where it says nothing.
///
/// Two equal definitions ask for the same worker; `changedKeys(from:)` tells how two differ. Values whose default depends
/// on others are optional here, and computed in one place: `WorkerDefinition+Defaults.swift`.
package struct WorkerDefinition: Hashable, Sendable {
    /// A sentence for people.
    package var description: Text?
    /// The lines of `ExecStart=`: one, or any number where the type is `oneshot`; every definition that was read from files has
    /// one at least.
    package var startCommands: [Command] = []
    /// What runs before them, one command after the other.
    package var startPreCommands: [Command] = []
    /// What runs when the worker is ready, one command after the other.
    package var startPostCommands: [Command] = []
    /// What makes the worker read its own configuration anew, one command after the other.
    package var reloadCommands: [Command] = []
    /// Workers that are ready before this one is launched or woken, where they are launched or woken together.
    package var after: [WorkerReference] = []
    /// Workers that this one cannot be without.
    package var requires: [WorkerReference] = []
    /// Workers that are launched and woken with this one.
    package var wants: [WorkerReference] = []
    /// Workers that are launched when this one has failed.
    package var onFailure: [WorkerReference] = []
    /// How it tells that it is ready.
    package var type = WorkerType.simple
    /// What shows that it is ready, where it does not say so itself; nil leaves that to the type.
    package var readyWhen: ReadinessSign?
    /// Whose notifications count; nil leaves it to the type.
    package var notifyAccess: NotifyAccess?
    /// When it is launched.
    package var launch = LaunchMode.onDemand
    /// Whether it terminates where it would enter the background.
    package var exitsOnSuspend = false
    /// The schemes of the URLs it opens.
    package var urlSchemes: [URLScheme] = []
    /// The types of the activities that it continues, and offers where a hook tells their state.
    package var activityTypes: [ActivityType] = []
    /// What tells the saved state of one version of its program from that of another.
    package var stateVersion = StateVersion.usual
    /// Whether the last lines of output are kept when it leaves the foreground; nil keeps them where its output passes through
    /// the supervisor anyway.
    package var snapshot: Bool?
    /// What is blanked in them.
    package var snapshotRedact: [OutputPattern] = []
    /// How it is executed.
    package var execution = Execution()
    /// How it is stopped and started again.
    package var restart = Restart()
    /// How long things may take.
    package var timeouts = Timeouts()
    /// The foreground.
    package var foreground = Foreground()
    /// The background.
    package var background = Background()
    /// Memory.
    package var memory = Memory()
    /// The hooks for callbacks.
    package var callbacks = Callbacks()
    /// The hooks for notifications.
    package var notifications = Notifications()

    /// A definition with nothing but defaults.
    package init() {}

    /// How a worker's process is set up (systemd.exec(5)).
    package struct Execution: Hashable, Sendable {
        /// Its working directory; nil is the root.
        package var workingDirectory: WorkingDirectory?
        /// Its user; nil is the supervisor's.
        package var user: Account?
        /// Its group; nil is the user's.
        package var group: Account?
        /// Its further groups.
        package var supplementaryGroups: [Account] = []
        /// Variables; of two of one name the later one counts.
        package var environment: [EnvironmentVariable] = []
        /// Files of variables, which go over `environment`.
        package var environmentFiles: [EnvironmentFileReference] = []
        /// Variables taken over from the supervisor.
        package var passEnvironment: [VariableName] = []
        /// Variables removed at the very end.
        package var unsetEnvironment: [UnsetVariable] = []
        /// What new files do not allow.
        package var umask = FileMode(bits: 0o022)
        /// The nice level; nil leaves the supervisor's.
        package var nice: Int?
        /// The kernel's bias for the OOM killer; nil leaves the supervisor's.
        package var oomScoreAdjust: Int?
        /// The most processes and threads that it may have together.
        package var tasksMax = TaskLimit.standard
        /// The limits of setrlimit(2) that are set.
        package var limits: [ResourceLimit.Resource: ResourceLimit] = [:]
        /// Standard input; nil is a pipe where a hook writes to it, else /dev/null.
        package var standardInput: StandardInput?
        /// Standard output.
        package var standardOutput = StandardOutput.journal
        /// Standard error; `inherit` is standard output's.
        package var standardError = StandardOutput.inherit
        /// The identifier in the log; nil is the worker's name.
        package var syslogIdentifier: Label?
        /// Directories made below the root of state directories, owned by the user.
        package var stateDirectories: [RelativePath] = []
        /// Directories made below the root of runtime directories, owned by the user.
        package var runtimeDirectories: [RelativePath] = []
        /// How many descriptors are kept for it (`FDSTORE=1`).
        package var descriptorStoreMax = 0
        /// Whether no program it runs can gain rights.
        package var noNewPrivileges = false

        /// The defaults.
        package init() {}
    }

    /// When and how soon a worker is launched again (systemd.service(5)).
    package struct Restart: Hashable, Sendable {
        /// After which ends.
        package var policy = RestartPolicy.no
        /// The wait before a restart; nil is the daemon's default.
        package var delay: TimeSpan?
        /// In how many steps the wait grows to `maximumDelay`; 0 keeps it as it is.
        package var steps = 0
        /// The longest wait.
        package var maximumDelay = TimeLimit.infinity
        /// The interval for `startLimitBurst`; nil is the daemon's default, no time switches the limit off.
        package var startLimitInterval: TimeLimit?
        /// How many launches are allowed in the interval; nil is the daemon's default, 0 switches the limit off.
        package var startLimitBurst: Int?
        /// Ends that count as clean, besides exit 0, SIGHUP, SIGINT, SIGTERM and SIGPIPE.
        package var successStatus = ExitStatusSet()
        /// Ends after which it is never launched again by itself.
        package var preventStatus = ExitStatusSet()
        /// Ends after which it is always launched again.
        package var forceStatus = ExitStatusSet()
        /// The stop signal.
        package var stopSignal = SignalNumber.term

        /// The defaults.
        package init() {}
    }

    /// Deadlines that are set; nil leaves them to the type.
    package struct Timeouts: Hashable, Sendable {
        /// From the process's start to didFinishLaunching complete.
        package var start: TimeLimit?
        /// For willTerminate.
        package var stop: TimeLimit?
        /// From one `WATCHDOG=1` to the next; zero and infinity switch it off.
        package var watchdog = TimeLimit.after(.zero)
        /// From a thaw until the queue is taken.
        package var resume: TimeLimit?

        /// The defaults.
        package init() {}
    }
}
