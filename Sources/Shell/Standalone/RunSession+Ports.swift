internal import Idleness
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import SupervisorPorts
internal import Systemd

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

    func childStores(_: WorkerID, _ storage: NotifyMessage.Storage, _ descriptors: [Int32]) {
        upward?.store(storage, descriptors)
    }
}
