internal import ConfigurationSyntax
internal import Glibc
internal import Launching
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import Notifications
internal import Places
internal import Processes
internal import Supervisor
internal import SupervisorPorts
internal import SystemEvents
internal import Systemd
internal import Waking
internal import WorkerFile
internal import WorkerIO

/// The one worker of `torpor run`, the signals and the terminal between it and the program that started `torpor run`.
final class RunSession: NoticeObserver {
    let loop: EventLoop
    let options: RunOptions
    let host: LinuxHost
    let supervisor: Supervisor
    let worker: WorkerID
    let configuration: WorkerConfiguration
    /// The program as it was given.
    private let name: String
    let signals: SignalTable
    let upward: UpwardNotifier?
    private let statusPrinter: StatusPrinter?
    let caught = SourceBox<SignalSetSource>()
    let terminal: JobTerminal?
    private let watchdog: SleepWatchdog?
    private let control: RunControl?
    let input: RunInput?
    /// The terminal that we were started on; nil for none.
    var screen: RunTerminal?
    private let memory: RunMemory?
    private let sockets: HeldSockets?
    /// Whether standard input was a terminal when we were started.
    let isOnTerminal = Terminal(descriptor: 0) != nil
    /// Whether we were started so that a hangup is ignored, as by nohup(1).
    let ignoresHangup: Bool
    /// Where we were started, until the command is there: we have left it.
    private let start: SourceBox<OwnedDescriptor>
    /// Whether we stop as soon as the command sleeps.
    var stopsWhenAsleep = false
    /// Whether the command sleeps by a stop of the terminal's, and SIGCONT wakes it.
    var sleepsForTerminal = false
    /// Whether we have stopped after passing a signal on, and know of the stop that the command made of it.
    var knowsOfStop = false
    /// The end was asked for since the command was last launched.
    var isEndRequested = false
    /// The machine, as far as its hooks ask for it.
    private var sources: SystemMonitors?
    /// Fetches and low-power mode; nil where no event wakes the command into the background.
    private var backgroundWork: RunBackgroundWork?
    var held = DeferredSignals()
    private var exitStatus: Int32 = 0
    /// When the command was asked to end.
    var stopBegan: Instant?
    /// The signals of the terminal that `torpor run` has received for this process of the command.
    var typed: Set<Signal> = []
    /// Signals that have come before the process of the command was known, and whether the kernel sent them, in order.
    var early: [(signal: Signal, isFromKernel: Bool)] = []
    /// The signal that the command died of and the terminal sent: the parent is to see that `torpor run` dies of it too.
    private(set) var fatalSignal: Signal?

    init(
        on loop: EventLoop, _ options: RunOptions, _ environment: Environment, _ passed: PassedEnvironment,
        blocked: [Signal], host: LinuxHost, groupName: String, memoryGap: String? = nil
    ) throws {
        self.loop = loop
        self.options = options
        self.host = host
        signals = SignalTable(rewrites: options.rewrites, ownSession: options.ownSession)
        let ignored = Self.ignoredSignals
        ignoresHangup = ignored.contains(.hangup)
        let inputUse = Self.inputUse(options)
        input = try inputUse.map { try RunInput($0, on: loop) }
        // Where its lines pass through `torpor run`, the terminal stays with it.
        let leadsSession = options.ownSession && !Self.sharesTerminal(options)
        terminal = leadsSession || inputUse.isPassing ? nil : JobTerminal()
        let upward = UpwardNotifier(passed)
        self.upward = upward
        let period = upward == nil ? nil : passed.watchdogPeriod
        watchdog = try period.map { period in
            try SleepWatchdog(on: loop, period: period) { upward?.answerWatchdog() }
        }
        let name = options.command.first?.description ?? ""
        self.name = name
        statusPrinter = options.isVerbose ? StatusPrinter(name: name) : nil
        let waits = options.waitsForReady || upward != nil
        supervisor = Supervisor(on: loop, host: host)
        var scrubbed = environment.scrubbed()
        // What we were given to hear of memory pressure by is the child's to hear by.
        for variable in [LinuxHost.watchVariable, LinuxHost.writeVariable] {
            scrubbed[variable] = environment[variable]
        }
        // Its signs of life go up, so it has to know how often they are wanted.
        if let period { scrubbed["WATCHDOG_USEC"] = ByteString(String(period)) }
        // What it stores passes through `torpor run`.
        if upward != nil { scrubbed["FDSTORE"] = environment["FDSTORE"] }
        var request = Self.request(options, scrubbed, terminal, hasWatchdog: period != nil)
        request.passedDescriptors = passed.descriptors.map {
            LaunchRequest.PassedDescriptor($0.number, name: $0.name)
        }
        let directory = Self.currentDirectory
        request.ignoredSignals = ignored
        request.blockedSignals = blocked
        let start = SourceBox<OwnedDescriptor>()
        start.handle = ThisProcess.leaveDirectory(
            above: 2 + Int32(clamping: request.passedDescriptors.count))
        request.workingDescriptor = start.handle?.rawValue
        self.start = start
        let relaunch =
            options.evictable == .no
            ? nil
            : Relaunch(directory: directory, terminal: terminal)
        supervisor.start()
        configuration = Self.configuration(
            options, name: name, groupName: groupName, waitsForReady: waits, request, directory, relaunch)
        worker = supervisor.add(configuration)
        sockets = Self.held(for: worker, configuration, supervisor, host)
        memory =
            options.watchesMemory(gap: memoryGap)
            ? RunMemory(on: loop, supervisor, worker, host, gap: memoryGap) : nil
        control = try RunControl(
            groupName, at: options.control, on: loop, supervisor, worker, host, name: Self.workerName(name))
    }

