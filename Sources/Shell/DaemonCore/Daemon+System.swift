internal import ControlAPI
internal import History
internal import Lifecycle
internal import Linux
internal import OperatorService
internal import Supervisor
package import SupervisorPorts
internal import SystemEvents
internal import Systemd
internal import Varlink
internal import WorkerFile

/// What happens on the machine, on its way to the workers that want to hear of it.
extension Daemon: AttachmentObserver {
    /// Connects the sources with the workers; before any is defined.
    func listenToTheMachine() {
        system.report = { [unowned self] in log.log(LogEntry(.warned, .warning, $0)) }
        system.connect(to: supervisor)
        supervisor.attachmentObserver = self
    }

    /// What a worker hears depends on what its connection receives.
    package func receiverChanged(of id: WorkerID) {
        refreshSubscriptions(of: id)
        system.tellPresent(to: id, of: supervisor)
    }

    /// A worker has changed its state: with its process goes what it wants to hear.
    func followOnTheMachine(_ transition: Transition, of id: WorkerID) {
        if transition.from == .notRunning {
            refreshSubscriptions(of: id)
            system.tellPresent(to: id, of: supervisor)
        } else if transition.to == .notRunning {
            system.stopComparing(id)
            refreshSubscriptions(of: id)
        }
        system.workerChanged()
    }

    /// Listens to what a worker wants to hear of now, and to nothing else: that depends on whether it runs, and on what its
    /// connection receives.
    func refreshSubscriptions(of id: WorkerID) {
        guard let entry = service.registry[id], !entry.isOrphaned, let definition = entry.loaded?.definition
        else { return system.set(id, nil) }
        let connection = supervisor.life(of: id)?.state == .notRunning ? nil : supervisor.connection(of: id)
        guard let connection else { return system.set(id, .whileNotRunning(definition)) }
        system.set(id, SystemSubscriptions(definition, connection: connection))
    }
}
