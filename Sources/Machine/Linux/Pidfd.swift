internal import CLinux
internal import Glibc

/// A descriptor that means one process and never another, as in pidfd_open(2).
///
/// Dropping it closes it.
///
/// It becomes readable when the process ends.
package struct Pidfd: ~Copyable, Sendable {
    /// The descriptor, for an event source; this value keeps it.
    package let descriptor: Int32

    /// Opens the process that has `pid` now; fails with ESRCH when there is none.
    package init(pid: Int32) throws(LinuxError) {
        descriptor = try check(torpor_pidfd_open(pid), "pidfd_open", "process \(pid)")
    }

    /// Takes over a pidfd that came from elsewhere.
    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends `signal`, as pidfd_send_signal(2); fails with ESRCH once the process has been reaped.
    package func send(_ signal: Signal) throws(LinuxError) {
        try check(
            torpor_pidfd_send_signal(descriptor, signal.rawValue), "pidfd_send_signal", signal.description)
    }

    /// Whether the process has been reaped, so that another may have its number.
    package var hasBeenReaped: Bool { torpor_pidfd_pid(descriptor) < 0 }

    /// Whether the process has ended, reaped or not.
    package var hasEnded: Bool {
        var query = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&query, 1, 0) == 1
    }

    /// The kernel's id of the group that the process is in, or was in when it ended (PIDFD_GET_INFO with PIDFD_INFO_CGROUPID); nil where
    /// the kernel does not tell.
    package var groupID: UInt64? {
        var group: UInt64 = 0
        return unsafe torpor_pidfd_cgroup(descriptor, &group) == 1 ? group : nil
    }

    /// How the process ended, even if it was not our child; nil where the kernel does not tell.
    ///
    /// The kernel tells once the process has been reaped, from Linux 6.15 on (PIDFD_GET_INFO with PIDFD_INFO_EXIT). The
    /// answer is ``ChildEvent/Change/exited(code:)`` or ``ChildEvent/Change/killed(by:coreDumped:)``.
    package func exitInfo() throws(LinuxError) -> ChildEvent.Change? {
        var status: Int32 = 0
        let told = try unsafe check(torpor_pidfd_exit_status(descriptor, &status), "PIDFD_GET_INFO")
        return told == 1 ? ChildEvent.Change(endStatus: status) : nil
    }
}