    private static func request(
        _ options: RunOptions, _ environment: Environment, _ terminal: JobTerminal?, hasWatchdog: Bool
    ) -> LaunchRequest {
        var request = LaunchRequest(
            options.command[0], Array(options.command.dropFirst()), environment: environment)
        let leadsSession = options.ownSession && !sharesTerminal(options)
        request.session = leadsSession ? .ownSession : .ownProcessGroup(terminal: terminal?.toHandOver)
        request.inheritsDescriptors = true
        request.setsWatchdogPid = hasWatchdog
        return request
    }

    private static func configuration(
        _ options: RunOptions, name: String, groupName: String, waitsForReady: Bool, _ request: LaunchRequest,
        _ directory: ByteString?, _ relaunch: Relaunch?
    ) -> WorkerConfiguration {
        var policy = Policy.run
        policy.readiness = waitsForReady ? .notify : .exec
        (policy.limits.terminate, policy.limits.stop) = (options.stopTimeout, options.stopTimeout)
        policy.evictable = options.evictable
        policy.idle = options.idle.map { IdlePolicy(delay: $0, isJudged: true) }
        let definition = options.callbacks.definition
        // What signals it slept through is always told.
        policy.hooks = CallbackSet(
            definition.callbacks.actions.keys.compactMap { Callback($0) } + [.didReceiveNotifications])
        let immediate = definition.callbacks.actions.keys.filter {
            definition.completion(of: $0) == .immediately
        }
        policy.immediateHooks = CallbackSet(
            immediate.compactMap { Callback($0) } + [.didReceiveNotifications])
        var stopSignal = Signal.terminate
        if case .stop(let signal) = SignalTable(rewrites: options.rewrites).action(for: .terminate) {
            stopSignal = signal
        }
        let configuration = WorkerConfiguration(
            name: name, groupName: groupName, policy: policy,
            stopSignal: stopSignal, signalTarget: options.ownSession ? .processGroup : .mainProcess,
            hasNotifySocket: waitsForReady || definition.callbacks.completions.values.contains(.notify)
        ) { launch in
            var request = request
            relaunch?.prepare(&request, for: launch)
            return request
        }
        configuration.takeHooks(of: definition) { call, environment throws(LaunchError) in
            let command = try definition.command(for: call)
            var request = LaunchRequest(command, program: command.program, environment: environment)
            request.workingDirectory = directory
            return try PreparedLaunch(request).withNullInput()
        }
        configuration.transfers.wakes = true
        configuration.prepareTransfer = { call throws(LaunchError) in
            var transfer = LaunchRequest(
                ByteString(call.command[0]), call.command.dropFirst().map { ByteString($0) },
                environment: request.environment)
            transfer.environment["TORPOR_TRANSFER"] = ByteString(String(call.number))
            transfer.workingDirectory = call.directory.map { ByteString($0) } ?? directory
            return try PreparedLaunch(transfer).withNullInput()
        }
        configuration.takeSignals()
        configuration.useRules = options.waking.foreground.useRules
        configuration.wakeRules = options.waking.foreground.wakeRules
        configuration.wakesForSilentPosts = options.background.background.modes.contains(.remoteNotification)
        configuration.wakeAllowance = options.background.background.wakeBudget
        configuration.held.sockets = options.waking.foreground.heldSockets()
        configuration.held.name = workerName(name)
        configuration.holdsInput = inputUse(options).isPassing
        configuration.memory.maximum = options.memoryMax
        configuration.endsInput = inputUse(options) == .passes(end: true)
        return configuration
    }

