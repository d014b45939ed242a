internal import Cgroups
internal import ControlAPI
internal import History
internal import Lifecycle
internal import OperatorService
internal import Supervisor
internal import Systemd
internal import TransferShell
internal import WorkerFile

/// Transfers of workers (3.1): they go on where the daemon does not.
extension Daemon {
    /// The transfers of the workers of `supervisor`.
    static func transfers(
        for supervisor: Supervisor, _ service: OperatorService, _ groups: CgroupRoot, in directory: String,
        on loop: EventLoop
    ) -> TransferHouse {
        var tree: CgroupTree?
        if case .cgroup(let found) = groups.method { tree = found }
        return TransferHouse(
            supervisor, on: loop,
            .init(program: TransferHouse.program, directory: "\(directory)/transfers", tree: tree)
        ) { [unowned service] in service.registry[$0]?.id }
    }

    /// Goes on with those that a predecessor has left, when their workers are there.
    func goOnWithTransfers() {
        transfers.log = { [unowned self] in log.log(LogEntry(.warned, .notice, worker: $0, $1)) }
        transfers.changed = { [unowned self] in endIfEmpty() }
        transfers.setMost(definition.transfersMax)
        transfers.takeOver()
    }
}
