internal import Glibc
internal import Launching
internal import Lifecycle
internal import Linux
internal import Supervisor
internal import SupervisorPorts
internal import Systemd

/// A command that was evicted: we stay, with all that it needs, and launch it again when it is wanted (2.3).
extension RunSession {
    /// Whether there is no command, and one will be launched when it is wanted.
    var isEvicted: Bool {
        options.evictable != .no && supervisor.life(of: worker)?.restReason == .evicted
    }

    /// Whether an end that is told is no reason for `torpor run` to end.
    func staysAfter(_ record: TerminationRecord) -> Bool {
        guard options.evictable != .no, !isEndRequested else { return false }
        return record.cause == .evicted || record.cause == .memoryLimit
    }

    /// A signal that has come while there is no command.
    func receivedAlone(_ signal: Signal) {
        switch signals.loneAction(for: signal, onTerminal: isOnTerminal && !ignoresHangup) {
        case .end(let signal): endAlone(by: signal)
        case .launch: submit([.requested(Request(.active, by: .supervisor))])
        case .suspend: stopOurselves()
        case .drop: break
        }
    }

    /// An operator has asked for the end: `torpor run` ends with the command.
    func endRequested(by signal: Signal) {
        isEndRequested = true
        if isEvicted { endAlone(by: signal) }
    }

    /// The signals of the terminal come to `torpor run` until there is another command.
    func takeTerminalBack() {
        terminal?.takeBack()
        guard givesTerminal, let terminal = Self.controlling else { return }
        // Ignoring a failure: another session has taken it meanwhile.
        try? terminal.acquire()
    }

    /// A command that leads a session gets the terminal, if `torpor run` can give it up: only a session's leader can.
    ///
    /// On the loop alone, which reads signals: on another thread it could take the hangup that comes of this for that of the terminal.
    func childLaunches(_: WorkerID) {
        guard givesTerminal, let terminal = Self.controlling else { return }
        // Ignoring a failure: without a controlling terminal there is nothing to give up.
        try? terminal.release()
    }

    /// Standard input, where it is a terminal and we lead the session that it could control.
    private static var controlling: Terminal? {
        ThisProcess.session == ThisProcess.pid ? Terminal(descriptor: 0) : nil
    }

    /// No command is left that could end by this signal: `torpor run` ends, with the status that stands for it.
    private func endAlone(by signal: Signal) { loop.exit(128 + signal.rawValue) }
}

/// How a command is launched that is not the first one: where that was, and on its terminal.
struct Relaunch: Sendable {
    /// Where we were started.
    let directory: ByteString?
    /// The terminal whose foreground is handed over, if `torpor run` has it at the time.
    let terminal: JobTerminal?

    /// Makes `request` that of `launch`.
    func prepare(_ request: inout LaunchRequest, for launch: Launch) {
        request.environment["TORPOR_LAUNCH_STATE"] = launch.intoForeground ? "foreground" : "background"
        request.environment["TORPOR_LAUNCH_REASON"] = ByteString(launch.reason.rawValue)
        request.environment["TORPOR_LAUNCH_RESTORED"] = launch.isRestored ? "1" : nil
        guard launch.isRestored else { return }
        request.workingDirectory = directory
        request.workingDescriptor = nil
        if let terminal { request.session = .ownProcessGroup(terminal: terminal.toHandOver) }
    }
}
