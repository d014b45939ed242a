internal import Glibc
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import Notifications
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import WorkerFile

/// The signals that the wrapper gets, and what they mean for the command.
extension RunSession {
    /// Hears every signal that can be caught, but for SIGCHLD.
    func listen() throws {
        let signals = Signal.catchable.filter { $0 != .child }
        caught.handle = try SignalSetSource(on: loop, signals: signals.map(\.rawValue)) {
            [unowned self] info in
            // SIGPIPE from a write of `torpor run` to a pipe without a reader is not meant for the child.
            if info.number == SIGPIPE, info.senderPID == ThisProcess.pid { return }
            guard let signal = Signal(rawValue: info.number) else { return }
            let isFromKernel = info.code == Int32(SI_KERNEL)
            received(signal, fromKernel: isFromKernel && !(ignoresHangup && signal == .hangup))
        }
    }

    /// Watches the terminal for what the kernel tells the command alone, also while that sleeps.
    func watchTerminal() {
        screen = RunTerminal(
            on: loop, looksForSize: options.callbacks.hears(.screenChanged),
            hungUp: { [unowned self] in
                // One that runs has heard of it from the kernel, and of its shell.
                let isAsleep = supervisor.life(of: worker)?.state == .suspended
                if !ignoresHangup, isAsleep || isEvicted { received(.hangup, fromKernel: true) }
            },
            resized: { [unowned self] in
                let terminal = (0...2).lazy.compactMap { Terminal(descriptor: $0) }.first
                supervisor.post(DeferredSignals.screen(terminal), to: worker)
            })
    }

    /// Whether the terminal becomes that of the child's own session.
    var givesTerminal: Bool {
        options.ownSession && !Self.sharesTerminal(options) && !Self.inputUse(options).isPassing
    }

    /// Whether the command has been asked for and its process is not known yet: it may run already, and start others by then.
    private var isSpawning: Bool {
        guard let life = supervisor.life(of: worker) else { return false }
        return life.currentLaunch != nil && life.pid == nil
    }

    private func asksForStop(_ signal: Signal) -> Bool {
        if case .stop = signals.action(for: signal) { return true }
        return false
    }

    /// What has come for a process that was not known yet.
    func takeEarlySignals() {
        let early = self.early
        self.early = []
        for (signal, isFromKernel) in early { received(signal, fromKernel: isFromKernel) }
    }

    /// How many signals are kept for a process that is not known yet; what comes beyond is lost, as with the kernel's own limit.
    private static let mostEarly = 10_000

    /// Keeps a signal as the kernel would (signal(7)): of a standard one a single one, of a real-time one as many as come; the launch may
    /// take as long as a file system does.
    private func keepEarly(_ signal: Signal, fromKernel: Bool) {
        guard early.count < Self.mostEarly,
            signal.isRealTime || !early.contains(where: { $0.signal == signal })
        else { return }
        early.append((signal, fromKernel))
    }

    private func received(_ signal: Signal, fromKernel: Bool) {
        if fromKernel { typed.insert(signal) }
        if isEvicted { return receivedAlone(signal) }
        if isSpawning, !asksForStop(signal) {
            return keepEarly(signal, fromKernel: fromKernel)
        }
        switch signals.action(for: signal) {
        case .drop:
            break
        case .forward(let target):
            forward(target, atOnce: DeferredSignals.asksForEnd(signal, fromKernel: fromKernel))
        case .stop(let signal):
            isEndRequested = true
            stopBegan = stopBegan ?? Instant(microseconds: KernelClock.monotonic)
            // The model sends the first one; each further one is passed on as it comes.
            guard let life = supervisor.life(of: worker), !life.isEnding else {
                return supervisor.forward(signal, to: worker)
            }
            supervisor.submit(.requested(Request(.notRunning, by: .supervisor)), to: worker)
        case .suspend:
            suspend()
        case .suspendOurselves(let passed):
            suspendOurselves(passing: passed)
        case .resume:
            resume()
        }
    }

