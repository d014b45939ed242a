internal import Glibc

extension OwnedDescriptor {
    /// What a file is opened for.
    package enum Purpose: Hashable, Sendable {
        /// To be read.
        case reading
        /// To be written from its beginning, as it is; made when it is missing.
        case writing
        /// To be written at its end; made when it is missing.
        case appending
        /// To be written, emptied first; made when it is missing.
        case truncating

        fileprivate var flags: Int32 {
            switch self {
            case .reading: O_RDONLY
            case .writing: O_WRONLY | O_CREAT
            case .appending: O_WRONLY | O_CREAT | O_APPEND
            case .truncating: O_WRONLY | O_CREAT
            }
        }
    }

    /// Opens `path` for a child's standard stream; a file that it makes has mode 0644.
    ///
    /// No link is followed that another user may have made (``PathTrust/ownLinks``), and no process is waited for: a FIFO
    /// without a reader is ENXIO. Reading and writing wait as usual afterwards, and no terminal becomes the controlling one.
    package static func open(_ path: String, for purpose: Purpose) throws(LinuxError) -> OwnedDescriptor {
        let flags = purpose.flags | O_NONBLOCK | O_NOCTTY
        let opened: OwnedDescriptor
        if let null = null(path, flags) {
            opened = null
        } else {
            opened = try PathWalk.open(path, flags, mode: 0o644, trusting: .ownLinks)
        }
        if purpose == .truncating { try opened.empty(path) }
        try check(fcntl(opened.rawValue, F_SETFL, flags & O_APPEND), "fcntl", path)
        return opened
    }

    /// /dev/null, where that is the device (null(4)): most launches have it twice, and a walk to it takes a dozen calls.
    private static func null(_ path: String, _ flags: Int32) -> OwnedDescriptor? {
        guard path == "/dev/null" else { return nil }
        let raw = unsafe Glibc.open(path, flags & ~O_CREAT | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else { return nil }
        let opened = OwnedDescriptor(adopting: raw)
        guard let status = try? opened.status(path), status.st_mode & S_IFMT == S_IFCHR,
            status.st_rdev == nullDevice
        else { return nil }
        return opened
    }

    /// The numbers 1 and 3, as makedev(3) puts them together.
    private static let nullDevice: dev_t = 1 << 8 | 3

    /// Empties a file, once it is known which one it is; anything else has nothing to be emptied.
    private borrowing func empty(_ path: String) throws(LinuxError) {
        guard try status(path).st_mode & S_IFMT == S_IFREG else { return }
        try check(ftruncate(rawValue, 0), "ftruncate", path)
    }

    /// Device and inode as `$JOURNAL_STREAM` has them (systemd.exec(5)); nil when fstat(2) fails.
    package var identity: String? { Self.identity(of: rawValue) }

    /// The same of any descriptor of this process.
    package static func identity(of descriptor: Int32) -> String? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }
}
