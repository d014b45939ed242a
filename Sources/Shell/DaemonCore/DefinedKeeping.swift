internal import BackgroundWork
internal import ConfigurationSyntax
internal import ControlAPI
internal import Definitions
internal import Idleness
internal import Lifecycle
internal import LinuxHost
internal import MemoryPressureShell
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts
internal import SystemEvents
internal import TransferShell
internal import Waking
internal import WorkerFile

/// What the daemon keeps for each worker besides its supervision, as its definition says.
final class DefinedKeeping: DefinitionFollower {
    private unowned let daemon: Daemon

    init(for daemon: Daemon) { self.daemon = daemon }

    func defined(
        _ entry: RegisteredWorker, by plan: LaunchPlan, as configuration: WorkerConfiguration, isNew: Bool
    ) {
        let id = entry.id
        daemon.held.define(id, configuration)
        daemon.relays.define(id, configuration)
        daemon.fetches.set(id, plan.worker.definition)
        daemon.processing.set(id, plan.worker.definition)
        if isNew {
            if daemon.savedStates.remove(plan.name) != nil {
                daemon.supervisor.submit(.savedState(true), to: id)
            }
        } else {
            daemon.host.rulesChanged(of: id)
            daemon.shares.limitTasks(of: plan)
            daemon.memory.reconsider(id)
        }
        daemon.refreshSubscriptions(of: id)
        daemon.transfers.defined(id)
    }

    func undefined(_ worker: WorkerID) {
        daemon.fetches.remove(worker)
        daemon.processing.remove(worker)
        daemon.system.set(worker, nil)
        daemon.relays.forget(worker)
        daemon.held.forget(worker)
    }

    /// Which sockets of a worker cannot be held: they are tried again.
    func shortcomings(of entry: RegisteredWorker) -> [SupervisorInterface.Diagnostic] {
        // Before that a process that is about to be taken over may have it.
        guard daemon.isReady else { return [] }
        var found: [SupervisorInterface.Diagnostic] = []
        for status in daemon.supervisor.host.heldSockets(of: entry.id) {
            guard case .failed(let problem) = status.standing else { continue }
            let diagnostic = Diagnostic(
                .warning, file: entry.loaded?.files.first ?? entry.name, key: status.socket.kind.rawValue,
                problem: "\(status.socket.addressWords): \(problem)")
            found.append(SupervisorInterface.Diagnostic(diagnostic, worker: entry.name))
        }
        return found
    }

    func cameToBe(_ names: [String]) { daemon.recall(names) }
}
