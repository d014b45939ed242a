internal import Glibc

/// The file of a bound Unix socket: removed when the value ends, if it is still the one that was bound.
struct SocketPlace: ~Copyable, Sendable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Takes over the socket file that has just been bound at `path`, and gives it `access`.
    init(bound path: String, access: SocketAccess) throws(LinuxError) {
        var mode = access.mode
        if let user = access.user, unsafe lchown(path, user, gid_t.max) != 0 {
            // Without CAP_CHOWN every user may come, and is judged.
            guard errno == EPERM else { throw LinuxError(errno: errno, call: "chown", subject: path) }
            mode = SocketAccess.everybody.mode
        }
        guard unsafe chmod(path, mode) == 0 else {
            throw LinuxError(errno: errno, call: "chmod", subject: path)
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            throw LinuxError(errno: errno, call: "lstat", subject: path)
        }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// The socket file at `path`; nil when there is none.
    init?(existing path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    deinit {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        // Ignoring the result: the next process that binds there clears it away.
        if status.st_dev == device, status.st_ino == inode { unsafe unlink(path) }
    }

    /// Removes the socket that a predecessor left at `path`, which would make bind(2) fail.
    ///
    /// Nothing but a socket is removed. Ignoring failures: bind(2) reports them.
    static func clear(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        unsafe unlink(path)
    }
}
