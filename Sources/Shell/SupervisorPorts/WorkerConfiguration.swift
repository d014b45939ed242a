package import Budgeting
package import ConfigurationSyntax
package import Idleness
package import Launching
package import Lifecycle
package import Linux
package import Notifications
package import Relaying
package import WorkerFile

/// What a supervisor has to know of a worker to run it.
///
/// One object, of which the worker, its host and its plan each hold a reference: it is completed by its maker, and
/// changed no more once a supervisor has it.
package final class WorkerConfiguration {
    /// The processes that a signal for the worker reaches.
    package enum SignalTarget: Hashable, Sendable {
        /// The process group of the main process, as dumb-init does.
        case processGroup
        /// The main process alone, as tini does.
        case mainProcess
        /// Every process of the worker, as systemd does (`KillMode=control-group`).
        case everyProcess
    }

    /// Its name.
    package var name: String
    /// The name of its group and its sockets.
    package var groupName: String
    /// What the model decides by.
    package var policy: Policy {
        _read { yield sharedPolicy.value }
        set { sharedPolicy = SharedPolicy(newValue) }
    }
    /// The same, as the model of the worker has it: half a kilobyte that is there once.
    package var sharedPolicy: SharedPolicy
    /// The signal that asks it to end (`KillSignal=`).
    package var stopSignal: Signal
    /// The processes that signals reach.
    package var signalTarget: SignalTarget
    /// Whether it gets a notify socket of its own.
    package var hasNotifySocket: Bool
    /// Whose notifications count (`NotifyAccess=`).
    package var notifyAccess = NotifyAccess.all
    /// Whether it gets a socket for `io.torpor.Worker`.
    package var hasWorkerSocket = false
    /// What is done for callbacks; those that are not here go to the worker socket, or complete at once.
    package var hooks: [Callback: Hook] = [:]
    /// What shows that it is ready; nil where it says so itself, or is ready at once.
    package var readiness: ReadinessSign?
    /// What it is to other workers.
    package var dependencies = Dependencies()
    /// The commands of its file that belong to no callback.
    package var commands = ServiceCommands()
    /// What is done for notifications of a topic (`[Notifications]`).
    package var notificationHooks: [String: Hook] = [:]
    /// The topics whose posts may interrupt it as alerts (`Alerts=`).
    package var alerts: [TopicPattern] = []
    /// The topics that merge on in the background, and are delivered on the way to the foreground (`UntilForeground=`).
    package var untilForeground: Set<Topic> = []
    /// The types of the activities that it continues, and that it offers where a hook tells their state (`ActivityTypes=`).
    package var activityTypes: [ActivityType] = []
    /// The hook that tells the state (`UserActivity=`).
    @Apart package var activityHook: ServiceCommand?
    /// Whether a silent post wakes it (`Modes=remote-notification`).
    package var wakesForSilentPosts = false
    /// Whether it is not launched into the background before its protected data was available (`Wants=firstUnlock`).
    package var awaitsFirstUnlock = false
    /// How often it may be woken without a request, and for how long (`WakeBudget=`).
    package var wakeAllowance = WakeAllowance.usual
    /// Gets the process of an `exec:` hook ready, with the environment that it is to have: the worker's, and what the callback
    /// brings; called on a thread of its own, since it may wait for file systems.
    package var prepareHook: (@Sendable (HookCall, Environment) throws(LaunchError) -> PreparedLaunch)?
    /// The environment of such a launch, made anew by what defines the worker; nil where every process was launched by this supervisor.
    ///
    /// It is what hooks of a worker have that a predecessor has launched. It is never read back from a process: what a process
    /// shows as its environment is its own memory.
    package var environment: (@Sendable (Launch, LaunchDetails) throws(LaunchError) -> Environment)?
    /// Whether its standard input is a FIFO that we write to.
    package var holdsInput = false
    /// Whether the end of what passes through the supervisor is the end of its standard input: where no hook writes to it.
    package var endsInput = false
    /// Whether what it prints passes through the supervisor.
    package var capturesOutput = false
    /// Whether output that would go to the supervisor's standard error goes there line by line, marked, instead of by a descriptor of
    /// the supervisor's.
    package var relaysOutput = false
    /// What is blanked in the output that is kept; nil keeps none of it when it leaves the foreground (`Snapshot=no`).
    package var snapshotRedact: [OutputPattern]?
    /// Whether the last lines that pass through the supervisor are kept.
    package var keepsOutput: Bool { snapshotRedact != nil }
    /// Devices that must be closed when it sleeps, or in the background too (`ReleaseInBackground=`).
    package var releasedDevices: [ReleasedDevice] = []
    /// Whether locks that others wait for are looked for (`HeldLocks=`).
    package var looksForLocks = false
    /// Whether it must hold no lock at all on a regular file when it sleeps (`HeldLocks=kill`).
    package var mustHoldNoLock = false
    /// What counts as use of it (`IdleWhen=`, `IdleCPU=`, `IdlePendingSec=`, `Idle=`).
    package var useRules: UseRules {
        get { sleepRules.use }
        set { sleepRules.use = newValue }
    }
    /// What wakes it while it sleeps (`Wake=`, `WakeOn=`, `WakeFrom=`, `WakeNotFrom=`, `WakeLingerSec=`).
    package var wakeRules: WakeRules {
        get { sleepRules.wake }
        set { sleepRules.wake = newValue }
    }
    /// The rules for sleep, which count at once for a process that an earlier configuration has launched: both have one place for them.
    private var sleepRules = SleepRules()
    /// What is held for it while it has no process.
    package var held = HeldDescriptors()
    /// What stands between it and the clients of those sockets, and what browsers see while it is launched.
    package var relay = RelayTerms()
    /// Whether its listening sockets stay open when it is evicted (`HoldSockets=`), and how they change hands then (`HandOver=`).
    package var holdsSockets = true
    package var handOver = HandOver.auto
    /// How much CPU it may use in the background; nil is as much as there is (`CPULimit=`).
    package var cpuAllowance: CPUAllowance?
    /// What the machine does about its memory.
    package var memory = MemorySettings()
    /// How many transfers it may have, of what kind, and whether their ends wake it.
    package var transfers = TransferSettings()
    /// Gets the holder of a transfer ready, as what the command is to be: its user, its environment and its limits.
    ///
    /// It is called on a thread of its own, since it may wait for file systems. Nil where the worker can have no transfer.
    package var prepareTransfer: (@Sendable (TransferCall) throws(LaunchError) -> PreparedLaunch)?
    /// How many processes it may have; nil leaves that as it is.
    package var taskLimit: TaskSettings?
    /// The order of eviction within one band when memory is short: the lower goes first (`Priority=`).
    package var priority = 0
    /// The group of workers of which one is in the foreground at most (`ForegroundGroup=`).
    package var foregroundGroup: String?
    /// Whether its command takes a URL as an argument (`%u`).
    package var takesURL = false
    /// The user that may read its saved state; nil is that of the supervisor.
    package var owner: StateOwner?
    /// How long what is left of it may take to end after SIGTERM, once its main process has.
    package var leftoverGrace: TimeSpan
    /// Longer than any machine runs: what is left is waited for as long as it takes.
    package static let endless = TimeSpan.seconds(1 << 32)
    /// Gets a launch ready; called for each process anew, so that an idle worker costs nothing for it, and on a thread of its
    /// own, since it may wait for file systems.
    package var prepare: @Sendable (Launch, LaunchDetails) throws(LaunchError) -> PreparedLaunch
    /// Opens the destination of its standard output (1) or error (2) again, for one that was launched by a predecessor; nil is
    /// that of the supervisor.
    ///
    /// It is called on a thread, since it may wait for a file system.
    package var reopenOutput: (@Sendable (Int32) -> OwnedDescriptor?)?
    /// Hears of each change of state when it is published; nil where nothing depends on it.
    package var stateChanged: ((Transition) -> Void)?

    private final class SleepRules {
        var use = UseRules()
        var wake = WakeRules()
    }

    /// Takes the place of `earlier`, by which the process of the worker may have been launched: its rules for sleep are those of this one now.
    package func replace(_ earlier: WorkerConfiguration) {
        (earlier.useRules, earlier.wakeRules) = (useRules, wakeRules)
        sleepRules = earlier.sleepRules
    }

    /// A configuration, by its parts.
    package init(
        name: String, groupName: String? = nil, policy: Policy, stopSignal: Signal = .terminate,
        signalTarget: SignalTarget = .everyProcess,
        hasNotifySocket: Bool = false, leftoverGrace: TimeSpan = .seconds(5),
        prepare: @escaping @Sendable (Launch, LaunchDetails) throws(LaunchError) -> PreparedLaunch
    ) {
        self.name = name
        self.groupName = groupName ?? "worker-\(name)"
        sharedPolicy = SharedPolicy(policy)
        self.stopSignal = stopSignal
        self.signalTarget = signalTarget
        self.hasNotifySocket = hasNotifySocket
        self.leftoverGrace = leftoverGrace
        self.prepare = prepare
    }

    /// A configuration whose launches need nothing but their request.
    package convenience init(
        name: String, groupName: String? = nil, policy: Policy, stopSignal: Signal = .terminate,
        signalTarget: SignalTarget = .everyProcess,
        hasNotifySocket: Bool = false, leftoverGrace: TimeSpan = .seconds(5),
        request: @escaping @Sendable (Launch) -> LaunchRequest
    ) {
        self.init(
            name: name, groupName: groupName, policy: policy, stopSignal: stopSignal,
            signalTarget: signalTarget,
            hasNotifySocket: hasNotifySocket, leftoverGrace: leftoverGrace,
            prepare: { launch, _ in PreparedLaunch(request(launch)) })
    }
}
