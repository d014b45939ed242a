internal import Glibc

extension OwnedDescriptor {
    /// What a file is opened for.
    public enum Purpose: Hashable, Sendable {
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
            case .truncating: O_WRONLY | O_CREAT | O_TRUNC
            }
        }
    }

    /// Opens `path` for a child's standard stream, by open(2); a file that it makes has mode 0644.
    ///
    /// Nobody is waited for: a FIFO that nobody reads is ENXIO. Whoever uses it then waits as usual, and no terminal becomes
    /// ours.
    public static func open(_ path: String, for purpose: Purpose) throws(LinuxError) -> OwnedDescriptor {
        let flags = purpose.flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let opened = OwnedDescriptor(adopting: try unsafe check(Glibc.open(path, flags, 0o644), "open", path))
        try check(fcntl(opened.rawValue, F_SETFL, flags & O_APPEND), "fcntl", path)
        return opened
    }

    /// Device and inode as `$JOURNAL_STREAM` has them (systemd.exec(5)); nil when fstat(2) fails.
    public var identity: String? { Self.identity(of: rawValue) }

    /// The same of any descriptor of ours.
    public static func identity(of descriptor: Int32) -> String? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }
}
