internal import Glibc
internal import Lifecycle
internal import Linux
internal import Notifications
internal import Systemd
internal import WorkerFile

// Unchecked: all of it, and the supervisor that calls it, is on the thread of the loop.

/// The one worker of `torpor run`, the signals and the terminal between it and whoever started us.
final class RunSession: @unchecked Sendable {
    let loop: EventLoop
    let options: RunOptions
    private let host: LinuxHost
    let supervisor: Supervisor
    let worker: WorkerID
    /// The program as it was given.
    private let name: String
    let signals: SignalTable
    private let upward: UpwardNotifier?
    private let narrator: Narrator?
    private let caught = SourceBox<SignalSetSource>()
    let terminal: JobTerminal?
    private let watchdog: SleepWatchdog?
    private let control: RunControl?
    private let input: RunInput?
    private let memory: RunMemory?
    /// Whether standard input was a terminal when we were started.
    let isOnTerminal = Terminal(descriptor: 0) != nil
    /// Somebody has asked for the end since the command was last launched.
    var isEndWished = false
    /// The machine, as far as its hooks ask for it.
    private var sources: SystemSources?
    private var held = HeldSignals()
    private var exitStatus: Int32 = 0

    init(
        on loop: EventLoop, _ options: RunOptions, _ environment: Environment, _ passed: PassedEnvironment,
        host: LinuxHost, memoryGap: String? = nil
    ) throws {
        self.loop = loop
        self.options = options
        self.host = host
        signals = SignalTable(rewrites: options.rewrites)
        let inputUse = Self.inputUse(options)
        input = try inputUse.map { try RunInput($0, on: loop) }
        // Where its lines come through us, the terminal stays ours.
        terminal = options.ownSession || inputUse.isPassing ? nil : JobTerminal()
        let upward = UpwardNotifier(passed)
        self.upward = upward
        let period = upward == nil ? nil : passed.watchdogPeriod
        watchdog = try period.map { period in
            try SleepWatchdog(on: loop, period: period) { upward?.answerWatchdog() }
        }
        let name = options.command.first?.description ?? ""
        self.name = name
        narrator = options.isVerbose ? Narrator(name: name) : nil
        let waits = options.waitsForReady || upward != nil
        supervisor = Supervisor(on: loop, host: host)
        var scrubbed = environment.scrubbed()
        // What we were given to hear of memory pressure by is the child's to hear by.
        for variable in [LinuxHost.watchVariable, LinuxHost.writeVariable] {
            scrubbed[variable] = environment[variable]
        }
        // Its signs of life go up, so it has to know how often they are wanted.
        if let period { scrubbed["WATCHDOG_USEC"] = ByteString(String(period)) }
        // What it stores passes through us.
        if upward != nil { scrubbed["FDSTORE"] = environment["FDSTORE"] }
        var request = Self.request(options, scrubbed, terminal, hasWatchdog: period != nil)
        request.passedDescriptors = passed.descriptors.map {
            LaunchRequest.PassedDescriptor($0.number, name: $0.name)
        }
        let groupName = Self.uniqueName
        let directory = Self.currentDirectory
        let relaunch =
            options.evictable == .no
            ? nil
            : Relaunch(
                directory: directory, terminal: terminal,
                takesTerminal: options.ownSession && !inputUse.isPassing)
        worker = supervisor.assumeIsolated { [options, request] supervisor in
            supervisor.start()
            return supervisor.add(
                Self.blueprint(
                    options, name: name, groupName: groupName, waitsForReady: waits, request, relaunch))
        }
        memory =
            options.watchesMemory(gap: memoryGap)
            ? RunMemory(on: loop, supervisor, worker, host, gap: memoryGap) : nil
        control = RunControl(groupName, on: loop, supervisor, worker, host, name: Self.workerName(name))
    }

    private static func request(
        _ options: RunOptions, _ environment: Environment, _ terminal: JobTerminal?, hasWatchdog: Bool
    ) -> LaunchRequest {
        var request = LaunchRequest(
            options.command[0], Array(options.command.dropFirst()), environment: environment)
        request.session = options.ownSession ? .ownSession : .ownProcessGroup(terminal: terminal?.toHandOver)
        request.inheritsDescriptors = true
        request.setsWatchdogPid = hasWatchdog
        return request
    }

