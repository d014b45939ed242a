internal import Glibc
internal import Lifecycle
internal import Linux
internal import Systemd

/// The one worker of `torpor run`, the signals and the terminal between it and whoever started us.
// Unchecked: all of it, and the supervisor that calls it, is on the thread of the loop.
final class RunSession: @unchecked Sendable {
    private let loop: EventLoop
    private let options: RunOptions
    private let host: LinuxHost
    private let supervisor: Supervisor
    private let worker: WorkerID
    private let signals: SignalTable
    private let upward: UpwardNotifier?
    private let narrator: Narrator?
    private var sources: [SourceBox<SignalSource>] = []
    private let terminal: Terminal?
    private var exitStatus: Int32 = 0

    init(
        on loop: EventLoop, _ options: RunOptions, _ environment: Environment, _ passed: PassedEnvironment,
        host: LinuxHost
    ) throws {
        self.loop = loop
        self.options = options
        self.host = host
        signals = SignalTable(rewrites: options.rewrites)
        terminal = Terminal(descriptor: 0)
        upward = UpwardNotifier(passed)
        let name = options.command.first?.description ?? ""
        narrator = options.isVerbose ? Narrator(name: name) : nil
        let waits = options.waitsForReady || upward != nil
        supervisor = Supervisor(on: loop, host: host)
        worker = supervisor.assumeIsolated { [options] supervisor in
            supervisor.start()
            return supervisor.add(Self.blueprint(options, environment, name: name, waitsForReady: waits))
        }
    }

    private static func blueprint(
        _ options: RunOptions, _ environment: Environment, name: String, waitsForReady: Bool
    ) -> Blueprint {
        var policy = Policy.run
        policy.readiness = waitsForReady ? .notify : .exec
        policy.limits.stop = options.stopTimeout
        let terminal = Terminal(descriptor: 0)?.descriptor
        var stopSignal = Signal.terminate
        if case .stop(let signal) = SignalTable(rewrites: options.rewrites).action(for: .terminate) {
            stopSignal = signal
        }
        return Blueprint(
            name: name, groupName: "torpor-run-\(ThisProcess.pid)", policy: policy, stopSignal: stopSignal,
            signalTarget: options.ownSession ? .processGroup : .mainProcess, hasNotifySocket: waitsForReady
        ) { _ in
            var request = LaunchRequest(
                options.command[0], Array(options.command.dropFirst()), environment: environment.scrubbed())
            request.session = options.ownSession ? .ownSession : .ownProcessGroup(terminal: terminal)
            return request
        }
    }

    /// Runs to the child's end.
    func run() throws -> Int32 {
        try listen()
        handOverTerminal()
        if narrator != nil { Narrator.write("torpor: sleeps by \(host.freezing)\n") }
        let observer: @Sendable (WorkerID, Notice) -> Void = { [unowned self] _, notice in observe(notice) }
        supervisor.assumeIsolated { supervisor in
            supervisor.observe(observer)
            supervisor.submit(.requested(Request(.active, by: .supervisor)), to: worker)
        }
        // Whatever is mounted where we were started can be unmounted now; the child has its own.
        _ = chdir("/")
        let code = try loop.run()
        upward?.stopped()
        return code
    }

    private func observe(_ notice: Notice) {
        narrator?.tell(notice)
        upward?.pass(notice)
        switch notice {
        case .launchFailed(let error):
            Narrator.write("torpor: \(error)\n")
            exitStatus = error.exitStatus
        case .ended(let record):
            if record.cause != .launchFailed { exitStatus = Self.exitStatus(of: record.status) }
            loop.exit(exitStatus)
        case .changed, .launchCompleted, .said, .warned, .refused, .surprised, .ignored:
            break
        }
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
        for signal in Signal.catchable where signal != .child {
            let box = SourceBox<SignalSource>()
            box.handle = try SignalSource(on: loop, signal: signal.rawValue) { [unowned self] _ in
                received(signal)
            }
            sources.append(box)
        }
    }

    private func received(_ signal: Signal) {
        switch signals.action(for: signal) {
        case .drop:
            break
        case .forward(let signal):
            supervisor.assumeIsolated { $0.forward(signal, to: worker) }
        case .stop(let signal):
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

    /// SIGTSTP, SIGTTIN, SIGTTOU: child and wrapper stop, as one job (2.1).
    private func suspend() {
        host.stopForOutside(worker)
        supervisor.assumeIsolated { $0.submit(.stoppedOutside, to: worker) }
        // The kernel ignores it for a container's init; nobody waits for that one to stop.
        _ = kill(getpid(), SIGSTOP)
    }

    private func resume() {
        if !options.ownSession, let terminal,
            let pid = supervisor.assumeIsolated({ $0.life(of: worker)?.pid })
        {
            // A shell that brings us to the foreground means the child.
            if (try? terminal.foregroundGroup()) == ThisProcess.group {
                try? terminal.setForegroundGroup(pid)
            }
        }
        host.continueForOutside(worker)
    }

    // MARK: the terminal

    /// A child that leads a session gets our terminal, if it is ours to give: only a session's leader can.
    private func handOverTerminal() {
        guard options.ownSession, let terminal, ThisProcess.session == ThisProcess.pid else { return }
        // Without a controlling terminal there is nothing to give up.
        try? terminal.release()
    }
}
