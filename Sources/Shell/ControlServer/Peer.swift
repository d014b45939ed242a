internal import ConfigurationSyntax
internal import Linux
package import SupervisorPorts

/// The process at the other end of a connection, as the kernel vouched for it when it was made.
package struct Peer: Hashable, Sendable {
    /// Its effective user.
    package let uid: UInt32
    /// Its effective group.
    package let gid: UInt32
    /// The process, which may have ended since; 0 when our pid namespace does not know it.
    package let pid: Int32
    /// Its supplementary groups.
    package let groups: [UInt32]
    /// Whether it may see everything, and steer.
    package let isOperator: Bool
    /// Whether it may say what runs, too.
    package let mayDefine: Bool
    /// The worker that it is a process of; nil for a client of a control socket.
    package internal(set) var worker: WorkerID?

    /// On whose account its connections go.
    package enum Account: Hashable, Sendable {
        case user(UInt32)
        case worker(WorkerID)
    }

    /// Whether it is neither an operator nor a worker's.
    var isForeign: Bool { worker == nil && !isOperator }

    package var account: Account { worker.map { .worker($0) } ?? .user(uid) }

    /// A peer that `authorization` judges.
    package init(
        uid: UInt32, gid: UInt32, pid: Int32, groups: [UInt32], judgedBy authorization: Authorization
    ) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.groups = groups
        isOperator = authorization.isOperator(uid: uid, groups: [gid] + groups)
        mayDefine = authorization.mayDefine(uid: uid, groups: [gid] + groups)
    }

    /// Whether it was allowed more than `authorization` allows it.
    func exceeds(_ authorization: Authorization) -> Bool {
        guard worker == nil else { return false }
        let groups = [gid] + groups
        return isOperator && !authorization.isOperator(uid: uid, groups: groups)
            || mayDefine && !authorization.mayDefine(uid: uid, groups: groups)
    }

    /// The peer of `socket`.
    init(_ socket: borrowing StreamSocket, judgedBy authorization: Authorization) throws(LinuxError) {
        let credentials = try socket.peerCredentials()
        self.init(
            uid: credentials.uid, gid: credentials.gid, pid: credentials.pid,
            groups: try socket.peerGroups(), judgedBy: authorization)
    }
}

extension Peer: CustomStringConvertible {
    /// For a log line.
    package var description: String { "uid \(uid) pid \(pid)" }
}