    private static func blueprint(
        _ options: RunOptions, name: String, groupName: String, waitsForReady: Bool, _ request: LaunchRequest,
        _ relaunch: Relaunch?
    ) -> Blueprint {
        var policy = Policy.run
        policy.readiness = waitsForReady ? .notify : .exec
        policy.limits.stop = options.stopTimeout
        policy.evictable = options.evictable
        policy.idle = options.idle.map { IdlePolicy(delay: $0) }
        let definition = options.callbacks.definition
        // What signals it slept through is always told.
        policy.hooks = CallbackSet(
            definition.callbacks.actions.keys.compactMap { Callback($0) } + [.didReceiveNotifications])
        var stopSignal = Signal.terminate
        if case .stop(let signal) = SignalTable(rewrites: options.rewrites).action(for: .terminate) {
            stopSignal = signal
        }
        let blueprint = Blueprint(
            name: name, groupName: groupName, policy: policy,
            stopSignal: stopSignal, signalTarget: options.ownSession ? .processGroup : .mainProcess,
            hasNotifySocket: waitsForReady || definition.callbacks.completions.values.contains(.notify)
        ) { launch in
            var request = request
            relaunch?.prepare(&request, for: launch)
            return request
        }
        let directory = relaunch?.directory ?? currentDirectory
        blueprint.takeHooks(of: definition) { call, environment throws(LaunchError) in
            let command = try definition.command(for: call)
            var request = LaunchRequest(command, program: command.program, environment: environment)
            request.workingDirectory = directory
            return try PreparedLaunch(request).withNullInput()
        }
        blueprint.takeSignals()
        blueprint.holdsInput = inputUse(options).isPassing
        blueprint.memory.maximum = options.memoryMax
        blueprint.endsInput = inputUse(options) == .passes(end: true)
        return blueprint
    }

