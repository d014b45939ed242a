package import Foreground
internal import Launching
package import Lifecycle
package import Linux
internal import Notifications
package import Scheduling
package import SupervisorPorts
package import Systemd
internal import Varlink
internal import WorkerFile

/// The shell around the model: it owns the workers, feeds each model with facts and requests, and has the host carry out what
/// the model decides.
///
/// Everything runs on the loop's thread, which every event checks; nothing awaits. An event that comes while another is handled waits for its turn (rule 4).
package final class Supervisor {
    package let loop: EventLoop
    package let host: any Host
    package var workers: [WorkerID: Worker] = [:]
    private var nextWorker: UInt32 = 0
    package var nextWait: UInt64 = 0
    private var pending: [Pending] = []
    /// Room for the effects of an event.
    private var effects: [Effect] = []
    package var isDraining = false
    /// The end of all workers was asked for: no worker is launched or woken any more.
    package private(set) var isClosed = false
    /// Everything of all workers that is due at a time.
    package var due = DueQueue<DueItem>()
    /// What is due is being handled.
    var isHandlingDue = false
    private var observers: [(WorkerID, Notice) -> Void] = []
    package var foregroundGroups = ForegroundGroups<WorkerID>()
    /// Where saved state is kept; nil keeps none.
    package var states: (any StateStore)?
    /// Where what was posted is kept; nil keeps it in memory alone.
    package var notifications: (any NotificationStore)?
    /// Workers whose inboxes have changed in this turn of the loop, and who waits until that is kept.
    package var changedInboxes: [Worker] = []
    package var storedAnswers: [(String?) -> Void] = []
    /// The posts of the next commit whose posters wait for it.
    package var unstoredPosts: [UnstoredPost] = []
    /// Posts that could not be kept and are with their workers, by numbers; while their posters are answered.
    package var handedOutPosts: [WorkerID: Set<UInt64>] = [:]
    package var isStoringSoon = false
    /// Commits that somebody waits for and that are not done.
    package var commitsUnderWay = 0
    /// The number of the commit that what changes now is kept with.
    package var nextCommit: UInt64 = 1
    /// The number after which inboxes begin theirs while what was kept before cannot be read: beyond all that may be there.
    package var lastUnreadNumber: UInt64 = 0
    /// The inboxes of workers that are not defined: they come back with their names.
    package var parkedInboxes: [String: Inbox] = [:]
    /// Where workers are recorded for whoever comes after us; nil records nothing.
    package var records: LiveRecords?
    /// What the topics of a worker stand at now.
    package var presentTopicState: (WorkerID) -> TopicState = { _ in TopicState() }
    /// Workers that depend on each other.
    var stacks = Stacks()
    /// Makes the instance of a template that another worker names; nil where there is none.
    package var makeInstance: (String) -> WorkerID? = { _ in nil }
    /// Whether there could be a worker of this name.
    package var isDefinable: (String) -> Bool = { _ in false }
    /// Commands that run for workers, one after the other.
    package var commandRuns: [WorkerID: CommandRun] = [:]
    package var lastCommand: UInt32 = 0
    /// Has `schedulesDue` called at a time of the wall clock, in microseconds since 1970; nil never.
    package var setWallAlarm: (Int64?) -> Void = { _ in }
    /// Who hears what becomes of workers' memory: whoever acts on pressure.
    package var memoryFacts: (WorkerID, MemoryFact) -> Void = { _, _ in }
    /// Hears of each worker that means something else to the policy of memory than before.
    package var eligibilityChanged: (EligibilityChange) -> Void = { _ in }
    /// Hears of each worker whose own connection has come or gone.
    package var receiverChanged: (WorkerID) -> Void = { _ in }
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
        host.facts = { [unowned self] worker, fact in receive(fact, of: worker) }
        host.alarm = { [unowned self] in alarmWentOff() }
    }

    /// Tells `observer` of everything that happens from now on, in order.
    package func observe(_ observer: @escaping (WorkerID, Notice) -> Void) {
        observers.append(observer)
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
        worker.configuration = configuration
        takeDependencies(of: worker)
        follow(setForegroundGroup(of: worker, to: configuration.foregroundGroup))
        if worker.life.state.isRunning {
            host.limitMemory(worker.id, to: configuration.memory.limits(in: worker.life.state))
        }
        submit(.policyChanged(configuration.sharedPolicy), to: worker)
        announceAgain(worker)
    }

    /// Forgets a worker that has no process; false when it has one.
    package func remove(_ worker: WorkerID) -> Bool {
        guard let known = workers[worker] else { return true }
        guard known.life.state == .notRunning, known.life.currentLaunch == nil else { return false }
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
                tasks: $0.tasks.sorted { $0.key < $1.key }.map(\.value), snapshot: $0.snapshot,
                launchOptions: $0.launchOptions, queueLength: $0.inbox?.queue.count ?? 0,
                isAdopted: host.isAdopted($0.id), reclaim: $0.reclaim,
                frozenGroup: frozenGroup(over: $0.id),
                launching: launching($0), launchCommand: launchCommand(of: $0),
                lastWake: $0.lastWake, goalOrigin: goalOrigin(of: $0), hookFailures: $0.hookFailures,
                isStartLimited: $0.isStartLimited,
                foregroundHolder: foregroundHolder(before: $0),
                freezeFailure: $0.life.awaitsFreeze ? $0.freezeFailure : nil, heldDetail: $0.heldDetail,
                fetchDue: $0.fetchDue,
                schedules: $0.inbox?.book.entries ?? [])
        }
    }

    /// The other worker for whose sake a worker has the goal that it has now; nil where there is none.
    package func goalOrigin(of worker: Worker) -> GoalOrigin? {
        worker.goalOrigin.flatMap { $0.isBehind(worker.life) ? $0 : nil }
    }

    /// The group that holds a worker asleep whatever is done with its own, by its path; nil where none does.
    package func frozenGroup(over worker: WorkerID) -> String? {
        guard let life = workers[worker]?.life, life.state == .suspended, life.isStuckAsleep else {
            return nil
        }
        return host.frozenGroup(above: worker)
    }

    /// How far a launch is that has come to no process yet; nil where none is under way.
    private func launching(_ worker: Worker) -> LaunchPreparation? {
        guard worker.life.state == .notRunning, worker.life.currentLaunch != nil else { return nil }
        return LaunchPreparation(
            since: worker.launchBegan ?? worker.since, command: host.preparation(of: worker.id),
            awaited: awaitedByLaunch(of: worker))
    }

    /// Hears of what has become of a worker and nobody tells by himself, before it is asked for.
    package func look(at worker: WorkerID) { host.look(at: worker) }

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
        for index in pending.indices where pending[index].request?.token == token {
            pending[index].request = nil
        }
    }

    package func drain() {
        guard !isDraining else { return }
        isDraining = true
        defer { isDraining = false }
        var effects: [Effect] = []
        swap(&effects, &self.effects)
        defer { swap(&effects, &self.effects) }
        var index = 0
        if pending.isEmpty { settleStacks() }
        while index < pending.count {
            let worker = pending[index].worker
            worker.refusal = nil
            let now = host.now
            momentOfEvent = now
            worker.life.handle(pending[index].event, at: now, into: &effects)
            worker.isUnrecorded = true
            // Who comes after us must know of what was asked of the kernel, or it would be somebody else's doing.
            if records != nil, effects.contains(where: \.actsOnProcess) { record(worker) }
            for effect in effects { perform(effect, on: worker) }
            effects.removeAll(keepingCapacity: effects.count <= 16)
            if !worker.onItsWay.isEmpty { settleDeliveries(of: worker, after: pending[index].event) }
            if !worker.configuration.commands.startPre.isEmpty, worker.life.isLaunchUnwanted {
                host.abandonLaunch(worker.id)
            }
            // What others of its foreground group hear of it comes before anything else.
            let followers = settleForeground(of: worker)
            if !followers.isEmpty {
                pending.insert(contentsOf: followers.map { Pending($0, $1) }, at: index + 1)
            }
            // Only now: its own effects may have given it up.
            if let request = pending[index].request { take(request, of: worker) }
            index += 1
            settleNeeds(of: worker)
            settleWaiters(of: worker)
            // What others wait for is known when all has been heard.
            if index == pending.count { settleStacks() }
        }
        momentOfEvent = nil
        if records != nil { for entry in pending { record(entry.worker) } }
        pending.removeAll(keepingCapacity: index < 64)
    }

    // MARK: effects

    package func perform(_ effect: Effect, on worker: Worker) {
        switch effect {
        case .launch(let launch):
            worker.isStartLimited = false
            worker.launchBegan = moment
            if !hold(.launch(launch), of: worker) { start(launch, of: worker) }
        case .freeze: if !hold(.freeze, of: worker) { host.freeze(worker.id) }
        case .thaw: if !hold(.thaw, of: worker) { thaw(worker) }
        case .stop: host.signal(worker.id, worker.configuration.stopSignal)
        case .kill: host.kill(worker.id)
        case .inspectResources: host.inspect(worker.id)
        case .readCPU: host.readCPU(worker.id)
        case .arm(let timer, let due, let generation):
            arm(.timer(worker.id, timer), at: due, generation: generation)
        case .disarm(let timer): disarm(.timer(worker.id, timer))
        case .publish(let transition):
            worker.since = transition.at
            if transition.from == .active || transition.to == .active { worker.lastActive = transition.at }
            if transition.to == .active { worker.wasUsed = true }
            if let asleep = transition.suspendedFor { worker.suspendedFor = asleep }
            if transition.to == .background, transition.from == .inactive { takeSnapshot(of: worker) }
            worker.configuration.stateChanged?(transition)
            if transition.from == .suspended {
                beginGrace(of: worker)
                runAfterThaw(of: worker)
            }
            // Those of another process.
            if transition.from == .notRunning { worker.hookFailures = [] }
            if transition.to == .suspended { notificationsInterrupted(of: worker, endedWith: nil) }
            if transition.to == .suspended { compareTopicState(of: worker) }
            settleMemory(of: worker, after: transition)
            notify(worker, .changed(transition))
            publishEligibility(of: worker)
            followStack(worker, transition)
        case .launchCompleted: notify(worker, .launchCompleted)
        case .record(let record):
            let record = completed(record, of: worker)
            worker.lastRecord = record
            // Without a process it changes no state: its failure is what it stands at since then.
            if record.state == .notRunning { worker.since = record.at }
            if record.cause == .heldResource, let detail = worker.heldDetail {
                notify(worker, .warned(.holdsResource, detail: detail))
            }
            worker.processEnded()
            abandonCommands(of: worker)
            notificationsInterrupted(of: worker, endedWith: record.cause)
            if worker.hasStateFile { states?.takeBack(from: worker.configuration.name) }
            worker.hasStateFile = false
            notify(worker, .ended(record))
            launchOnFailure(of: worker)
        case .warn(let warning):
            if warning == .startLimitHit { worker.isStartLimited = true }
            if case .overrun(let callback) = warning {
                rememberFailure(of: callback, "it took too long and was abandoned", worker)
            }
            notify(worker, .warned(warning, detail: worker.detail(of: warning, at: moment)))
            if warning == .startLimitHit { launchOnFailure(of: worker) }
        case .refuse(let refusal, let requester):
            worker.refusal = refusal
            notify(worker, .refused(refusal, requester))
        case .report(let surprise): notify(worker, .surprised(surprise))
        case .deliver(let delivery): deliver(delivery, to: worker)
        case .throttle(let isHeldDown): host.throttle(worker.id, isHeldDown)
        case .savedState(let fate): states?.apply(fate, to: worker.configuration.name)
        case .answerTask(let token, let answer): answerTask(token, answer, of: worker)
        case .holdOver(let token, let end): holdOver(token, end, of: worker)
        case .drop(let inbound, let refusal): settle(inbound, .refused(refusal), of: worker)
        }
    }

    /// Gives the model of a worker an event after those that wait already; for what comes up while one is handled.
    package func enqueue(_ event: Event, to worker: Worker) { pending.append(Pending(worker, event)) }

    private func follow(_ followers: [(Worker, Event)]) {
        for (worker, event) in followers { submit(event, to: worker) }
    }

    /// Keeps the last lines of output of a worker that leaves the foreground (1.8).
    private func takeSnapshot(of worker: Worker) {
        guard let patterns = worker.configuration.snapshotRedact else { return }
        worker.snapshot = host.lastOutput(of: worker.id).redacted(by: patterns)
    }

    package func thaw(_ worker: Worker) {
        sendSignalsBeforeThaw(of: worker)
        host.thaw(worker.id)
    }

    package func start(_ launch: Launch, of worker: Worker) {
        let state = launch.restoresState ? states?.hand(to: worker.configuration.name) : nil
        let details = worker.takeLaunchDetails(savedState: state)
        worker.hasStateFile = state != nil
        host.launch(worker.id, worker.configuration, launch, details)
    }

    package func notify(_ worker: Worker, _ notice: Notice) {
        for observer in observers { observer(worker.id, notice) }
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
