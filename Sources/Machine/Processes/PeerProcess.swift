internal import CLinux
internal import Glibc
package import Linux

/// The process at the other end of a Unix socket, as the kernel vouches for it.
///
/// A number alone means whatever process has it when it is looked up. With a pidfd it is one process, and what is read of it is
/// true if the process had not been reaped afterwards; ``judge(_:)`` sees to that.
package struct PeerProcess: Hashable, Sendable {
    /// What the kernel said when the connection was made, or the message was sent.
    package let credentials: PeerCredentials
    /// A pidfd of the process, borrowed for as long as the peer is judged; nil where there is none.
    package let pidfd: Int32?
    /// Whether the kernel gives pidfds of peers: without one, the peer has been reaped.
    package let tellsPidfd: Bool

    /// A peer by its credentials, and a pidfd that stays the caller's.
    package init(_ credentials: PeerCredentials, pidfd: Int32? = nil, tellsPidfd: Bool = false) {
        self.credentials = credentials
        self.pidfd = pidfd
        self.tellsPidfd = tellsPidfd || pidfd != nil
    }

    /// What is known of a peer.
    package enum Judgement: Hashable, Sendable {
        /// It is a process, alive or a zombie, and what was asked of it is so.
        case isSo
        /// It is a process, and it is not so; or nothing can be said.
        case isNot
        /// It has been reaped.
        case gone
    }

    /// Asks `isSo` of the process by its number, and answers only where that number was this process's all the time.
    ///
    /// On kernels without pidfds of peers (before Linux 6.5) the number has to do, and the user that the kernel vouches for must be one
    /// that the process has, or one of `users`, so that a later process of the number is not taken for a peer of another user.
    package func judge(users: [UInt32] = [], _ isSo: (Int32) -> Bool) -> Judgement {
        let pid = credentials.pid
        if let pidfd {
            guard torpor_pidfd_pid(pidfd) == pid else { return .gone }
            let answer = isSo(pid)
            guard torpor_pidfd_pid(pidfd) == pid else { return .gone }
            return answer ? .isSo : .isNot
        }
        if tellsPidfd { return .gone }
        guard pid > 0, ProcessStat.read(pid: pid) != nil else { return .gone }
        guard isSo(pid) else { return .isNot }
        return users.contains(credentials.uid) || ProcessStat.users(of: pid).contains(credentials.uid)
            ? .isSo : .isNot
    }

    /// The id of the group that it was in when it ended; nil where the kernel does not tell.
    package var lastGroup: UInt64? {
        var group: UInt64 = 0
        guard let pidfd, unsafe torpor_pidfd_cgroup(pidfd, &group) == 1 else { return nil }
        return group
    }
}

extension ProcessStat {
    /// The real, effective, saved and file system user of process `pid`, from proc_pid_status(5); none when it is gone.
    package static func users(of pid: Int32) -> [UInt32] {
        guard let status = try? KernelFile.text("/proc/\(pid)/status"),
            let line = status.lines.first(where: { $0.hasPrefix("Uid:") })
        else { return [] }
        return line.dropFirst(4).split(whereSeparator: { $0 == "\t" || $0 == " " }).compactMap { UInt32($0) }
    }
}
