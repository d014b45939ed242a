/// Which users may connect or send to a Unix socket with a path, besides root: those that may write to its file (unix(7)).
package struct SocketAccess: Hashable, Sendable {
    /// The file's mode.
    package let mode: UInt32
    /// The user that the file is given to; nil leaves it with the user of this process.
    package let user: UInt32?

    /// A file of this mode, and of this user.
    package init(mode: UInt32, user: UInt32? = nil) {
        self.mode = mode
        self.user = user
    }

    /// Our own user alone.
    package static let ours = SocketAccess(mode: 0o600)
    /// Every local user: peers are judged when they come.
    package static let everybody = SocketAccess(mode: 0o666)

    /// For the processes of a worker that runs as `user`; nil is our own.
    ///
    /// A worker that has root's rights may become any other user by itself: every user may come then, and is judged by the kernel's
    /// word whose process it is.
    package init(for user: UInt32?) {
        if let user, user != ThisProcess.effectiveUser {
            self.init(mode: 0o600, user: user)
        } else {
            self = ThisProcess.isPrivileged ? .everybody : .ours
        }
    }
}
