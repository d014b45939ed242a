public import Lifecycle
public import Linux
public import Systemd

/// The shell around the model: it owns the workers, feeds each model with facts and wishes, and has the host carry out what
/// the model decides.
///
/// Everything runs on the loop, nothing awaits. An event that comes while another is handled waits for its turn (rule 4).
public actor Supervisor {
    nonisolated let loop: EventLoop
    let host: any Host
    var workers: [WorkerID: Worker] = [:]
    private var nextWorker: UInt32 = 0
    var nextWait: UInt64 = 0
    private var pending: [Pending] = []
    var isDraining = false
    private var alarms = Alarms()
    private var observers: [(WorkerID, Notice) -> Void] = []
    /// When we ran last: nothing that was armed then has been armed later.
    private var lastRan: Instant?
    /// The loop has been away for longer than this: nobody is to blame for what came due meanwhile (1.4).
    private static let longestStall = TimeSpan.seconds(1)

    /// The loop is the executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// A supervisor without workers, on `loop`.
    public init(on loop: EventLoop, host: any Host) {
        self.loop = loop
        self.host = host
    }

    /// Begins to listen to the host; before anything else is asked.
    public func start() {
        host.facts = { [unowned self] worker, fact in assumeIsolated { $0.receive(fact, of: worker) } }
        host.alarm = { [unowned self] in assumeIsolated { $0.alarmWentOff() } }
    }

    /// Tells `observer` of everything that happens from now on, in order.
    public func observe(_ observer: @escaping (WorkerID, Notice) -> Void) {
        observers.append(observer)
    }

    // MARK: workers

    /// Takes on a worker; it does not run yet.
    public func add(_ blueprint: sending Blueprint) -> WorkerID {
        let id = WorkerID(nextWorker)
        nextWorker += 1
        workers[id] = Worker(id: id, blueprint, at: host.now)
        return id
    }

    /// The model of a worker, as it stands.
    public func life(of worker: WorkerID) -> WorkerLifecycle? { workers[worker]?.life }

    /// Replaces a worker's blueprint: its policy counts at once, the rest from the next launch on.
    public func update(_ worker: WorkerID, to blueprint: sending Blueprint) {
        guard let worker = workers[worker] else { return }
        worker.blueprint = blueprint
        submit(.policyChanged(blueprint.policy), to: worker)
    }

    /// Forgets a worker that has no process; false when it has one.
    public func remove(_ worker: WorkerID) -> Bool {
        guard let known = workers[worker] else { return true }
        guard known.life.state == .notRunning, known.life.currentLaunch == nil else { return false }
        for timer in known.life.armedTimers { alarms.disarm(worker, timer) }
        host.setAlarm(alarms.next())
        workers[worker] = nil
        return true
    }

    /// A worker as it stands now; nil when there is none of that number.
    public func view(of worker: WorkerID) -> WorkerView? {
        workers[worker].map {
            WorkerView(
                id: $0.id, name: $0.blueprint.name, life: $0.life, since: $0.since, statusText: $0.status,
                lastRecord: $0.lastRecord)
        }
    }

    /// Which way workers are frozen here, in words.
    public var freezing: String { host.freezing }

    // MARK: wishes and facts

    /// Gives the model of a worker an event.
    public func submit(_ event: Event, to worker: WorkerID) {
        guard let worker = workers[worker] else { return }
        submit(event, to: worker)
    }

    /// Sends a signal to a worker, which means nothing to its model.
    public func forward(_ signal: Signal, to worker: WorkerID) {
        guard workers[worker]?.life.pid != nil else { return }
        host.signal(worker, signal)
    }

    private func receive(_ fact: Fact, of id: WorkerID) {
        guard let worker = workers[id] else { return }
        switch fact {
        case .exited(let status, let oomKilled): submit(.exited(status, oomKilled: oomKilled), to: worker)
        case .frozen: submit(.frozen, to: worker)
        case .freezeFailed(let reason):
            worker.freezeFailure = reason
            submit(.freezeFailed, to: worker)
        case .thawed: submit(.thawed, to: worker)
        case .stoppedOutside: submit(.stoppedOutside, to: worker)
        case .continuedOutside: submit(.continuedOutside, to: worker)
        case .said(let saying): receive(saying, from: worker)
        case .ignored(let reason): notify(worker, .ignored(reason))
        }
    }

    private func receive(_ saying: Saying, from worker: Worker) {
        if let status = saying.status { worker.status = status }
        if let pid = saying.mainProcess { host.setMainProcess(worker.id, pid: pid) }
        notify(worker, .said(saying))
        for event in saying.events { submit(event, to: worker) }
    }

    private func alarmWentOff() {
        let now = host.now
        accountForStall(at: now)
        while let entry = alarms.popDue(at: now) {
            guard let worker = workers[entry.worker] else { continue }
            submit(
                .expired(entry.timer, generation: entry.generation, traced: host.isTraced(entry.worker)),
                to: worker)
        }
        host.setAlarm(alarms.next())
    }

    /// Moves every deadline when the loop did not run at the time at which the first was due.
    ///
    /// Nobody knows when the absence began. Counted from when we ran last, everybody has as much time as was left then:
    /// counted from the first deadline, that one would be due again at once.
    private func accountForStall(at now: Instant) {
        let before = lastRan ?? now
        lastRan = now
        // What was armed for the past is due at once, and no sign of an absence.
        guard let due = alarms.next(), now - max(due, before) > Self.longestStall else { return }
        for worker in workers.values { pending.append(Pending(worker, .stalled(now - before))) }
        drain()
    }

    func submit(_ event: Event, to worker: Worker, for wish: Wish? = nil) {
        accountForStall(at: host.now)
        pending.append(Pending(worker, event, wish))
        drain()
    }

    /// Gives up the wish of an event that waits for its turn.
    func dropWish(_ token: WaitToken) {
        for index in pending.indices where pending[index].wish?.token == token { pending[index].wish = nil }
    }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        defer { isDraining = false }
        var index = 0
        while index < pending.count {
            let (worker, event) = (pending[index].worker, pending[index].event)
            worker.refusal = nil
            let effects = worker.life.handle(event, at: host.now)
            for effect in effects { perform(effect, on: worker) }
            // Only now: its own effects may have given it up.
            if let wish = pending[index].wish { take(wish, of: worker) }
            index += 1
            settleWaiters(of: worker)
        }
        pending.removeAll(keepingCapacity: index < 64)
    }

    // MARK: effects

    private func perform(_ effect: Effect, on worker: Worker) {
        switch effect {
        case .launch(let launch): start(launch, of: worker)
        case .freeze: host.freeze(worker.id)
        case .thaw: host.thaw(worker.id)
        case .stop: host.signal(worker.id, worker.blueprint.stopSignal)
        case .kill: host.kill(worker.id)
        case .inspectResources:
            // A blueprint without a list of what must be released has nothing that could be held.
            pending.append(Pending(worker, .inspected(holdsResource: false)))
        case .arm(let timer, let due, let generation):
            alarms.arm(.init(due: due, worker: worker.id, timer: timer, generation: generation))
            host.setAlarm(alarms.next())
        case .disarm(let timer):
            alarms.disarm(worker.id, timer)
            host.setAlarm(alarms.next())
        case .publish(let transition):
            worker.since = transition.at
            worker.blueprint.stateChanged?(transition)
            notify(worker, .changed(transition))
        case .launchCompleted: notify(worker, .launchCompleted)
        case .record(let record):
            worker.lastRecord = record
            worker.status = nil
            notify(worker, .ended(record))
        case .warn(let warning):
            notify(worker, .warned(warning, detail: warning == .freezeFailed ? worker.freezeFailure : nil))
        case .refuse(let refusal, let requester):
            worker.refusal = refusal
            notify(worker, .refused(refusal, requester))
        case .report(let surprise): notify(worker, .surprised(surprise))
        case .deliver(let delivery):
            // No hook and no connection can have asked for it: what has no receiver fails, and the rule for that applies.
            pending.append(Pending(worker, .completed(id: delivery.id, .failed)))
        case .throttle, .savedState, .answerTask, .drop:
            break
        }
    }

    private func start(_ launch: Launch, of worker: Worker) {
        do throws(LaunchError) {
            let pid = try host.launch(worker.id, worker.blueprint, launch)
            pending.append(Pending(worker, .launched(pid: pid)))
        } catch {
            notify(worker, .launchFailed(error))
            pending.append(Pending(worker, .launchFailed(errno: error.errno)))
        }
    }

    func notify(_ worker: Worker, _ notice: Notice) {
        for observer in observers { observer(worker.id, notice) }
    }
}

/// An event that waits for its turn, and the wish that it carries out.
private struct Pending {
    let worker: Worker
    let event: Event
    var wish: Wish?

    init(_ worker: Worker, _ event: Event, _ wish: Wish? = nil) {
        self.worker = worker
        self.event = event
        self.wish = wish
    }
}
