internal import BackgroundWork
internal import ControlAPI
internal import Definitions
internal import History
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts
internal import SystemEvents
internal import Systemd
internal import Waking

extension Daemon {
    /// Forgets a worker, if there is nothing that it could come back for, in a turn of its own.
    func depart(_ worker: WorkerID) {
        departed.append(worker)
        sweeper.handle?.setEnabled(.oneshot)
    }

    /// Closes the sockets that are held for a worker: of one that did not run no end tells that nothing brings it back.
    func isBarred(_ worker: WorkerID) {
        held.stand(worker)
        relays.stand(worker)
    }

    /// Forgets workers that are gone for good; ends when none is left and the end was asked for.
    func sweep() {
        let gone = departed
        departed = []
        for id in gone {
            guard let entry = service.registry[id], entry.isTransient || entry.isOrphaned else { continue }
            // Its Restart= rule brings it back: it has not ended for good.
            if entry.isTransient, !isShuttingDown, supervisor.awaitsRestart(id) {
                continue
            }
            if entry.isTransient { supervisor.dropNotifications(of: id) }
            if workers.drop(entry), entry.isTransient { transients.remove(entry.name) }
        }
        endIfEmpty()
    }

    func logComplaints(_ report: API.Reload.Reply) {
        for failure in report.failed { log.log(LogEntry(.invalidDefinition, .err, failure.oneLine)) }
        for warning in report.warnings { log.log(LogEntry(.oddDefinition, .warning, warning.oneLine)) }
    }
}
