internal import Continuing
internal import Idleness
internal import Launching
internal import Lifecycle
package import SupervisorPorts

/// What the host tells of workers, as events of their models.
extension Supervisor {
    /// Has the model of a worker handle a fact, or tells of it.
    package func receive(_ fact: Fact, of id: WorkerID) {
        guard let worker = workers[id] else { return }
        switch fact {
        case .program(let program): launchFound(program, of: worker)
        case .launched(let pid):
            worker.startTime = host.startTime(of: id)
            worker.launchFailure = nil
            submit(.launched(pid: pid), to: worker)
        case .launchFailed(let error):
            // Told after what it is the reason of has begun, and before that has an end.
            worker.launchFailure = error
            if !worker.life.isLaunchCalledOff { notify(worker, .launchFailed(error)) }
            submit(.launchFailed(errno: error.errno), to: worker)
        case .launchAbandoned:
            worker.launchFailure = nil
            submit(.launchAbandoned, to: worker)
        case .exited(let status, let oomKilled): submit(.exited(status, oomKilled: oomKilled), to: worker)
        case .frozen: submit(.frozen, to: worker)
        case .freezeFailed(let reason):
            worker.freezeFailure = reason
            submit(.freezeFailed, to: worker)
        case .thawed: submit(.thawed, to: worker)
        case .stoppedOutside: submit(.stoppedOutside, to: worker)
        case .continuedOutside: submit(.continuedOutside, to: worker)
        case .said(let report): receive(report, from: worker)
        case .ignored(let reason): notify(worker, .ignored(reason))
        case .remarked(let remark): notify(worker, .remarked(remark))
        case .hookEnded(let id, let completion, let result):
            hookEnded(id, completion, result, of: worker)
        case .hookPrinted(let callback, let line): notify(worker, .hookPrinted(callback, line))
        case .commandPrinted(let command, let line): notify(worker, .commandPrinted(command, line))
        case .inspected(let held, let detail):
            worker.heldDetail = detail
            submit(.inspected(held), to: worker)
        case .memory(let fact): receive(fact, of: worker)
        case .cpuRead(let reading): submit(.cpuRead(reading), to: worker)
        case .usedLast(let use):
            worker.sleepTally.judged(isExchange: use.isExchange)
            submit(.usedLast(use), to: worker)
        case .wanted(let reason, let isExplained): wanted(worker, by: reason, isExplained: isExplained)
        case .knocked(let reason): knocked(worker, by: reason)
        case .watched(let words):
            notify(worker, .watched(words + idleCause(of: worker)))
            if worker.life.state == .suspended, worker.life.goalRequester != .idle {
                host.inspectDebt(of: id)
            }
        }
    }

    /// Why a worker sleeps that has been suspended for idleness, as a further clause; empty for one that others have suspended.
    private func idleCause(of worker: Worker) -> String {
        guard worker.life.state == .suspended, worker.life.goalRequester == .idle else { return "" }
        return host.lastUse(of: worker.id).map { "; last used: \($0.words(at: host.now))" }
            ?? "; not used yet"
    }

    private func receive(_ report: NotifyReport, from worker: Worker) {
        if let status = report.status { worker.status = status }
        if let pid = report.mainProcess {
            host.setMainProcess(worker.id, pid: pid)
            // It is recognized by that after the supervisor has crashed.
            worker.startTime = host.startTime(of: worker.id)
        }
        notify(worker, .said(report))
        if let activity = report.userActivity { settleActivities(of: worker.id, activity.event) }
        for event in report.events { submit(event, to: worker) }
    }
}
