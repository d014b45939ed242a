internal import ControlAPI
package import Lifecycle
internal import Linux
internal import Pressure
package import Records
package import SupervisorPorts

extension TerminationEntry {
    /// The record of the model, and what else is known of the end.
    package init(_ record: TerminationRecord, of worker: String, exitDetails: ExitDetails?, now: Instant) {
        var exitStatus: Int64?
        var signal: String?
        switch record.status {
        case .exited(let code): exitStatus = Int64(code)
        case .killed(let number, _): signal = Signal(rawValue: number)?.description ?? "\(number)"
        case .unknown: break
        }
        var requester: TerminationEntry.Requester?
        if case .operator(let uid, let pid) = record.requester {
            requester = .init(uid: Int64(uid), pid: Int64(pid))
        }
        self.init(
            worker: worker, at: WallClock.microseconds(of: record.at, now: now), pid: Int64(record.pid),
            launchReason: record.launchReason.rawValue, state: record.state.rawValue,
            goal: record.goal.rawValue, cause: record.cause.rawValue, code: record.cause.code.map(Int64.init),
            exitStatus: exitStatus, signal: signal, sentence: StatusPrinter.sentence(record),
            requester: requester, ran: record.ran.microseconds,
            inBackground: record.inBackground.microseconds, suspended: record.suspended.microseconds,
            peakMemory: exitDetails?.peakMemory, pressureSome: exitDetails?.pressure?.some.average10,
            pressureFull: exitDetails?.pressure?.full.average10,
            callback: record.unfinished.map { record.unfinishedDirective ?? $0.callback.rawValue },
            callbackAge: record.unfinished?.age.microseconds, queueLength: exitDetails?.queueLength ?? 0,
            lastOutput: exitDetails?.lastOutput ?? [],
            freedMemory: exitDetails?.freedMemory, givenBack: exitDetails?.givenBack)
    }
}

extension SupervisorInterface.Termination {
    /// An end as the interface tells of it.
    package init(_ entry: TerminationEntry) {
        self.init(
            at: entry.at, pid: entry.pid, cause: entry.cause,
            code: entry.code.map { "0x" + String($0, radix: 16) }, exitStatus: entry.exitStatus,
            signal: entry.signal, sentence: entry.sentence,
            // What only another version knows is told as the end that it was.
            state: .init(rawValue: entry.state) ?? .notRunning,
            goal: .init(rawValue: entry.goal) ?? .notRunning,
            launchReason: .init(rawValue: entry.launchReason),
            requestedBy: entry.requester.map { .init(uid: $0.uid, pid: $0.pid) }, runUsec: entry.ran,
            backgroundUsec: entry.inBackground, suspendedUsec: entry.suspended,
            peakMemoryBytes: entry.peakMemory, pressureSome: entry.pressureSome,
            pressureFull: entry.pressureFull, freedBytes: entry.freedMemory, givenBackBytes: entry.givenBack,
            callback: entry.callback, callbackUsec: entry.callbackAge,
            queueLength: entry.queueLength, lastOutput: entry.lastOutput.isEmpty ? nil : entry.lastOutput)
    }
}

extension SupervisorInterface.TerminationReport {
    /// An end that was stored, as the interface tells of it.
    package init(_ stored: Stored<TerminationEntry>) {
        self.init(
            id: stored.id, worker: stored.content.worker, bootId: stored.bootID,
            termination: .init(stored.content))
    }
}

extension SupervisorInterface.HistoryEntry {
    /// An entry that was stored, as the interface tells of it.
    package init(_ stored: Stored<HistoryEntry>) {
        let entry = stored.content
        var caller: SupervisorInterface.Caller?
        if let uid = entry.uid, let pid = entry.pid { caller = .init(uid: uid, pid: pid) }
        self.init(
            id: stored.id, worker: entry.worker.isEmpty ? nil : entry.worker, bootId: stored.bootID,
            at: entry.at, kind: .init(rawValue: entry.kind.rawValue) ?? .warned,
            from: entry.from.flatMap { .init(rawValue: $0) }, to: entry.to.flatMap { .init(rawValue: $0) },
            reason: entry.reason, requestedBy: caller, suspendedForUsec: entry.suspendedFor,
            notTold: entry.notTold?.split(separator: " ").map(String.init) ?? [], message: entry.message)
    }
}
