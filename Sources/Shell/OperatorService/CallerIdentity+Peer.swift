internal import ControlServer
internal import Linux
internal import Notifications
internal import Processes

extension CallerIdentity {
    /// The caller at the other end of a connection.
    init(_ peer: Peer) {
        self.init(uid: peer.uid, pid: peer.pid, program: ProcessStat.program(of: peer.pid))
    }
}
