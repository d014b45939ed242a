package import Linux
package import SupervisorPorts
package import Systemd

/// What stands between a worker and its own parent (`torpor run`): it shares a terminal with it, and passes on what it stores.
package protocol ChildObserver: AnyObject {
    /// A launch begins, on the loop, before there is a process: what the parent has is given up for it now.
    func childLaunches(_ worker: WorkerID)
    /// A main process was stopped by this signal; told after the fact.
    func childStopped(_ worker: WorkerID, by signal: Signal)
    /// What a worker stores in a notify message, or takes back: the descriptors are borrowed for the call.
    func childStores(_ worker: WorkerID, _ storage: NotifyMessage.Storage, _ descriptors: [Int32])
}

extension ChildObserver {
    package func childLaunches(_: WorkerID) {}
}
