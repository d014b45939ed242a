internal import Idleness
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import Waking
internal import WorkerIO

/// What a session is to the parts that it is made of.
extension RunSession: InputCommand, ChildObserver {
    func pass(_ bytes: [UInt8], then: @escaping () -> Void) -> Bool {
        host.pass(bytes, to: worker, then: then)
    }

    func endInput() { host.endInput(of: worker) }

    func inputUsed(_ isUsed: Bool) { submit([.used(isUsed)]) }

    /// From here on only its sockets can wake it.
    func inputEnded() { configuration.useRules.needsSockets = true }

    func childStopped(_: WorkerID, by signal: Signal) { childStopped(by: signal) }

    /// What `--listen` asks for; nil where it asks for nothing.
    static func held(
        for worker: WorkerID, _ configuration: WorkerConfiguration, _ supervisor: Supervisor,
        _ host: LinuxHost
    ) -> HeldSockets? {
        guard !configuration.held.isEmpty else { return nil }
        let held = HeldSockets(
            with: host.waking,
            .init(
                facts: { [supervisor] in supervisor.doorFacts(of: $0) },
                inform: { [host] in host.inform($0, $1) }, processes: { [host] in host.processes(of: $0) }))
        held.define(worker, configuration)
        host.descriptors = held
        supervisor.observe(as: .heldSockets, held)
        return held
    }

    func childStores(_: WorkerID, _ storage: NotifyMessage.Storage, _ descriptors: [Int32]) {
        upward?.store(storage, descriptors)
    }
}
