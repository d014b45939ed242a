internal import BackgroundWork
internal import CallbackService
internal import Cgroups
internal import ConfigurationSyntax
internal import ControlAPI
internal import ControlServer
internal import Definitions
internal import Glibc
internal import History
internal import Idleness
internal import Launching
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import MemoryPressureShell
internal import OperatorService
package import Places
internal import Pressure
internal import Processes
internal import Scheduling
internal import Supervisor
internal import SupervisorPorts
internal import SystemEvents
internal import Systemd
internal import TransferShell
internal import Waking
internal import WorkerFile
internal import WorkerIO

/// `torpord`: any number of workers, defined by files and by operators, on one loop.
package final class Daemon {
    let options: DaemonOptions
    let version: String
    let loop: EventLoop
    let host: LinuxHost
    let supervisor: Supervisor
    let service: OperatorService
    let log: ChangeLog
    /// The workers that files define, and those without a file.
    let workers: WorkerDefinitions<DiskFileSource>
    private var keeping: DefinedKeeping?
    let groups: CgroupRoot
    let shares: StateShares
    /// Our own nice level, which workers have that do not say another, and whether levels can be lowered again.
    let niceLevel = NiceLevel.of(0) ?? 0
    let mayLowerNice = ThisProcess.mayLowerNiceLevels
    /// Which workers get the priorities of their state when, and what calls for those that have stayed in the background.
    var priorities = PriorityPlan<WorkerID>()
    let priorityTimer = SourceBox<TimeSource>()
    let recorder: Recorder
    let records: LiveRecords?
    let transients: TransientFiles
    let lock: InstanceLock
    /// Nil where nothing can be kept.
    let stateLock: InstanceLock?
    let server: ControlServer
    let workerService: WorkerService
    /// What a predecessor in this process has handed over, until it is taken.
    private var handover: DaemonHandover?
    /// A program is being asked whether it can take over.
    var takeoverCheck: TakeoverCheck?
    /// Ends the waiting for a disk before that.
    let settlingEnd = SourceBox<TimeSource>()
    /// How long nothing was served while we took over.
    var interruption = TimeSpan.zero
    let states: StateFiles
    let fetches: FetchSchedule
    /// Long work at a good time.
    let processing: ProcessingSchedule
    /// Low-power mode.
    let power: LowPowerKeeper
    let system: SystemMonitors
    let memorySources: PressureSources
    let memory: PressureCoordinator
    let wallTimer = SourceBox<WallTimeSource>()
    var manager: ServiceNotifier?
    /// What the manager keeps open for the next daemon.
    let kept: FdStore?
    /// What is held for workers while they have no process.
    let held: HeldSockets
    /// What passes their clients on where they do not take them themselves.
    let relays: WorkerRelays
    /// Commands beside workers, which outlive these and the daemon.
    let transfers: TransferHouse
    var signals: [SourceBox<SignalSource>] = []
    /// Questions to the store for how workers ended last, without an answer yet.
    var recalls = 0
    private let holdEnd = SourceBox<TimeSource>()
    private let lookEnd = SourceBox<TimeSource>()
    let sweeper = SourceBox<DeferSource>()
    let cpu: BackgroundCPUWatch
    /// What observes workers for the daemon, in order.
    var observers: [DaemonObserver] = []
    /// Where this place is looked at (`torpor doctor`).
    let examiner = JobThread()
    /// Where its program is installed, as far as could be found out when it was started.
    let program = ThisProcess.installedProgram
    var definition: DaemonDefinition
    /// Workers whose last process has ended and that are not defined any more.
    var departed: [WorkerID] = []
    var isShuttingDown = false
    /// One whose end is waited for, meanwhile.
    var awaitedAtEnd: RegisteredWorker?
    var isLeaving = false
    private(set) var isReady = false
    /// The workers of which state was kept by a predecessor, and that have not been defined yet.
    var savedStates: Set<String> = []
    private var bootWorkers: Set<WorkerID> = []

    /// A daemon with `options`, on the calling thread, which has to be the only one.
    ///
    /// - Throws: what is in the way: another daemon, an unwritable directory, a bad torpord.conf.
    package init(_ options: DaemonOptions, version: String) throws {
        StandardDescriptors.fill()
        // Ignoring a failure: a system call filter forbids it, and then the filter's author has seen to capabilities.
        try? ThisProcess.clearInheritableCapabilities()
        try SignalSource.block(Self.handled.map(\.rawValue) + [Signal.child.rawValue])
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
        LaunchSlots.reserve(limit: ThisProcess.descriptorLimit)
        let passed = PassedEnvironment.inherited()
        self.options = options
        self.version = version
        try OwnDirectories.makeRuntime(options.runtimeDirectory)
        try OwnDirectories.makeState(options.stateDirectory)
        handover = try DaemonHandover.read(options.takeover)
        if let handover {
            lock = try InstanceLock(
                .runtime, directory: options.runtimeDirectory, inheriting: handover.lock)
        } else {
            lock = try InstanceLock(directory: options.runtimeDirectory)
        }
        stateLock = try InstanceLock.ofState(options.stateDirectory, inheriting: handover?.stateLock)
        let place = SpecifierContext.Place.here()
        let (definition, diagnostics) = try Self.settings(options, at: place)
        self.definition = definition
        log = ChangeLog(level: .init(rawValue: (options.logLevel ?? definition.logLevel).rawValue) ?? .info)
        for diagnostic in diagnostics {
            log.log(LogEntry(.oddDefinition, .warning, "\(diagnostic)"))
        }
        loop = try EventLoop()
        groups = CgroupRoot(for: options.runtimeDirectory)
        host = try LinuxHost(
            on: loop, method: groups.method,
            places: SocketPlaces(directories: [options.runtimeDirectory], allowsAbstract: false))
        supervisor = Supervisor(on: loop, host: host)
        let log = log
        service = OperatorService(
            supervisor, on: loop, method: groups.method, version: version,
            usage: { [host] in host.usage(of: $0) }, problem: { log.log(LogEntry(.warned, .warning, $0)) })
        let submit: (WorkerID) -> Void = { [supervisor] worker in
            supervisor.submit(.cpuLimitExceeded, to: worker)
        }
        cpu = try BackgroundCPUWatch(on: loop, used: { [host] in host.cpuUsed(by: $0) }, exceeded: submit)
        shares = StateShares(groups.method)
        let socket = "\(options.runtimeDirectory)/\(DaemonOptions.socketName)"
        host.supervisor = ByteString(socket)
        workers = WorkerDefinitions(
            of: WorkerLoader(
                directories: options.configurationDirectories, source: DiskFileSource(trusting: .whole),
                place: place),
            in: LaunchContext(place: place, supervisor: socket), for: supervisor, service, daemon: definition,
            shares: shares)
        recorder = Recorder(
            in: options.stateDirectory, maxAge: definition.historyMaxAge.span,
            maxSize: definition.historyMaxSize.bytes, on: loop)
        // Without them everything works, until we are killed.
        records = try? LiveRecords(in: options.runtimeDirectory)
        transients = TransientFiles(in: "\(options.runtimeDirectory)/transient")
        server = try ControlServer(
            options, definition, on: loop, passed, inheriting: handover?.listeners ?? [], handler: service,
            version: version, log: log)
        host.waking.leaveOut { [weak server] in server?.serves($0) ?? false }
        host.waking.sampleInterval = definition.wakeSampleInterval
        host.waking.mostDescriptors = definition.wakeDescriptorsMax
        host.waking.mostSpliced = definition.wakeSpliceMax
        if let program = SpliceRelay.program {
            let loop = self.loop
            host.waking.makeRelay = { SpliceRelay(program, on: loop, tell: $0) }
        }
        workerService = try WorkerService(supervisor, on: loop, host, version: version) {
            log.log(LogEntry(.refused, .notice, $0.description))
        }
        fetches = FetchSchedule(supervisor, on: loop)
        processing = ProcessingSchedule(supervisor, on: loop)
        power = LowPowerKeeper(
            in: options.runtimeDirectory, threshold: definition.lowPowerBelow.percent)
        system = SystemMonitors(on: loop)
        memorySources = PressureSources(on: loop, MemoryCapabilities(groups.method, gap: shares.gap))
        memory = PressureCoordinator(supervisor, memorySources, PressureSettings(definition))
        states = StateFiles(in: "\(options.stateDirectory)/saved", on: loop) {
            log.log(LogEntry(.warned, .warning, $0))
        }
        let manager = ServiceNotifier(passed, on: loop)
        manager?.problem = { log.log(LogEntry(.warned, .warning, $0)) }
        self.manager = manager
        if let manager {
            kept = FdStore(on: loop, stored: Set(handover?.stored ?? [])) { manager.offer($0, $1) }
        } else {
            kept = nil
        }
        // Those of the program that ran before in this process have come with its handover.
        if handover == nil { kept?.inherit(passed.descriptors.filter { StoreName.isOurs($0.name) }) }
        host.keeper = kept
        let facts: (WorkerID) -> HeldDoor.Facts? = { [supervisor] in supervisor.doorFacts(of: $0) }
        let inform: (WorkerID, Fact) -> Void = { [host] in host.inform($0, $1) }
        held = HeldSockets(
            with: host.waking,
            .init(facts: facts, inform: inform, processes: { [host] in host.processes(of: $0) }))
        held.keeper = kept
        held.inherit(handover?.held ?? [])
        (host.descriptors, host.childObserver) = (held, held)
        relays = Self.relays(for: supervisor, host, held, groups)
        transfers = Self.transfers(for: supervisor, service, groups, in: options.runtimeDirectory, on: loop)
        (service.transfers, workerService.transfers) = (transfers, transfers)
        held.launchBegins = { [relays] in relays.stand($0) }
        held.passage = { [relays] in relays.words(of: $0) }
        serveMetrics(passed, inheriting: handover?.metrics)
    }

    /// Runs until it is told to end; returns the exit status.
    package func run() throws -> Int32 {
        service.daemon = self
        service.findings = { [unowned self] in findings(then: $0) }
        ThisProcess.returnsMemory()
        ThisProcess.stayInMemory()
        manager?.summary = { [unowned self] in summary }
        manager?.start()
        savedStates = Set(states.names)
        recorder.report = { [unowned self] event in log(event) }
        host.beginKeepingExitDetails()
        supervisor.start()
        supervisor.states = states
        let keeping = DefinedKeeping(for: self)
        self.keeping = keeping
        (supervisor.definitions, workers.follower) = (workers, keeping)
        restoreInboxes()
        observeWorkers()
        listenToTheMachine()
        listenToMemory()
        beginLowPower()
        sweeper.handle = try DeferSource(on: loop, enabled: .off, priority: .clients) { [unowned self] in
            sweep()
        }
        priorityTimer.handle = try TimeSource(on: loop, accuracy: 10_000, priority: .clients) {
            [unowned self] _ in
            prioritizeBackground()
        }
        try listen()
        logComplaints(reload())
        let inherited: Set<WorkerID>
        if let handover {
            inherited = unpack(handover)
            isReady = handover.isReady
            if isReady { manager?.tell([.ready]) }
            let pause = "after \(interruption.microseconds / 1000) ms"
            note(
                .started, "replaced", "replaced by version \(version), \(pause)",
                message: "torpord replaced by version \(version), \(pause)")
        } else {
            inherited = takeOver()
            note(
                .started, "started", "started; freeze method: \(host.freezing)",
                message: "torpord \(version) started, pid \(ThisProcess.pid)")
            log.log(LogEntry(.started, .notice, "the control socket is \(options.socketPath)"))
            if service.registry.count == 0, service.badSettings.isEmpty {
                let places = workers.loader.directories.map { "\($0)/workers" }.joined(separator: ", ")
                log.log(LogEntry(.started, .notice, "no worker files found; searched \(places)"))
            }
        }
        handover = nil
        goOnWithTransfers()
        processing.begin(.current)
        held.standAll()
        for (name, problem) in held.problems {
            log.log(LogEntry(.warned, .warning, worker: name, problem))
        }
        relays.standAll()
        held.dropUnclaimed()
        kept?.dropUntaken()
        // They have not begun to run, and so their subscriptions have not been read.
        system.setMany { for id in inherited { refreshSubscriptions(of: id) } }
        for id in inherited.sorted() {
            let comparison = supervisor.comparison(for: id)
            if let comparison { system.compare(comparison, for: id) }
        }
        for worker in inherited.sorted() { memory.reconsider(worker) }
        boot(except: inherited)
        holdClients()
        awaitFirstLooks()
        becomeReadyIfBooted()
        // With all workers known: what is taken from here on comes and goes.
        ThisProcess.stayInMemory()
        let status = try loop.run()
        system.close()
        supervisor.keepAllChanges()
        note(
            .stopping, "ended", "ended",
            message: "torpord ended" + (isLeaving ? "; its workers keep running" : ""))
        recorder.close()
        // Before the service that answers is gone: no call is left that has no answer for lack of it.
        if !isLeaving { server.close() }
        // Without a farewell: what would be dropped now are the sockets and pipes of workers that stay.
        if isLeaving { exit(status) }
        relays.close()
        held.close()
        records?.removeAll()
        transients.removeAll()
        shares.withdraw()
        host.lingering.finish()
        groups.remove()
        return status
    }

    // MARK: boot and readiness

    /// Starts the workers that are to be started, except those that go on where a predecessor has left them.
    private func boot(except inherited: Set<WorkerID>) {
        let order = service.registry.all.map(\.id)
        for id in supervisor.launchOrder(order) where !inherited.contains(id) {
            guard let entry = service.registry[id], let mode = entry.loaded?.definition.launch,
                let request = Request(atBoot: mode)
            else {
                continue
            }
            if supervisor.holdsBackAtBoot(id, request) { continue }
            // What a oneshot worker does may take as long as it likes.
            if entry.loaded?.definition.type != .oneshot { bootWorkers.insert(entry.id) }
            let booted: (WaitOutcome) -> Void = { [unowned self] _ in self.booted(id) }
            _ = supervisor.request(request, of: id, then: booted)
        }
        manager?.extendDeadline { [unowned self] in !isReady && !isShuttingDown }
    }

    /// How long clients wait at most for the programs of boot workers, and for what the store knows of all.
    private static let longestHold = TimeSpan.milliseconds(500)

    /// Has clients wait until the workers that are launched at the start have their programs, the store has said how workers ended last, and
    /// paths are watched: the first client is told of a worker that runs or has failed, and not of one that was never launched, and a
    /// change that it makes is noticed.
    private func holdClients() {
        guard isStarting else { return }
        server.hold(true)
        holdEnd.handle = try? TimeSource(on: loop) { [unowned self] _ in serveClients() }
        guard holdEnd.handle != nil else { return server.hold(false) }
        holdEnd.handle?.arm(at: KernelClock.monotonic + Self.longestHold.microseconds)
        host.whenLaunched = { [unowned self] in if !isStarting { serveClients() } }
    }

    func serveClients() {
        guard holdEnd.handle != nil else { return }
        holdEnd.handle = nil
        server.hold(false)
    }

    /// Whether a worker that is launched at the start has not its program yet, how others ended last is not known, or a path that is watched
    /// was not looked at.
    var isStarting: Bool { host.isLaunching || recalls > 0 || system.isLooking }

    /// How long READY waits at most for a path whose file system does not answer.
    private static let longestLook = TimeSpan.seconds(3)

    /// Has READY, and clients for a while, wait until every path that is watched has been looked at once: a change after that is noticed.
    private func awaitFirstLooks() {
        guard system.isLooking else { return }
        lookEnd.handle = try? TimeSource(on: loop) { [unowned self] _ in endFirstLooks() }
        lookEnd.handle?.arm(at: KernelClock.monotonic + Self.longestLook.microseconds)
        system.whenLooked = { [unowned self] in endFirstLooks() }
    }

    private func endFirstLooks() {
        guard lookEnd.handle != nil else { return }
        lookEnd.handle = nil
        if !isStarting { serveClients() }
        becomeReadyIfBooted()
    }

    private func booted(_ worker: WorkerID) {
        bootWorkers.remove(worker)
        becomeReadyIfBooted()
    }

    /// READY once every boot worker has got where it was wanted, or will not, and every path is watched.
    private func becomeReadyIfBooted() {
        guard !isReady, bootWorkers.isEmpty, lookEnd.handle == nil else { return }
        isReady = true
        manager?.tell([.ready])
    }

    /// How the workers stand: `3 active, 2 background, 5 suspended`.
    private var summary: String {
        var counts: [Lifecycle.State: Int] = [:]
        for entry in service.registry.all {
            let id = entry.id
            counts[supervisor.life(of: id)?.state ?? .notRunning, default: 0] += 1
        }
        let parts = [Lifecycle.State.active, .inactive, .background, .suspended].compactMap { state in
            counts[state].map { "\($0) \(state)" }
        }
        return parts.isEmpty ? "no worker is running" : parts.joined(separator: ", ")
    }
}