    /// Where we were started, which we leave and the child does not.
    private static var currentDirectory: ByteString? {
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard getcwd(&room, room.count) != nil else { return nil }
        return ByteString(room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)))
    }

    /// What becomes of our standard input: it passes through us where a hook writes to it too, or where using it keeps the
    /// child awake; a terminal stays the child's unless a hook needs it.
    private static func inputUse(_ options: RunOptions) -> RunInput.Use? {
        let definition = options.callbacks.definition
        if definition.hasInputHook { return .passes(end: false) }
        guard options.idle != nil else { return nil }
        return Terminal(descriptor: 0) == nil ? .passes(end: true) : .watches
    }

    /// Runs to the child's end.
    func run() throws -> Int32 {
        try listen()
        giveUpTerminal()
        connectInput()
        listenToTheMachine()
        connectMemory()
        host.stopped = { [unowned self] _, signal in childStopped(by: signal) }
        host.stores = { [upward] _, storage, descriptors in upward?.store(storage, descriptors) }
        if narrator != nil {
            StandardError.write("torpor: sleeps by \(host.freezing)\n")
            if let control { StandardError.write("torpor: control socket \(control.address)\n") }
        }
        let observer: @Sendable (WorkerID, Notice) -> Void = { [unowned self] _, notice in observe(notice) }
        supervisor.assumeIsolated { supervisor in
            supervisor.observe(observer)
            supervisor.submit(.requested(Request(.active, by: .supervisor)), to: worker)
        }
        host.sweepGroups(prefix: Self.groupPrefix)
        let code = try loop.run()
        sources?.close()
        terminal?.takeBack()
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
    private static var uniqueName: String {
        "\(groupPrefix)\(ThisProcess.pid)-\(String(UInt32.random(in: 0...UInt32.max), radix: 16))"
    }

    private func observe(_ notice: Notice) {
        narrator?.tell(notice)
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
        case .launchFailed(let error):
            StandardError.write("torpor: \(error)\n")
            exitStatus = error.exitStatus
        case .ended(let record):
            if record.cause != .launchFailed { exitStatus = Self.exitStatus(of: record.status) }
            if staysAfter(record) { takeTerminalBack() } else { loop.exit(exitStatus) }
        case .launchCompleted, .said, .warned, .refused, .surprised, .hookFailed, .hookPrinted, .ignored:
            break
        }
    }

    private func connectInput() {
        guard let input else { return }
        input.pass = { [host, worker] bytes, then in host.pass(bytes, to: worker, then: then) }
        input.end = { [host, worker] in host.endInput(of: worker) }
        input.wake = { [unowned self] in
            submit([.woken(Wake(.socket, intoForeground: true))])
        }
        // A use that is over at once: the idle delay begins anew.
        input.used = { [unowned self] in submit([.used(true), .used(false)]) }
    }

    private func connectMemory() {
        memory?.start(named: name, verbosely: options.isVerbose)
        control?.pressure = memory.map { memory in { memory.reply() } }
        control?.endWished = { [unowned self] in endWished(by: $0) }
    }

    func submit(_ events: [Event]) {
        supervisor.assumeIsolated { supervisor in
            for event in events { supervisor.submit(event, to: worker) }
        }
    }

    private func launched() {
        // Whatever is mounted where we were started can be unmounted now; the child has its own.
        _ = chdir("/")
        guard let pid = supervisor.assumeIsolated({ $0.life(of: worker)?.pid }) else { return }
        terminal?.childGroup = pid
        sources?.tellPresent(to: worker, of: supervisor)
        isEndWished = false
        input?.launchedAgain()
    }

    /// Opens what its hooks want to hear of.
    ///
    /// The machine's sleep is the business of a command whose life is led, not of one that is merely started.
    private func listenToTheMachine() {
        var wants = SystemWants(options.callbacks.definition)
        wants.followsMachine = options.idle != nil || !options.callbacks.isEmpty
        guard !wants.isEmpty else { return }
        let sources = SystemSources(on: loop)
        sources.connect(to: supervisor)
        if options.isVerbose { sources.report = { StandardError.write("torpor: \($0)\n") } }
        self.sources = sources
        sources.set(worker, wants)
    }

    private static func exitStatus(of status: ExitStatus) -> Int32 {
        switch status {
        case .exited(let code): code
        case .killed(let signal, _): 128 + signal
        case .unknown: 1
        }
    }

    // MARK: signals

    private func listen() throws {
        let signals = Signal.catchable.filter { $0 != .child }
        caught.handle = try SignalSetSource(on: loop, signals: signals.map(\.rawValue)) {
            [unowned self] info in
            // What a write of ours to a pipe without a reader has earned us is not meant for the child.
            if info.number == SIGPIPE, info.senderPID == ThisProcess.pid { return }
            guard let signal = Signal(rawValue: info.number) else { return }
            received(signal)
        }
    }

    /// Whether the terminal becomes that of the child's own session.
    var givesTerminal: Bool { options.ownSession && !Self.inputUse(options).isPassing }

    private func received(_ signal: Signal) {
        if isEvicted { return receivedAlone(signal) }
        switch signals.action(for: signal) {
        case .drop:
            break
        case .forward(let signal): forward(signal)
        case .stop(let signal):
            isEndWished = true
            supervisor.assumeIsolated { supervisor in
                // The model sends the first one; each further one is passed on as it comes.
                guard let life = supervisor.life(of: worker), !life.isEnding else {
                    return supervisor.forward(signal, to: worker)
                }
                supervisor.submit(
                    .requested(Request(.notRunning, by: .supervisor)), to: worker)
            }
        case .suspend:
            suspend()
        case .resume:
            resume()
        }
    }

    /// To one that runs at once; what comes for one that sleeps is counted, and waits for it.
    private func forward(_ signal: Signal) {
        let isAsleep = supervisor.assumeIsolated { $0.life(of: worker)?.state } == .suspended
        let isScreen = signal == .windowChange
        let post: Post? =
            isScreen
            ? HeldSignals.screen((0...2).lazy.compactMap { Terminal(descriptor: $0) }.first)
            : isAsleep && HeldSignals.holds(signal) ? held.take(signal) : nil
        supervisor.assumeIsolated { supervisor in
            let isOurs = isScreen && options.callbacks.hears(.screenChanged)
            if let post, isAsleep || isOurs { supervisor.post(post, to: worker) }
            if !isAsleep || post == nil { supervisor.forward(signal, to: worker) }
        }
    }

    /// SIGTSTP, SIGTTIN, SIGTTOU: child and wrapper stop, as one job (2.1).
    private func suspend() {
        host.stopForOutside(worker)
        supervisor.assumeIsolated { $0.submit(.stoppedOutside, to: worker) }
        stopOurselves()
    }

    /// The terminal stops the child's process group and not ours: who started us waits for us to stop.
    private func childStopped(by signal: Signal) {
        // Nobody could continue the leader of a session.
        guard let terminal, terminal.isJob, signal != .stop else { return }
        stopOurselves()
    }

    func stopOurselves() {
        // The kernel ignores it for a container's init; nobody waits for that one to stop.
        _ = kill(getpid(), SIGSTOP)
    }

    /// SIGCONT: to the child like any signal, and to whatever of it we have stopped besides.
    private func resume() {
        terminal?.handOver()
        input?.look()
        host.continueForOutside(worker)
    }

    /// A child that leads a session gets our terminal, if it is ours to give: only a session's leader can.
    private func giveUpTerminal() {
        if givesTerminal { Terminal.giveUp() }
    }
}

extension Blueprint {
    /// Passes on what the worker has slept through, unless its options do something else with it.
    fileprivate func takeSignals() {
        let hooks: [SystemTopic: Hook] = [
            .signalReceived: Hook(.signals([]), completes: .immediately),
            .screenChanged: Hook(.signals([.windowChange]), completes: .immediately),
        ]
        for (topic, hook) in hooks where notificationHooks[topic.rawValue] == nil {
            notificationHooks[topic.rawValue] = hook
        }
    }
}

extension RunInput.Use? {
    /// Whether it is read by us.
    fileprivate var isPassing: Bool {
        if case .passes = self { true } else { false }
    }
}
