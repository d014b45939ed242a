internal import CLinux
internal import Glibc

extension StreamSocket {
    /// The process that made the connection, as it was at that moment (`SO_PEERCRED`, unix(7)).
    ///
    /// The pid is 0 for a process outside this process's pid namespace.
    package borrowing func peerCredentials() throws(LinuxError) -> PeerCredentials {
        var (pid, uid, gid): (pid_t, uid_t, gid_t) = (0, 0, 0)
        let result = unsafe torpor_unix_peer(rawValue, &pid, &uid, &gid)
        guard result == 0 else {
            throw LinuxError(errno: -result, call: "getsockopt", subject: "SO_PEERCRED")
        }
        return PeerCredentials(pid: pid, uid: uid, gid: gid)
    }

    /// A pidfd of the process that made the connection (`SO_PEERPIDFD`); nil where the kernel gives none, or the process has been
    /// reaped.
    package borrowing func peerPidfd() -> Pidfd? {
        let result = torpor_unix_peer_pidfd(rawValue)
        return result >= 0 ? Pidfd(owning: result) : nil
    }

    /// Whether the kernel gives pidfds of peers: from Linux 6.5 on.
    package borrowing func tellsPeerPidfd() -> Bool {
        let result = torpor_unix_peer_pidfd(rawValue)
        if result >= 0 { close(result) }
        return result != -ENOPROTOOPT
    }

    /// The supplementary groups of the process that made the connection (`SO_PEERGROUPS`); none where the kernel cannot tell.
    package borrowing func peerGroups() throws(LinuxError) -> [UInt32] {
        var groups = [gid_t](repeating: 0, count: 32)
        while true {
            let result = unsafe torpor_unix_peer_groups(rawValue, &groups, Int32(groups.count))
            if result == -ENOPROTOOPT || result == -ENODATA { return [] }
            guard result >= 0 else {
                throw LinuxError(errno: -result, call: "getsockopt", subject: "SO_PEERGROUPS")
            }
            if result <= groups.count { return Array(groups.prefix(Int(result))) }
            groups = [gid_t](repeating: 0, count: Int(result))
        }
    }
}
