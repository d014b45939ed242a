package import Launching
package import Linux
package import SupervisorPorts
package import Systemd

/// Makes and serves the sockets of `io.torpor.Worker`, one for each process of a worker that lives by the contract.
package protocol WorkerSockets: AnyObject {
    /// Listens for the processes of a worker at the first of `places` that can be had, before the first of them exists.
    ///
    /// Clients that connect wait until ``admit(_:)``. `user` is the user that has to be able to connect; nil is the user of this process.
    func open(
        for worker: WorkerID, _ name: String, at places: [UnixSocketAddress], user: UInt32?
    ) throws(LaunchError) -> UnixSocketAddress
    /// Serves the processes of a worker, which has been launched.
    func admit(_ worker: WorkerID)
    /// Listens on where a predecessor has.
    func take(_ listener: consuming StreamListener, for worker: WorkerID) throws(SystemdError)
    /// The worker has ended, with all its processes: what they have sent before is heard now.
    func hearLast(_ worker: WorkerID)
    /// It is served no more.
    func close(_ worker: WorkerID)
}
