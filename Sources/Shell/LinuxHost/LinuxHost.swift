package import Cgroups
internal import DequeModule
package import Lifecycle
package import Linux
internal import Pressure
package import Processes
package import SupervisorPorts
package import Systemd
package import Waking
package import WorkerIO

/// The real machine: processes, cgroups, signals, timers and notify sockets.
///
/// Every child of this process is its business: one SIGCHLD source asks waitid(2) for all.
package final class LinuxHost: Host {
    let loop: EventLoop
    /// Which way workers are frozen.
    package let method: FreezeMethod
    /// Where notify sockets are made.
    private(set) lazy var places = findPlaces()
    private let findPlaces: () -> SocketPlaces
    /// Whether whatever descends from this process is the worker's: it is so when there is one worker only.
    let ownsAllDescendants: Bool
    var workers: [WorkerID: RunningWorker] = [:]
    var byMainProcess: [Int32: WorkerID] = [:]
    /// Serves the workers' own sockets; nil where there are none.
    package weak var workerSockets: (any WorkerSockets)?
    /// What is open for workers and passed to their processes.
    package weak var descriptors: (any LaunchDescriptors)?
    /// Processes of hooks that have not been reaped.
    var hookProcesses: [Int32: HookProcess] = [:]
    /// Files that are opened for workers on threads: their file systems may not answer.
    lazy var openings = DiskQueue(on: loop)
    /// The worker whose exit is being told.
    var ended: RunningWorker?
    private let reaper = ChildReaper()
    /// The sources that all workers share, made when the first one needs them.
    var notifySockets: NotifySockets?
    var groupWatches: WorkerWatches?
    /// Workers that were taken over from a predecessor in this process without the watch of its group.
    var unwatched: Set<WorkerID> = []
    private let children = SourceBox<SignalSource>()
    private let timer = SourceBox<TimeSource>()
    /// Looks again at what the kernel has not confirmed yet, and at what is being reaped.
    private let recheck = SourceBox<TimeSource>()
    private var recheckDue = Instant.zero
    /// Locks of workers that sleep.
    private(set) var sleeperLocks: SleeperLocks?
    /// Openings of devices that workers must not have open in the background; nil where none is watched.
    var deviceOpenings: DeviceOpenings?
    /// Workers whose freezers are open, those opened last at the end.
    var openFreezers: [WorkerID] = []
    /// Workers to look at then.
    private var unconfirmed: Set<WorkerID> = []
    private var alarmAt: Instant?
    /// Goes off for an alarm that is due already, without a timer of the kernel's.
    private let overdue = SourceBox<DeferSource>()
    /// Children that this process had before any worker, left by the program that executed it: they are never signalled.
    var strangers: Set<Int32> = []
    /// What is to be known of the last end of each worker, until it is taken; nil where it never is.
    var exitDetails: [WorkerID: ExitDetails]?
    /// How short the machine was of memory when that was last looked up, and when that was.
    var pressure: PressureStall?
    var pressureReadAt: Instant?
    /// What processes printed that have ended, the last lines of each worker.
    var earlierOutput: [WorkerID: OutputTail] = [:]
    /// Is told of each line that a worker prints; nil where nothing follows them.
    var printed: ((WorkerID, [String]) -> Void)?
    /// Where lines go that workers print to our standard error, once one does.
    var outputLog: OutputLog?
    let memoryWork: MemoryWork
    var memoryWatches: WorkerWatches?
    /// The value of TORPOR_SUPERVISOR for workers; nil where it is not set.
    package var supervisor: ByteString?
    /// The store that keeps the sockets of workers open while no daemon runs; nil where there is none.
    package var keeper: (any DescriptorStoring)? { didSet { doorHouse.store = keeper } }
    /// The sockets of workers that are gone.
    package private(set) lazy var doorHouse = makeDoorHouse()
    /// Where workers without a pressure file of their own hear of memory warnings, once one of them needs it.
    var pressureSocket: PressureSocket?
    /// Where the memory controller of cgroup v1 is, if that is where it is.
    private(set) lazy var legacyMemory = LegacyMemory.mountPoint()
    /// Whether it is there, or has not been looked for.
    var mayHaveLegacyMemory = true
    /// How many the OOM killer had ended in a group there when a worker in it last ended.
    var legacyKills: [LegacyMemory: UInt64] = [:]
    /// Workers that were launched a moment ago, and may be put into such a group now.
    var recentLaunches: [WorkerID] = []
    let recentLaunchTimer = SourceBox<TimeSource>()
    /// For kills, freezes and thaws when no descriptor is left.
    let reserve = DescriptorReserve()
    package private(set) lazy var lingering = LingeringGroups(on: loop)
    /// Workers whose main process was sent SIGTERM, and the others were not yet.
    private(set) lazy var others = Backlog<RunningWorker>(on: loop) { [unowned self] in endOthers(of: $0) }
    /// Where launches are carried out, and those that are.
    let launchThreads = LaunchThreads()
    var launches: [UInt64: LaunchUnderway] = [:]
    /// Those of them that no thread has been given yet, in the order in which they came.
    var unbegun = Deque<UnbegunLaunch>()
    var lastLaunch: UInt64 = 0
    /// What was heard of children while launches were under way, and before the loop knew whose they are.
    var earlyNews: [Int32: [ChildEvent]] = [:]
    /// Called once, when no launch is under way any more.
    package var whenLaunched: (() -> Void)?
    /// Whether launches are refused: our own end has begun.
    package var launchesNoMore = false
    let launchTimer = SourceBox<TimeSource>()
    var launchesLookedAt = Instant.zero
    /// Workers that are ready when they listen at a port, since when that is looked for.
    var portsAwaited: [WorkerID: Instant] = [:]
    let portTimer = SourceBox<TimeSource>()
    /// What watches sleepers, and those of them that are to be watched next.
    package let waking: WakingTools
    let useInspector: UseInspector
    var toWatch: [WorkerID] = []
    let watchSource = SourceBox<DeferSource>()
    /// Workers that have said more than their budget allows, and are heard again in a moment.
    var resting: [WorkerID] = []
    let restEnd = SourceBox<TimeSource>()

    /// What hears of facts and of the alarm.
    package weak var observer: (any HostObserver)?
    /// Hears besides what concerns a program that stands between a worker and its own parent.
    package weak var childObserver: (any ChildObserver)?

    /// A host on `loop`, whose thread has SIGCHLD blocked.
    package init(
        on loop: EventLoop, method: FreezeMethod = .detect(),
        places: @autoclosure @escaping () -> SocketPlaces = .init(),
        ownsAllDescendants: Bool = false
    ) throws {
        self.loop = loop
        self.method = method
        findPlaces = places
        self.ownsAllDescendants = ownsAllDescendants
        memoryWork = MemoryWork(on: loop)
        waking = WakingTools(on: loop)
        useInspector = UseInspector(with: waking)
        if case .cgroup = method { waking.hasGroups = true }
        if ThisProcess.pid != 1 { try ThisProcess.becomeSubreaper() }
        if ownsAllDescendants, ChildReaper.hasChildren() {
            strangers = Set(ProcessTree.currentChildren(of: ThisProcess.pid))
        }
        children.handle = try SignalSource(on: loop, signal: Signal.child.rawValue, priority: .exits) {
            [unowned self] _ in reap()
        }
        timer.handle = try TimeSource(on: loop) { [unowned self] _ in
            alarmAt = nil
            observer?.alarmWentOff()
        }
        sleeperLocks = try SleeperLocks(
            on: loop, waking.lookups, members: { [unowned self] in sleepingMembers(of: $0, &$1) },
            tell: { [unowned self] in inform($0, .inspected($1 == nil ? nil : .lock, detail: $1)) })
        recheck.handle = try TimeSource(on: loop) { [unowned self] _ in checkAgain() }
        overdue.handle = try DeferSource(on: loop, enabled: .off, priority: .deadlines) { [unowned self] in
            guard let due = alarmAt, due <= now else { return }
            alarmAt = nil
            observer?.alarmWentOff()
        }
    }

    /// The monotonic clock, as it is now.
    package var now: Instant { Instant(microseconds: KernelClock.monotonic) }

    /// How long the machine itself has slept since boot.
    package var machineSlept: TimeSpan { TimeSpan(microseconds: MachineSleep.total) }

    /// Which way workers are frozen here, in words.
    package var freezing: String {
        switch method {
        case .cgroup(let tree): "cgroup freezer below \(tree.base.path): \(tree.reason)"
        case .signals(let reason): "SIGSTOP: \(reason)"
        }
    }

    /// Calls `alarm` at this moment, instead of any other asked before.
    package func setAlarm(_ moment: Instant?) {
        guard moment != alarmAt else { return }
        alarmAt = moment
        guard let moment, moment > now else {
            timer.handle?.disarm()
            if moment != nil { overdue.handle?.setEnabled(.oneshot) }
            return
        }
        timer.handle?.arm(at: moment.microseconds)
    }

    /// Whether a peer is a process of the worker.
    package func owns(_ worker: WorkerID, _ peer: PeerProcess) -> Bool {
        workers[worker].map { judge($0, peer) == .isSo } ?? false
    }

    /// Whether a debugger is attached to the main process.
    package func isTraced(_ worker: WorkerID) -> Bool {
        guard let main = workers[worker]?.main, let tracer = ProcessStat.tracer(of: main) else {
            return false
        }
        return tracer != 0
    }

    /// Says that another process is the main one, if it is one of the worker's.
    package func setMainProcess(_ worker: WorkerID, pid: Int32) {
        // The descriptor first: what is then found of the number is true of its process.
        guard let running = workers[worker], running.reaping == nil, running.main > 0, pid != running.main,
            let pidfd = try? Pidfd(pid: pid), owns(running, pid), !pidfd.hasBeenReaped,
            let watch = watchEnd(of: pid, pidfd, worker)
        else { return }
        byMainProcess[running.main] = nil
        running.main = pid
        running.startTime = ProcessIdentity(pid: pid)?.startTime
        byMainProcess[pid] = worker
        running.mainWatch = watch
    }

    /// Hears of the end of a process that may have another parent, which reaps it; nil when it has ended already.
    func watchEnd(of pid: Int32, _ worker: WorkerID) -> MainProcessWatch? {
        guard let pidfd = try? Pidfd(pid: pid) else { return nil }
        return watchEnd(of: pid, pidfd, worker)
    }

    /// The same by a descriptor that is open already.
    func watchEnd(of pid: Int32, _ pidfd: consuming Pidfd, _ worker: WorkerID) -> MainProcessWatch? {
        try? MainProcessWatch(pidfd, on: loop) { [unowned self] in
            // If it is a child of this process, its status is there to be had.
            reap()
            guard let running = workers[worker], running.main == pid, running.reaping == nil else { return }
            if running.isAdopted { return adoptedProcessEnded(running) }
            mainProcessEnded(running, running.mainWatch?.status ?? .unknown)
        }
    }

    // MARK: children

    /// Takes the news of all children, the notifications of those that ended first: a reaped sender cannot be told.
    func reap() {
        do {
            while true {
                let harvest = try reaper.drain()
                for event in harvest.events { childChanged(event) }
                if !harvest.hasMore { break }
            }
        } catch {
            // ECHILD is no error here: there are no children.
        }
        for id in unconfirmed {
            if let running = workers[id], running.reaping != nil { continueReaping(running) }
        }
    }

    func childChanged(_ event: ChildEvent) {
        if event.isEnd {
            strangers.remove(event.pid)
            // What it has said before its end counts as a hook's only while it is known as one.
            if let id = hookProcesses[event.pid]?.running?.id { hear(id) }
            if let hook = hookProcesses.removeValue(forKey: event.pid) {
                return hookProcessEnded(hook, event.change)
            }
        }
        guard let id = byMainProcess[event.pid], let running = workers[id] else {
            _ = keepEarlyNews(event)
            return
        }
        running.peakResident = event.peakResident
        switch event.change {
        case .exited(let code): mainProcessEnded(running, .exited(code))
        case .killed(let signal, let coreDumped):
            mainProcessEnded(running, .killed(signal: signal.rawValue, coreDumped: coreDumped))
        case .stopped(let signal):
            running.isStopped = true
            // The kernel tells of its latest change alone: what had continued it before is not told any more.
            running.expectsContinue = false
            // What the host stops itself, where there is no freezer, is no news.
            if running.sleepsBySignals, !running.freeze.isNone { return }
            inform(id, .stoppedOutside)
            childObserver?.childStopped(id, by: signal)
            tellOfRunningProcesses(of: running, after: signal)
        case .continued:
            running.isStopped = false
            if running.expectsContinue { return running.expectsContinue = false }
            // It was being stopped: that was to be answered.
            let isAsked = running.sleepsBySignals && running.freeze.isUnderway
            if running.sleepsBySignals { running.freeze = .none }
            inform(id, .continuedOutside)
            if isAsked { giveUpFreezing(running, "another program has continued it") }
        }
    }

    // MARK: looking again

    /// How often something that is not confirmed yet is looked at.
    private static let recheckInterval = TimeSpan.milliseconds(10)
    /// The same of what a main process has left: it may take its time, and the last of it to end is heard of where there are groups.
    private static let leftoverInterval = TimeSpan.milliseconds(250)

    func checkSoon(_ running: RunningWorker) {
        unconfirmed.insert(running.id)
        let due = now + (running.hasToldOfLeftovers ? Self.leftoverInterval : Self.recheckInterval)
        if recheck.handle?.isArmed ?? true, due >= recheckDue { return }
        recheckDue = due
        recheck.handle?.arm(at: due.microseconds)
    }

    private func checkAgain() {
        let ids = unconfirmed
        unconfirmed = []
        for id in ids {
            guard let running = workers[id] else { continue }
            switch running.stage {
            case .reaping: continueReaping(running)
            case .ended: adoptedProcessEnded(running)
            case .launching, .running: checkFreezer(running)
            }
            if let running = workers[id], running.needsLooking { checkSoon(running) }
        }
    }
}

extension RunningWorker {
    /// Whether nothing will tell of what is awaited.
    fileprivate var needsLooking: Bool {
        switch stage {
        case .reaping, .ended: true
        case .launching, .running: freeze.isUnderway
        }
    }
}
