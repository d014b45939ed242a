internal import Idleness
package import SupervisorPorts

extension HeldSockets {
    /// Those of a worker at which connections are accepted that a relay may pass on.
    ///
    /// A Unix client is relayed only where that was asked for: the worker would take the relay for it.
    package func relayed(of id: WorkerID, withUnix: Bool) -> [Int32] {
        (workers[id]?.sockets ?? []).filter { socket in
            socket.socket.kind == .stream && (withUnix || socket.socket.isInternet)
        }.compactMap(\.descriptor)
    }
}
