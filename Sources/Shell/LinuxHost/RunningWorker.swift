internal import Cgroups
internal import Idleness
internal import Launching
internal import Lifecycle
internal import Linux
internal import Pressure
internal import Processes
internal import SupervisorPorts
internal import Systemd
internal import Waking
internal import WorkerIO

extension WorkerUse { static let usual = Usual.Place(WorkerUse()) }

/// What the real host keeps of a worker while a process of it, or anything that such a process left, exists.
package final class RunningWorker {
    /// How far its processes have come.
    enum Stage {
        /// Its main process is being made; after the commands that run before that, while there are such.
        case launching(LaunchUnderway, after: StartPre?)
        /// It has a main process.
        case running
        /// The main process, which is not our child, has ended, as was seen then; how it ended is not known yet.
        case ended(seen: Instant)
        /// The main process has ended, or the launch; what it left is being cleared away.
        case reaping(Reaping)
    }

    /// What froze it, if it is frozen or asked to be.
    enum Freeze {
        case none
        /// We asked, and have not seen it confirmed yet; by SIGSTOP, what that has reached so far.
        case asked(since: Instant, FreezeAttempt?)
        /// We asked, and it is.
        case ours
        /// Another program did.
        case outside
        /// It is to run again, which is not confirmed yet.
        case thawing

        var isNone: Bool { if case .none = self { true } else { false } }
        var isOurs: Bool { if case .ours = self { true } else { false } }

        /// Whether it is under way, so that it is looked at until it is confirmed.
        var isUnderway: Bool {
            switch self {
            case .asked, .thawing: true
            case .none, .ours, .outside: false
            }
        }
    }

    /// What is being cleared away.
    package struct Reaping {
        let status: ExitStatus
        let oomKilled: Bool
        /// When SIGKILL follows SIGTERM.
        let killsAt: Instant
        var killed = false
        /// The launch that has failed; nil where the main process has ended.
        var launch: FailedLaunch?
    }

    /// A launch of which only what it has left is still there.
    struct FailedLaunch {
        let problem: LaunchError
        /// It was ended on purpose.
        let isAbandoned: Bool
    }

    let id: WorkerID
    let configuration: WorkerConfiguration
    private(set) var group: Cgroup?
    /// Keeps others from sweeping the group away.
    private var claim: CgroupClaim?
    /// 0 before there is one.
    var main: Int32 = 0
    var stage = Stage.running
    /// The session or process group that the main process leads.
    var leader: Int32 = 0
    var freeze = Freeze.none {
        didSet {
            if freeze.isNone { keeper = nil }
            // Before it runs: whoever thaws or continues it says so here first.
            if freeze.isOurs { lease.slept() } else { stopWatching(before: .runs) }
        }
    }
    /// Why it could not be asked to thaw; tried again while it is there.
    @Apart var thawFailure: LinuxError?
    var thawRetryAt = Instant.zero
    /// When we froze it last.
    var frozenAt = Instant.zero
    /// Watches its sockets while it sleeps by our freeze.
    var watch: SleeperWatch? { lease.watch }
    private var lease = SleeperLease<SleeperWatch>()
    var mayBeWatched: Bool { lease.isFree && reaping == nil }
    /// What was found of its sockets when it was watched last.
    var socketSurvey = SleeperWatch.Survey()
    /// Whether it is being woken for somebody that waits for it.
    var isAwaited = false
    /// What it is used for.
    @Usual(WorkerUse.usual) var use: WorkerUse
    /// Lets it run again if we are killed while it sleeps.
    var keeper: SleepKeeper?
    /// The freezer of its group, while it is one of those that were opened last.
    var freezer: OpenFreezer?
    /// What was stopped for the terminal's sake.
    var stoppedForOutside: [ProcessIdentity] = []
    /// Its main process was found outside of its group: it sleeps by SIGSTOP, which reaches it there.
    var isOutsideGroup = false
    /// Its main process is stopped, as far as waitid(2) has told.
    var isStopped = false
    /// The host has continued it itself: the next WCONTINUED is no news.
    var expectsContinue = false
    /// The most memory that its main process had, where the kernel has told.
    var peakResident: Int64?
    /// Its main process is not a child of this process: a predecessor has started it.
    var isAdopted = false
    /// When its main process started, which tells it from a later one of the same number.
    var startTime: UInt64?
    /// Its main process ended unseen, and another process has its number now.
    var hasLostItsNumber = false
    var notify: NotifyEndpoint?
    /// How much of what is said there is heard: far more than any program has to say.
    var notifyBudget = TokenBucket(holding: 256, perSecond: 2000)
    /// How much is told of what is not taken.
    var ignoredBudget = TokenBucket(holding: 20, perSecond: 1)
    /// The kernel's id of its group, once it was asked for.
    private var groupID: UInt64?
    /// Its socket for `io.torpor.Worker`; nil where it has none.
    var workerSocket: UnixSocketAddress?
    /// Watches a main process that is not the one we started.
    var mainWatch: MainProcessWatch?
    /// Watches the group.
    var groupWatch: FileWatches.Watch?
    /// The same by a descriptor of its own.
    var events: GroupEvents?
    /// The environment that we have launched it with, where a command may be run for it; nil for one that a predecessor has
    /// launched.
    var environment: Environment?
    /// Its standard input, where we hold it.
    var input: StdinPipe?
    /// What it prints, where that passes through the supervisor.
    var outputs: [any WorkerOutput] = []
    /// The last lines of that.
    var tail = OutputTail()
    /// What hooks have made of it.
    let hooks = HookState()
    /// Whether its group has the memory controller.
    var hasMemoryController = false
    /// The limits that its group has, or is to have.
    var limits = MemoryLimits.none
    /// What its `memory.events` read last.
    var memoryEvents = MemoryEvents()
    /// What it read when counting began.
    var firstMemoryEvents = MemoryEvents()
    /// Whether the pressure coordinator has been told where they began.
    var hasToldMemoryEvents = false
    /// Watches those.
    var memoryWatch: FileWatches.Watch?
    /// When the kernel's OOM killer was last seen to have ended a process of it.
    var oomKilledAt: Instant?
    /// We have sent SIGKILL to all of it.
    var wasKilledByUs = false
    /// The group of cgroup v1 that it was put into from outside, and how many the OOM killer had ended there before, where that is
    /// known.
    var legacyGroup: (group: LegacyMemory, kills: UInt64?)?
    /// How often such a group has been looked for.
    var legacyLooks = 0
    /// When its launch began: one of many has waited for that.
    var launchedAt = Instant.zero
    /// The reclaim that is under way.
    var reclaim: ReclaimTicket?
    /// What it was found to hold since it sleeps.
    var heldAsleep: WorkerMemory?
    /// It has been told what its main process has left, which takes its time to end.
    var hasToldOfLeftovers = false
    /// It has been told that its memory is back.
    var isReleased = false
    /// What its threads had before it went to the background, by their numbers, where no controller gives it its share.
    var priorities: [Int32: ThreadPriorities] = [:]
    /// The state whose priorities it has; nil where none were given yet, and of one that was taken over.
    var prioritizedState: Lifecycle.State?
    /// The nice values that its processes had before its CPU use was held down.
    var niceBefore: [ProcessIdentity: Int32] = [:]

    init(_ id: WorkerID, _ configuration: WorkerConfiguration) {
        self.id = id
        self.configuration = configuration
    }

    /// Watches its sockets by `watch` from now on.
    func beginWatching(_ watch: SleeperWatch) { if lease.begin(watch) { watch.begin() } }

    /// Closes every duplicate of its descriptors before `turn` happens to it.
    func stopWatching(before turn: SleeperLease<SleeperWatch>.Turn) {
        guard let watch = lease.release(before: turn) else { return }
        watch.drop()
        use.rises()
        socketSurvey = watch.survey
    }

    /// The launch of its main process that is under way.
    var launching: LaunchUnderway? { if case .launching(let underway, _) = stage { underway } else { nil } }

    /// What runs before its main process, while that is not there yet.
    var startPre: StartPre? { if case .launching(_, let pre) = stage { pre } else { nil } }

    /// What is being cleared away.
    var reaping: Reaping? { if case .reaping(let reaping) = stage { reaping } else { nil } }

    /// When its main process ended, while what that left is being cleared away.
    var ended: Instant? { reaping.map { $0.killsAt + (.zero - configuration.leftoverGrace) } }

    /// Whether it sleeps by SIGSTOP: where it has no group, and where its main process is not in it.
    var sleepsBySignals: Bool { group == nil || isOutsideGroup }

    /// Whether the kernel's id is that of its group; it may be one below, too.
    func isGroup(_ id: UInt64) -> Bool {
        guard let group else { return false }
        if groupID == nil { groupID = group.id }
        return groupID == id
    }

    /// Lives in `group` from now on; nil is none.
    func settle(in group: Cgroup?) {
        self.group = group
        groupID = nil
    }

    /// Lives in a claimed group from now on.
    func settle(in claim: CgroupClaim) {
        group = claim.group
        self.claim = claim
        groupID = nil
    }

    /// Removes the group; one that other processes have entered meanwhile stays.
    func removeGroup(by groups: LingeringGroups) {
        if let group { groups.remove(group, claim) }
        (group, claim, groupID) = (nil, nil, nil)
    }
}
