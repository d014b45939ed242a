internal import ControlAPI
internal import History
internal import Launching
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import MemoryPressureShell
internal import MetricsShell
internal import OperatorService
internal import Places
internal import Records
internal import Store
internal import Supervisor
internal import SupervisorPorts

/// What happened: recorded as it happens, and told when a client asks.
extension Daemon {
    /// Keeps what is worth keeping of a notice.
    func keep(_ notice: Notice, of entry: RegisteredWorker) {
        let moment = supervisor.moment
        let end = recorder.record(notice, of: entry.name, at: moment, exitDetails: exitDetails(of: entry.id))
        if let end { entry.lastEnd = LastEnd(.init(end)) }
    }

    /// Logs something that the daemon itself does, and keeps it in the history.
    ///
    /// The history says it in the words of `message`, where that is another.
    func note(
        _ kind: LogEntry.Kind, _ word: String, worker: String? = nil, _ sentence: String,
        message: String? = nil
    ) {
        log.log(LogEntry(kind, .notice, worker: worker, sentence))
        let now = host.now
        recorder.record(
            HistoryEntry(
                worker: worker ?? "", kind: .supervisor, at: WallClock.microseconds(of: now, now: now),
                reason: word, message: (message ?? sentence).printable(limit: LogEntry.lengthLimit)))
    }

    private func exitDetails(of id: WorkerID) -> ExitDetails? {
        let kept = supervisor.view(of: id)?.queueLength ?? 0
        var exitDetails = host.takeExitDetails(of: id) ?? (kept > 0 ? ExitDetails() : nil)
        exitDetails?.queueLength = Int64(kept)
        // A launch that has not got as far as to the host.
        if exitDetails?.lastOutput.isEmpty ?? true,
            let failure = supervisor.launchFailure(of: id)
        {
            exitDetails = exitDetails ?? ExitDetails()
            exitDetails?.lastOutput = [failure.description]
        }
        if let loss = memory.takeLoss(of: id) {
            exitDetails = exitDetails ?? ExitDetails()
            exitDetails?.freedMemory = loss.freed
            exitDetails?.givenBack = loss.givenBack
            service.meters.freed(loss.freed, by: id)
        }
        return exitDetails
    }

    /// Looks up how these workers ended last, in the life of another daemon.
    func recall(_ names: [String]) {
        guard !names.isEmpty else { return }
        let bootID = Machine.bootID
        recalls += 1
        recorder.lastTerminations(of: names) { [unowned self] found in
            for end in found {
                // What has happened since is newer.
                guard let entry = service.registry[end.content.worker], entry.lastEnd == nil else { continue }
                entry.lastEnd = LastEnd(.init(end.content))
                // Since this boot it has been launched: how it ended decides what brings it back.
                guard end.bootID == bootID,
                    let cause = TerminationRecord.Cause(rawValue: end.content.cause)
                else { continue }
                let id = entry.id
                supervisor.recall(cause, of: id)
            }
            recalls -= 1
            if !isStarting { serveClients() }
        }
    }

    /// Asks how processes ended; answers nil where too many questions of the asker wait already.
    func report(
        _ parameters: API.Report.Parameters, by asker: Asker,
        then answer: @escaping (API.Report.Reply?) -> Void
    ) {
        let limits = API.Report.limits
        let query = Query(
            names: parameters.names, before: parameters.before,
            limit: Int(clamping: min(parameters.limit ?? Int64(limits.usual), Int64(limits.most))))
        recorder.terminations(query, by: asker) { page in
            if page.problem?.code == .crowded { return answer(nil) }
            answer(
                API.Report.Reply(
                    reports: page.rows.map(API.TerminationReport.init), hasOlder: page.hasOlder,
                    incomplete: page.problem?.description))
        }
    }

    /// Asks what happened; answers nil where too many questions of the asker wait already.
    func history(
        _ parameters: API.History.Parameters, by asker: Asker,
        then answer: @escaping (API.History.Reply?) -> Void
    ) {
        let limits = API.History.limits
        let query = Query(
            names: parameters.names, before: parameters.before, since: parameters.since,
            until: parameters.until, kinds: parameters.kinds?.map(\.rawValue), reasons: parameters.reasons,
            limit: Int(clamping: min(parameters.limit ?? Int64(limits.usual), Int64(limits.most))))
        recorder.history(query, by: asker) { page in
            if page.problem?.code == .crowded { return answer(nil) }
            answer(
                API.History.Reply(
                    entries: page.rows.map(API.HistoryEntry.init), hasOlder: page.hasOlder,
                    nextBefore: page.continuation,
                    incomplete: page.problem?.description))
        }
    }

    func log(_ event: StoreEvent) {
        let level: API.LogLevel =
            switch event {
            case .unavailable, .unreadable: .err
            case .setAside, .lost, .oddRows: .warning
            case .available, .readable: .notice
            }
        log.log(LogEntry(.kept, level, event.description))
    }
}
