internal import Glibc

extension Signal {
    /// Sends this signal to process `pid`, as kill(2).
    ///
    /// Fails with ESRCH when there is none, EPERM when this process may not signal it, EINVAL for what kill(2) would take
    /// for a group or for every process. A pid may have been given to another process: see ``Pidfd``.
    package func send(toProcess pid: Int32) throws(LinuxError) {
        guard pid > 0 else { throw LinuxError(errno: EINVAL, call: "kill", subject: "process \(pid)") }
        try check(Glibc.kill(pid, rawValue), "kill", "process \(pid)")
    }

    /// Sends this signal to every process of group `group`, as killpg(3).
    ///
    /// Succeeds when at least one could be signalled; fails with ESRCH when there is none, and with EINVAL for 0 and
    /// 1, which would mean the caller's own group and every process.
    package func send(toGroup group: Int32) throws(LinuxError) {
        guard group > 1 else { throw LinuxError(errno: EINVAL, call: "kill", subject: "group \(group)") }
        try check(Glibc.kill(-group, rawValue), "kill", "group \(group)")
    }
}
