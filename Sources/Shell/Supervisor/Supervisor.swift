package import Continuing
package import Foreground
internal import Idleness
internal import Interrupting
internal import Launching
package import Lifecycle
package import Linux
internal import Notifications
internal import Performing
package import Scheduling
package import SupervisorPorts
package import Systemd
internal import Varlink
internal import WorkerFile

/// The shell around the model: it owns the workers, feeds each model with facts and requests, and has the host carry out what
/// the model decides.
///
/// Everything runs on the loop's thread, which every event checks; nothing awaits. An event that comes while another is handled waits for its turn (rule 4).
package final class Supervisor: HostObserver {
    package let loop: EventLoop
    package let host: any Host
    package var workers: [WorkerID: Worker] = [:]
    private var nextWorker: UInt32 = 0
    package var nextWait: UInt64 = 0
    private var pending = EventQueue<Pending>()
    /// Room for the effects of an event.
    private var effects: [Effect] = []
    package var isDraining = false
    /// The end of all workers was asked for: no worker is launched or woken any more.
    package private(set) var isClosed = false
    /// Everything of all workers that is due at a time.
    package var due = DueQueue<DueItem>()
    /// What is due is being handled.
    var isHandlingDue = false
    /// Budgets of wakes are reduced, and fetches wait.
    package var isLowPower = false {
        didSet { if isLowPower != oldValue { settleBudgets() } }
    }
    /// The parts of the core that hear of changes of state; a test looks at their order.
    var lifecycleObservers = Supervisor.lifecycleObservers
    var turnObservers = Supervisor.turnObservers
    /// The observers beyond the core, in the order of their places.
    var noticeObservers: [PlacedObserver] = []
    /// The activities that were brought to workers, and the callers that wait for what becomes of them.
    package var taking = TakingPlan()
    var takingCalls: [String: [(DeliveryOutcome) -> Void]] = [:]
    package var foregroundGroups = ForegroundGroups<WorkerID>()
    /// Where saved state is kept; nil keeps none.
    package var states: (any StateStore)?
    /// Where what was posted is kept; nil keeps it in memory alone.
    package var notifications: (any NotificationStore)?
    /// Workers whose inboxes have changed in this turn of the loop, and the callers that wait until that is stored.
    package var changedInboxes: [Worker] = []
    package var storedAnswers: [(String?) -> Void] = []
    /// The posts of the next commit whose posters wait for it.
    package var unstoredPosts: [UnstoredPost] = []
    /// Posts that could not be kept and are with their workers, by numbers; while their posters are answered.
    package var handedOutPosts: [WorkerID: Set<UInt64>] = [:]
    package var isStoringSoon = false
    /// Commits that callers wait for and that are not done, in their order.
    package var commitsUnderWay: [PostCommit] = []
    /// The number of the commit that what changes now is kept with.
    package var nextCommit: UInt64 = 1
    /// The number after which inboxes number their notifications while what was kept before cannot be read: beyond all that may be there.
    package var lastUnreadNumber: UInt64 = 0
    /// The inboxes of workers that are not defined: they come back with their names.
    package var parkedInboxes: [String: Inbox] = [:]
    /// Where workers are recorded for the next supervisor; nil records nothing.
    package var records: LiveRecords?
    /// What knows what the topics of workers stand at now.
    package weak var topicStates: (any TopicStateSource)?
    /// Workers that depend on each other.
    var stacks = Stacks()
    /// What knows of workers that have not been taken on.
    package weak var definitions: (any DefinitionSource)?
    /// Commands that run for workers, one after the other.
    package var commandRuns: [WorkerID: CommandRun] = [:]
    package var lastCommand: UInt32 = 0
    /// What calls `schedulesDue`.
    package weak var wallAlarm: (any WallAlarm)?
    /// Hears what becomes of workers' memory.
    package internal(set) weak var memoryObserver: (any MemoryObserver)?
    /// Hears of each worker whose own connection has come or gone.
    package weak var attachmentObserver: (any AttachmentObserver)?
    package var stalls = StallRule()
    /// How long the machine had slept since boot when that was looked at last.
    var machineSlept: TimeSpan?
    /// A shorter sleep of the machine is none: the clocks are not read in one moment.
    static let shortestMachineSleep = TimeSpan.milliseconds(10)
    /// When the event that is being handled was: all that comes of it happened then.
    private var momentOfEvent: Instant?
    /// When what is told now happened.
    package var moment: Instant { momentOfEvent ?? host.now }

    /// A supervisor without workers, on `loop`.
    package init(on loop: EventLoop, host: any Host) {
        self.loop = loop
        self.host = host
    }

    /// Begins to listen to the host; before anything else is asked.
    package func start() {
        accountForMachineSleep()
        host.observer = self
    }

    // MARK: workers

    /// Takes on a worker; it does not run yet.
    package func add(_ configuration: WorkerConfiguration) -> WorkerID {
        let id = WorkerID(nextWorker)
        nextWorker += 1
        let worker = Worker(id: id, configuration, at: host.now)
        workers[id] = worker
        takeDependencies(of: worker)
        follow(setForegroundGroup(of: worker, to: configuration.foregroundGroup))
        takeParkedInbox(for: worker)
        return id
    }

    /// The model of a worker, as it stands.
    package func life(of worker: WorkerID) -> WorkerLifecycle? { workers[worker]?.life }

    /// Replaces a worker's configuration: its policy counts at once, the rest from the next launch on.
    package func update(_ worker: WorkerID, to configuration: WorkerConfiguration) {
        guard let worker = workers[worker] else { return }
        configuration.replace(worker.configuration)
        worker.configuration = configuration
        takeDependencies(of: worker)
        follow(setForegroundGroup(of: worker, to: configuration.foregroundGroup))
        if worker.life.state.isRunning {
            host.limitMemory(worker.id, to: configuration.memory.limits(in: worker.life.state))
        }
        submit(.policyChanged(configuration.sharedPolicy), to: worker)
        settleBudget(of: worker)
        tellPlan(.receiversChanged, of: worker)
    }

    /// Forgets a worker that has no process; false when it has one.
    package func remove(_ worker: WorkerID) -> Bool {
        guard let known = workers[worker] else { return true }
        guard known.life.state == .notRunning, known.life.currentLaunch == nil else { return false }
        // What was waited for, such as a restart, does not come any more.
        let (waiters, contents) = (known.waiters, known.contents.sorted { $0.key < $1.key })
        (known.waiters, known.contents) = ([], [:])
        for waiter in waiters { waiter.answer(.refused(.notRunning)) }
        for (_, content) in contents { content.answer(.refused(.notRunning)) }
        disarmAll(of: known)
        workers[worker] = nil
        dropDependencies(of: known)
        records?.remove(worker)
        host.dropOutput(of: worker)
        park(known.inbox, of: known)
        follow(leaveForegroundGroup(known))
        return true
    }

    /// Whether a worker has ended and is launched again: by its `Restart=` rule, or since it is being restarted.
    package func awaitsRestart(_ worker: WorkerID) -> Bool {
        workers[worker].map { $0.life.restReason == .backingOff || $0.life.currentLaunch != nil } ?? false
    }

    /// The name of a worker; nil when there is none of that number.
    package func name(of worker: WorkerID) -> String? { workers[worker]?.configuration.name }

    /// A worker as it stands now; nil when there is none of that number.
    package func view(of worker: WorkerID) -> WorkerView? {
        workers[worker].map {
            WorkerView(
                id: $0.id, name: $0.configuration.name, life: $0.life, since: $0.since, statusText: $0.status,
                lastRecord: $0.lastRecord,
                tasks: $0.tasks.sorted { $0.key < $1.key }.map(\.value),
                interruptions: $0.interruptions.current, giving: $0.giving,
                givingStanding: givingStanding(of: $0), snapshot: $0.snapshot,
                launchOptions: $0.launchOptions, queueLength: $0.inbox?.queue.count ?? 0,
                isAdopted: host.isAdopted($0.id), reclaim: $0.reclaim,
                frozenGroup: frozenGroup(over: $0.id), thawFailure: host.thawFailure(of: $0.id),
                launching: launching($0), launchCommand: launchCommand(of: $0),
                lastWake: $0.presentWake, goalOrigin: goalOrigin(of: $0), hookFailures: $0.hookFailures,
                isStartLimited: $0.isStartLimited,
                foregroundHolder: foregroundHolder(before: $0),
                freezeFailure: $0.life.awaitsFreeze ? $0.freezeFailure : nil, heldDetail: $0.heldDetail,
                fetchDue: isLowPower ? nil : $0.fetchDue, fetchPace: $0.fetchPace,
                processing: $0.processing, wakeBudget: $0.wakeBudget, wakeAllowance: allowance(of: $0),
                isHeldBack: holdsBack($0),
                schedules: $0.inbox?.book.entries ?? [], sight: host.watching($0.id),
                heldSockets: host.heldSockets(of: $0.id), doors: host.doors(of: $0.id),
                lastUse: $0.life.saysInUse ? Use(.said, at: host.now) : host.lastUse(of: $0.id),
                gain: host.gain(of: $0.id), sleepTally: $0.sleepTally,
                useRules: $0.configuration.useRules, wakeRules: $0.configuration.wakeRules)
        }
    }

    /// The other worker for whose sake a worker has the goal that it has now; nil where there is none.
    package func goalOrigin(of worker: Worker) -> GoalOrigin? {
        worker.goalOrigin.flatMap { $0.isBehind(worker.life) ? $0 : nil }
    }

    /// The group that holds a worker asleep whatever is done with its own, by its path; nil where none does.
    package func frozenGroup(over worker: WorkerID) -> String? {
        workers[worker]?.life.isStuckAsleep ?? false ? host.frozenGroup(above: worker) : nil
    }

    /// How far a launch is that has come to no process yet; nil where none is under way.
    private func launching(_ worker: Worker) -> LaunchPreparation? {
        guard worker.life.state == .notRunning, worker.life.currentLaunch != nil else { return nil }
        return LaunchPreparation(
            since: worker.launchBegan ?? worker.since, command: host.preparation(of: worker.id),
            awaited: awaitedByLaunch(of: worker))
    }

    /// Refreshes those facts about a worker that no event reports, before they are asked for.
    package func look(at worker: WorkerID) { host.look(at: worker) }

    /// The same of many workers, with what the machine has told of them by now.
    package func look(at workers: [WorkerID]) { host.look(at: workers) }

    /// What was reclaimed from each worker that is suspended, in bytes and in no order.
    package var reclaimedFromSleepers: [Int64] {
        workers.values.filter { $0.life.state == .suspended }.map { $0.reclaim?.givenBack ?? 0 }
    }

    /// How many processes of a worker run on although another program has stopped its main process.
    package func runningOthers(of worker: WorkerID) -> Int {
        workers[worker]?.life.isHeld ?? false ? host.runningOthers(of: worker) : 0
    }

    /// Takes note of how the last process of a worker ended, in the life of another supervisor.
    package func recall(_ cause: TerminationRecord.Cause, of id: WorkerID) { workers[id]?.life.recall(cause) }

    /// Which way workers are frozen here, in words.
    package var freezing: String { host.freezing }

    // MARK: the end of all

    /// Launches and wakes no worker any more: the end of all of them has been asked for.
    package func close() { isClosed = true }

    /// Launches workers again; false while some have not ended yet.
    package func reopen() -> Bool {
        guard isClosed else { return true }
        guard !workers.values.contains(where: \.hasOrAwaitsProcess) else { return false }
        isClosed = false
        return true
    }

    // MARK: requests and facts

    /// Gives the model of a worker an event.
    package func submit(_ event: Event, to worker: WorkerID) {
        guard let worker = workers[worker] else { return }
        submit(event, to: worker)
    }

    /// Sends a signal to a worker, which means nothing to its model.
    package func forward(_ signal: Signal, to worker: WorkerID) {
        guard let life = workers[worker]?.life, life.pid != nil || life.isLaunching else { return }
        host.signal(worker, signal)
    }

    package func submit(_ event: Event, to worker: Worker, for request: PendingRequest? = nil) {
        loop.checkThread()
        accountForMachineSleep()
        accountForStall(at: host.now)
        if isClosed, event.wantsProcess { return turnAway(event, from: worker, request) }
        pending.append(Pending(worker, event, request))
        drain()
    }

    /// Refuses what would launch a worker while all are being ended.
    private func turnAway(_ event: Event, from worker: Worker, _ request: PendingRequest?) {
        var requester = Requester.wakeSource
        switch event {
        case .requested(let request): requester = request.requester
        case .restartRequested(let by): requester = by
        case .woken(let wake):
            if let inbound = wake.inbound { settle(inbound, .refused(.shuttingDown), of: worker) }
        default: break
        }
        notify(worker, .refused(.shuttingDown, requester))
        request?.answer(.refused(.shuttingDown))
    }

    /// Whether no event waits for its turn.
    package var pendingIsEmpty: Bool { pending.isEmpty }

    /// Gives up the request of an event that waits for its turn.
    package func dropRequest(_ token: WaitToken) {
        pending.modify { if $0.request?.token == token { $0.request = nil } }
    }

    package func drain() {
        guard !isDraining else { return }
        isDraining = true
        defer { isDraining = false }
        var effects: [Effect] = []
        swap(&effects, &self.effects)
        defer { swap(&effects, &self.effects) }
        if pending.isEmpty { settleStacks() }
        var performer = self
        while let (worker, event) = pending.next().map({ ($0.worker, $0.event) }) {
            worker.refusal = nil
            let now = host.now
            momentOfEvent = now
            worker.life.handle(event, at: now, into: &effects)
            let holds = !worker.isUnrecorded
            worker.isUnrecorded = true
            recordAct(of: worker, after: event, effects, holds: holds)
            keepDoors(of: worker)
            for effect in effects { performer.perform(effect, of: worker) }
            effects.removeAll(keepingCapacity: effects.count <= 16)
            for observer in turnObservers { observer.handled(event, of: worker, in: self) }
            // What others wait for is known when all has been heard.
            if !pending.hasNext {
                settleStacks()
                if records != nil, !pending.hasNext { for entry in pending.all { record(entry.worker) } }
            }
        }
        momentOfEvent = nil
    }

    /// The request that the event in hand carries out; nil where it carries out none, or that has been given up.
    var requestOfTurn: PendingRequest? { pending.current?.request }

    /// Gives models events after the one in hand and what follows already, before all that wait.
    func enqueueNext(_ events: [(Worker, Event)]) { pending.follow(with: events.map { Pending($0, $1) }) }

    /// Gives the model of a worker an event after those that wait already; for what comes up while one is handled.
    package func enqueue(_ event: Event, to worker: Worker) { pending.append(Pending(worker, event)) }

    private func follow(_ followers: [(Worker, Event)]) {
        enqueueNext(followers)
        if !followers.isEmpty { drain() }
    }
}

/// An event that waits for its turn, and the request that it carries out.
private struct Pending {
    let worker: Worker
    let event: Event
    var request: PendingRequest?

    init(_ worker: Worker, _ event: Event, _ request: PendingRequest? = nil) {
        self.worker = worker
        self.event = event
        self.request = request
    }
}
