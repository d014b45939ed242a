internal import ControlAPI
internal import History
internal import Lifecycle
internal import Linux
internal import MemoryPressureShell
internal import OperatorService
internal import Supervisor
internal import Systemd
internal import TransferShell

/// What signals mean to the daemon, and how it goes (2.1): with its workers, or without them.
extension Daemon {
    /// All workers were asked to end: as long as their own deadlines let them, the manager has to wait.
    func allAreEnding() {
        transfers.stopAll()
        manager?.extendDeadline { [unowned self] in !running.isEmpty || transfers.isRunning }
    }

    func received(_ signal: Signal, _ info: SignalInfo) {
        if signal == .hangup {
            if isReady { manager?.tell([.reloading(since: KernelClock.monotonic)]) }
            let report = reload()
            log.log(LogEntry(.reloaded, .notice, "reloaded: \(report.sentence)"))
            logComplaints(report)
            if isReady { manager?.tell([.ready]) }
            return
        }
        let sender = "\(signal) from pid \(info.senderPID), uid \(info.senderUID)"
        if groups.outlivesUs, !isShuttingDown, !running.isEmpty { return leave(sender) }
        let left = isShuttingDown ? running.map(\.name) : []
        let waits = left.isEmpty ? "" : "; still running: " + left.prefix(8).joined(separator: ", ")
        log.log(LogEntry(.stopping, .notice, "\(sender): stopping all workers\(waits)"))
        shutDown(by: .operator(uid: info.senderUID, pid: info.senderPID))
    }

    /// Ends, and leaves workers where they are: in a unit that outlives the daemon, for the next daemon to find (2.1).
    private func leave(_ sender: String) {
        let names = running.map(\.name)
        let shown = names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", …" : "")
        let count = names.count == 1 ? "1 worker remains" : "\(names.count) workers remain"
        let command = ThisProcess.isRoot ? "systemctl" : "systemctl --user"
        log.log(
            LogEntry(
                .stopping, .notice,
                "\(sender): exiting; \(count) in \(CgroupRoot.holder) (\(shown)): "
                    + "use '\(command) stop \(CgroupRoot.holder)' to stop them"))
        isLeaving = true
        manager?.tell([.stopping, .status("\(count) in \(CgroupRoot.holder)")])
        loop.exit(0)
    }

    /// Ends every worker, in parallel, each as gracefully as it may; then the daemon.
    ///
    /// From here on no worker is launched, whatever happens. Asked again, it asks those that still run once more.
    private func shutDown(by requester: Requester) {
        if !isShuttingDown {
            isShuttingDown = true
            manager?.tell([.stopping])
            supervisor.close()
            memory.close()
        }
        let order = supervisor.launchOrder(service.registry.all.map(\.id))
        supervisor.look(at: order)
        for id in order.reversed() {
            _ = supervisor.request(Request(.notRunning, by: requester), of: id, wasLooked: true)
        }
        allAreEnding()
        endIfEmpty()
    }

    func endIfEmpty() {
        guard isShuttingDown, !transfers.isRunning else { return }
        // Asked at each end: what was still there the last time mostly is, and thousands are not gone through for it.
        if let awaitedAtEnd, isRunning(awaitedAtEnd) { return }
        awaitedAtEnd = service.registry.all.first(where: isRunning)
        if awaitedAtEnd == nil { loop.exit(0) }
    }

    /// The workers whose process has not ended.
    private var running: [RegisteredWorker] { service.registry.all.filter(isRunning) }
}
