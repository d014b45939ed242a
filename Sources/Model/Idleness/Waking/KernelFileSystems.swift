/// The numbers of the file systems that the kernel keeps for itself, on this boot, as `sdev` of proc_pid_fdinfo(5) has them.
package struct KernelFileSystems: Hashable, Sendable {
    package let sockets: UInt64
    package let pipes: UInt64
    /// Of eventfds, epoll instances, timers, signalfds, inotify instances….
    package let anonymous: UInt64
    /// Of pidfds; before Linux 6.9 they are anonymous inodes.
    package let pidfds: UInt64

    /// The file systems by their numbers; nil of `pidfds` is that of anonymous inodes.
    package init(sockets: UInt64, pipes: UInt64, anonymous: UInt64, pidfds: UInt64? = nil) {
        self.sockets = sockets
        self.pipes = pipes
        self.anonymous = anonymous
        self.pidfds = pidfds ?? anonymous
    }
}
