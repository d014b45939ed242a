internal import Glibc

/// Files that people write: looked at and read without ever waiting for another process.
package enum RegularFile {
    /// What a path leads to.
    package enum Kind: Hashable, Sendable {
        /// A regular file, or a symlink to one.
        case regular
        /// /dev/null, or a symlink to it.
        case null
        /// A directory, or a symlink to one.
        case directory
        /// A socket, a FIFO, a device, a symlink that leads nowhere.
        case other
    }

    /// What `path` leads to, by stat(2); nil when nothing is there.
    package static func kind(of path: String) throws(LinuxError) -> Kind? {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return kind(status) }
        let reason = errno
        guard reason == ENOENT || reason == ENOTDIR || reason == ELOOP else {
            throw LinuxError(errno: reason, call: "stat", subject: path)
        }
        // A link into nothing is something: where there is no /dev/null, one to it still means that.
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return linkTarget(of: path) == "/dev/null" ? .null : .other
    }

    /// The content of the regular file at `path`.
    ///
    /// Fails with EISDIR, with EINVAL for anything else that is no regular file, and with EFBIG for more than `limit`
    /// bytes, none of which need be read then. Nothing is waited for: a FIFO or a device is not opened, and if one takes the
    /// file's place in that very moment, it is opened without waiting and closed again.
    ///
    /// `trust` says behind which links it may be; `pass` is that of many files.
    package static func read(
        _ path: String, limit: Int, trusting trust: PathTrust = .any, in pass: DirectoryPass? = nil
    ) throws(LinuxError) -> [UInt8] {
        switch try kind(of: path) {
        case nil: throw LinuxError(errno: ENOENT, call: "open", subject: path)
        case .directory: throw LinuxError(errno: EISDIR, call: "open", subject: path)
        case .null, .other: throw LinuxError(errno: EINVAL, call: "open", subject: path)
        case .regular: break
        }
        let file = try open(path, trust, pass)
        let status = try file.status(path)
        guard kind(status) == .regular else { throw LinuxError(errno: EINVAL, call: "open", subject: path) }
        guard status.st_size <= limit else { throw LinuxError(errno: EFBIG, call: "read", subject: path) }
        return try content(of: file, path, size: Int(status.st_size), limit: limit)
    }

    /// What `body` makes of parts of the regular file at `path`, each read by an offset and a count.
    ///
    /// A part has fewer bytes at the file's end, and none where it cannot be read. It fails as ``read(_:limit:trusting:)`` does.
    package static func withParts<Result>(
        of path: String, _ body: (_ part: (_ offset: UInt64, _ count: Int) -> [UInt8]) -> Result
    ) throws(LinuxError) -> Result {
        guard try kind(of: path) == .regular else {
            throw LinuxError(errno: EINVAL, call: "open", subject: path)
        }
        let file = try open(path, .any)
        guard kind(try file.status(path)) == .regular else {
            throw LinuxError(errno: EINVAL, call: "open", subject: path)
        }
        let descriptor = file.rawValue
        defer { withExtendedLifetime(file) {} }
        return body { offset, count in
            guard offset <= UInt64(Int64.max), count > 0 else { return [] }
            return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
                var read = 0
                repeat {
                    read = unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset))
                } while read < 0 && errno == EINTR
                used = max(read, 0)
            }
        }
    }

    private static func open(
        _ path: String, _ trust: PathTrust, _ pass: DirectoryPass? = nil
    ) throws(LinuxError) -> OwnedDescriptor {
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
        if trust != .any { return try PathWalk.open(path, flags, trusting: trust, in: pass) }
        return OwnedDescriptor(
            adopting: try unsafe check(Glibc.open(path, flags | O_CLOEXEC), "open", path))
    }

    private static func content(
        of file: borrowing OwnedDescriptor, _ path: String, size: Int, limit: Int
    ) throws(LinuxError) -> [UInt8] {
        var content: [UInt8] = []
        // A byte more than it has shows its end in the same read(2).
        var room = size + 1
        while true {
            var count = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, used in
                repeat {
                    count = unsafe Glibc.read(file.rawValue, buffer.baseAddress, room)
                } while count < 0 && errno == EINTR
                used = max(count, 0)
            }
            guard count >= 0 else { throw .last("read", path) }
            if content.isEmpty { content = chunk } else { content += chunk }
            guard content.count <= limit else {
                throw LinuxError(errno: EFBIG, call: "read", subject: path)
            }
            // A file of the kernel says no size, and may give less than there is room for.
            if count == 0 || size > 0 && count < room { return content }
            // It grows while we read: on to its end, or to the limit.
            room = 4096
        }
    }

    private static func kind(_ status: stat) -> Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .regular
        case S_IFDIR: .directory
        // Device 1:3, as the kernel's list of devices has it for good.
        case S_IFCHR where status.st_rdev == 0x103: .null
        default: .other
        }
    }

    private static func linkTarget(of path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink(path, &target, target.count)
        return length > 0
            ? String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}
