package import Lifecycle
package import LinuxHost
package import Processes
package import SupervisorPorts
internal import Waking
package import WorkerIO

/// What the workers' interface needs of the host.
package protocol WorkerSocketHost: AnyObject {
    /// The monotonic clock.
    var now: Instant { get }
    /// Whether a peer is a process of the worker.
    func owns(_ worker: WorkerID, _ peer: PeerProcess) -> Bool
    /// Has workers that are launched served at `sockets`; a connection to one of the names that it `serves` wakes none.
    func use(_ sockets: any WorkerSockets, serves: @escaping ([UInt8]) -> Bool)
}

extension LinuxHost: WorkerSocketHost {
    /// Has workers that are launched served at `sockets`.
    package func use(_ sockets: any WorkerSockets, serves: @escaping ([UInt8]) -> Bool) {
        workerSockets = sockets
        waking.leaveOut(serves)
    }
}