    /// To one that runs at once; what comes for one that sleeps is counted, and waits for it, unless it wakes it.
    private func forward(_ signal: Signal, atOnce: Bool) {
        let isAsleep = supervisor.life(of: worker)?.state == .suspended
        if isAsleep, atOnce {
            // Pending before it runs again.
            supervisor.forward(signal, to: worker)
            return wake()
        }
        let isScreen = signal == .windowChange
        let post: Post? =
            isScreen
            ? DeferredSignals.screen((0...2).lazy.compactMap { Terminal(descriptor: $0) }.first)
            : isAsleep && DeferredSignals.holds(signal) ? held.take(signal) : nil
        let isOurs = isScreen && options.callbacks.hears(.screenChanged)
        if isScreen { screen?.note() }
        if let post, isAsleep || isOurs { supervisor.post(post, to: worker) }
        if !isAsleep || post == nil { supervisor.forward(signal, to: worker) }
    }

    /// SIGTSTP, SIGTTIN, SIGTTOU: child and wrapper stop, as one job (2.1); after the child's hooks, where it has any for that.
    private func suspend() {
        guard hearsOfSleep, !stopsWhenAsleep, let life = supervisor.life(of: worker),
            !life.isLaunching,
            !life.isEnding, life.state == .active || life.state == .inactive || life.state == .background
        else { return suspendAtOnce() }
        stopsWhenAsleep = true
        submit([.requested(Request(.suspended, by: .supervisor))])
    }

    /// Whether the child has hooks for the way to sleep.
    private var hearsOfSleep: Bool {
        options.callbacks.hears(.willResignActive) || options.callbacks.hears(.didEnterBackground)
    }

    func suspendAtOnce() {
        stopsWhenAsleep = false
        knowsOfStop = true
        // A group that is frozen cannot be stopped besides, and does not run: `torpor run` stops alone, and what continues it wakes the
        // group.
        if host.isFrozenByUs(worker) {
            sleepsForTerminal = true
            return stopOurselves()
        }
        host.stopForOutside(worker)
        submit([.stoppedOutside])
        stopOurselves()
    }

    /// The child has been told, and sleeps: only what continues `torpor run` wakes it.
    func fellAsleepForTerminal() {
        stopsWhenAsleep = false
        sleepsForTerminal = true
        submit([.stoppedOutside])
        stopOurselves()
    }

    /// A stop that is the child's own matter: we stop, and the child where it does not do something else about it.
    private func suspendOurselves(passing signal: Signal?) {
        // Passed on as it is, it would be no more than a stop.
        if hearsOfSleep, let signal, signals.isStop(signal) { return suspend() }
        if let signal { supervisor.forward(signal, to: worker) }
        knowsOfStop = true
        stopOurselves()
    }

    /// The terminal stops the child's process group and not that of `torpor run`: the shell that started it waits for it to stop, and for
    /// what else is in the pipeline.
    func childStopped(by signal: Signal) {
        guard let terminal, !knowsOfStop else { return }
        let wantsTerminal = signal == .terminalInput || signal == .terminalOutput
        if wantsTerminal, terminal.lend() { return host.continueForOutside(worker) }
        // A shell that is suspended by its user stops itself so; what stops a command elsewhere means the command alone.
        if signal == .stop, !terminal.isChilds { return }
        guard terminal.isJob else {
            // No shell could continue the leader of a session, nor what it has started.
            if signal != .stop { resume() }
            return
        }
        // The one that this process gets itself is discarded by SIGCONT.
        _ = kill(0, SIGTSTP)
        stopOurselves()
    }

    func stopOurselves() {
        // A SIGCONT that waits is for this stop already, and SIGSTOP would discard it (signal(7)).
        if SignalSetSource.isPending(SIGCONT) { return }
        // The kernel ignores it for a container's init; no process waits for that one to stop.
        _ = kill(getpid(), SIGSTOP)
    }

    /// SIGCONT: to the child like any signal, and to whatever of it we have stopped besides.
    private func resume() {
        terminal?.handOver()
        input?.look()
        knowsOfStop = false
        host.continueForOutside(worker)
        if sleepsForTerminal || stopsWhenAsleep {
            (sleepsForTerminal, stopsWhenAsleep) = (false, false)
            submit([.resumeRequested(.supervisor)])
        }
    }
}
