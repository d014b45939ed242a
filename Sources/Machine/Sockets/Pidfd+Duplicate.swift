internal import CLinux
package import Linux

extension Pidfd {
    /// Another descriptor of the open file that the process has at `descriptor`, closed on exec (pidfd_getfd(2)).
    ///
    /// EPERM where the process may not be traced (`PTRACE_MODE_ATTACH_REALCREDS`, ptrace(2); `kernel.yama.ptrace_scope`), EBADF where
    /// it has no such descriptor, ESRCH once it has ended, EMFILE where this process may have no more.
    package func duplicate(_ descriptor: Int32) throws(LinuxError) -> OwnedDescriptor {
        OwnedDescriptor(
            adopting: try check(
                torpor_pidfd_getfd(self.descriptor, descriptor), "pidfd_getfd", "descriptor \(descriptor)"))
    }
}