    /// Where we were started, which we leave and the child does not.
    private static var currentDirectory: ByteString? {
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard getcwd(&room, room.count) != nil else { return nil }
        return ByteString(room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)))
    }

    /// The signals that the program which started the wrapper has ignored for its command, as nohup(1) and shells do, and that stay so.
    ///
    /// Not SIGCHLD: a command that waits for its own children would wait in vain.
    private static var ignoredSignals: [Signal] {
        Signal.catchable.filter { $0 != .child && ThisProcess.ignores($0) }
    }

    /// What becomes of standard input: it passes through `torpor run` where a hook writes to it too, or where using it keeps the
    /// child awake; a terminal stays the child's unless a hook needs it.
    static func inputUse(_ options: RunOptions) -> RunInput.Use? {
        let definition = options.callbacks.definition
        if definition.hasInputHook { return .passes(end: false) }
        guard options.idle != nil else { return nil }
        return Terminal(descriptor: 0) == nil ? .passes(end: true) : .watches
    }

    /// Whether a command that would lead a session with the terminal stays in that of `torpor run`: while it sleeps, what is typed to end
    /// it has to reach `torpor run`.
    static func sharesTerminal(_ options: RunOptions) -> Bool {
        options.ownSession && options.idle != nil && inputUse(options) == .watches
            && ThisProcess.session == ThisProcess.pid
    }

    /// Runs to the child's end.
    func run() throws -> Int32 {
        try listen()
        watchTerminal()
        input?.command = self
        listenToTheMachine()
        connectMemory()
        host.childObserver = self
        if statusPrinter != nil {
            StandardError.write("torpor: freeze method: \(host.freezing)\n")
            if let control { StandardError.write("torpor: control socket \(control.address)\n") }
        }
        supervisor.observe(as: .session, self)
        supervisor.submit(.requested(Request(.active, by: .supervisor)), to: worker)
        host.sweepGroups(prefix: Self.groupPrefix)
        let code = try host.endingAllOnFailure { try loop.run() }
        host.lingering.finish()
        sources?.close()
        terminal?.takeBack()
        sockets?.close()
        upward?.stopped()
        control?.close()
        return code
    }

    /// The worker's name for operators: that of the program, without its path.
    private static func workerName(_ program: String) -> String {
        program.split(separator: "/").last.map(String.init) ?? "worker"
    }

    private static let groupPrefix = "torpor-run-"

    /// The name of our group and socket: others of our pid may run in other pid namespaces and share the place.
    static var uniqueName: String {
        "\(groupPrefix)\(ThisProcess.pid)-\(String(UInt32.random(in: 0...UInt32.max), radix: 16))"
    }

    /// Hears of the one worker.
    func hear(_ notice: Notice, of _: WorkerID) {
        // What is told after the command's end is of a launch that is refused; the last change belongs to the end.
        if host.launchesNoMore {
            guard case .changed(let transition) = notice, transition.to == .notRunning else { return }
        }
        statusPrinter?.tell(notice)
        upward?.pass(notice)
        switch notice {
        case .changed(let transition):
            if transition.from == .notRunning { launched() }
            if transition.from == .suspended || transition.from == .notRunning { held.forget() }
            sources?.workerChanged()
            // What was evicted can be woken as if it slept.
            let state = transition.to == .notRunning && isEvicted ? State.suspended : transition.to
            input?.changed(to: state)
            watchdog?.isAsleep = state == .suspended
            // What is typed while it sleeps is for `torpor run`; one that was stopped is a matter of its shell.
            if transition.to == .suspended, transition.cause != .outside { takeTerminalFromSleeper() }
            if transition.from == .suspended { terminal?.handOver() }
            if transition.to == .suspended, stopsWhenAsleep { fellAsleepForTerminal() }
        case .launchFailed(let error):
            StandardError.write("torpor: \(error)\n")
            exitStatus = error.exitStatus
        case .ended(let record):
            if record.cause != .launchFailed { exitStatus = Self.exitStatus(of: record.status) }
            sayKilled(record)
            // A terminal whose foreground the command has sends to it alone.
            fatalSignal = SignalTable.fatalSignal(
                of: record.status, typed: typed, onTerminal: terminal?.isChilds ?? false)
            if staysAfter(record) {
                (typed, stopBegan, fatalSignal) = ([], nil, nil)
                takeTerminalBack()
            } else {
                // A client may have asked for another process meanwhile, which would have no supervisor.
                host.launchesNoMore = true
                loop.exit(exitStatus)
            }
        case .warned: if stopsWhenAsleep { suspendAtOnce() }
        case .launchCompleted, .said, .refused, .surprised, .hookFailed, .hookPrinted, .ignored,
            .remarked, .commandFailed, .commandPrinted, .notificationSetAside, .notificationRemoved,
            .woken, .watched, .opened, .interrupted, .interruptionOver, .completed, .budget, .processing,
            .handoff:
            break
        }
    }

    /// Says that the command did not end in its time, and was killed.
    private func sayKilled(_ record: TerminationRecord) {
        guard let limit = options.stopTimeout, let stopBegan, record.at - stopBegan >= limit,
            case .killed(Signal.kill.rawValue, _) = record.status
        else { return }
        StandardError.write(
            "torpor: \(name) did not end within \(limit.written()) (--stop-timeout), sending SIGKILL\n"
        )
    }

    /// Takes the foreground of the terminal; what was typed before to end the command, and has met it asleep, wakes it.
    private func takeTerminalFromSleeper() {
        guard let terminal else { return }
        terminal.takeBack()
        guard let pid = supervisor.life(of: worker)?.pid else { return }
        let pending = ProcessStat.pendingSignals(of: pid)
        if pending.contains(where: { DeferredSignals.asksForEnd($0, fromKernel: true) }) { wake() }
    }

    private func connectMemory() {
        memory?.start(named: name, verbosely: options.isVerbose)
        control?.pressure = memory.map { memory in { memory.reply() } }
        control?.endRequested = { [unowned self] in endRequested(by: $0) }
    }

    /// Wakes the command for what has come; one whose end has begun is followed by no other.
    func wake() {
        let isEnding = supervisor.life(of: worker)?.isEnding ?? false
        // One that is being evicted is asked for again when it is gone.
        guard !isEndRequested, !isEnding else { return }
        submit([.woken(Wake(.socket, intoForeground: true))])
    }

    func submit(_ events: [Event]) {
        for event in events { supervisor.submit(event, to: worker) }
    }

    private func launched() {
        // What is mounted where we were started can be unmounted now; the child has its own.
        start.handle = nil
        _ = chdir("/")
        guard let pid = supervisor.life(of: worker)?.pid else { return }
        terminal?.childGroup = pid
        sources?.tellPresent(to: worker, of: supervisor)
        isEndRequested = false
        input?.launchedAgain()
        takeEarlySignals()
    }

    /// Opens what its hooks want to hear of.
    ///
    /// The machine's sleep is the business of a command whose life is led, not of one that is merely started.
    private func listenToTheMachine() {
        var subscriptions = SystemSubscriptions(options.callbacks.definition)
        subscriptions.followsMachine = options.idle != nil || !options.callbacks.isEmpty
        guard !subscriptions.isEmpty || !options.background.isEmpty else { return }
        let sources = SystemMonitors(on: loop)
        sources.connect(to: supervisor)
        if options.isVerbose { sources.report = { StandardError.write("torpor: \($0)\n") } }
        self.sources = sources
        sources.set(worker, subscriptions)
        guard !options.background.isEmpty else { return }
        let work = RunBackgroundWork(supervisor, worker, options.background, on: loop, sources)
        backgroundWork = work
        control?.lowPower = work
        control?.background = options.background.background
    }

    private static func exitStatus(of status: ExitStatus) -> Int32 {
        switch status {
        case .exited(let code): code
        case .killed(let signal, _): 128 + signal
        case .unknown: 1
        }
    }
}

extension RunInput.Use? {
    /// Whether `torpor run` reads it.
    var isPassing: Bool {
        if case .passes = self { true } else { false }
    }
}
