internal import Glibc

/// A pipe between the supervisor and a worker that outlives either's end: a FIFO by its name, or, where none can be made, a pipe without
/// one (fifo(7)).
///
/// The worker's side holds it open both ways, so that the supervisor's death is no end of input and no SIGPIPE to it.
package struct Fifo: ~Copyable, Sendable {
    /// Where it is, and is removed at its end; nil for a pipe without a name, and of one whose name is another's by now.
    package var path: String?
    /// The end that we keep of a pipe without a name.
    private let kept: OwnedDescriptor?
    /// The worker's end of it, until that is taken.
    private var workersEnd: OwnedDescriptor?

    /// Makes a FIFO at `path` for its owner alone; what was there is removed.
    package init(at path: String, user: UInt32?, group: UInt32?) throws(LinuxError) {
        if unsafe mkfifo(path, 0o600) != 0 {
            if errno == EEXIST, unsafe unlink(path) != 0, errno != ENOENT { throw .last("unlink", path) }
            try unsafe check(mkfifo(path, 0o600), "mkfifo", path)
        }
        // The directory and the file belong to this process: no other user can have put something in its place.
        if user != nil || group != nil, unsafe lchown(path, user ?? .max, group ?? .max) != 0 {
            let error = LinuxError.last("chown", path)
            unsafe _ = unlink(path)
            throw error
        }
        self.path = path
        kept = nil
        workersEnd = nil
    }

    /// A pipe without a name, which we read or write as `direction` says.
    ///
    /// With `endsWithUs` the worker gets one end alone, and our closing the other is its end of input, or SIGPIPE.
    package init(anonymous direction: SharedStream.Direction, endsWithUs: Bool = false) throws(LinuxError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("pipe") }
        let (ours, theirs) = direction == .reading ? (ends[0], ends[1]) : (ends[1], ends[0])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let flags = fcntl(ours, F_GETFL)
        // Where /proc is missing it gets the one end that it needs.
        let both = endsWithUs ? -1 : unsafe Glibc.open("/proc/self/fd/\(theirs)", O_RDWR | O_CLOEXEC)
        if both >= 0 { close(theirs) }
        // Fails for no pipe.
        _ = fcntl(ours, F_SETFL, flags | O_NONBLOCK)
        path = nil
        kept = OwnedDescriptor(adopting: ours)
        workersEnd = OwnedDescriptor(adopting: both >= 0 ? both : theirs)
    }

    /// Takes over the FIFO that a predecessor has made at `path`; ENOENT when there is none.
    package init(adopting path: String) throws(LinuxError) {
        var status = stat()
        try unsafe check(lstat(path, &status), "lstat", path)
        guard status.st_mode & S_IFMT == S_IFIFO else {
            throw LinuxError(errno: ENOENT, call: "lstat", subject: path)
        }
        self.path = path
        kept = nil
        workersEnd = nil
    }

    deinit {
        // Ignoring a failure: another process has removed it.
        if let path { unsafe _ = unlink(path) }
    }

    /// Opens the worker's side, both ways; never waits.
    ///
    /// That of a pipe without a name is there once.
    package mutating func openForWorker() throws(LinuxError) -> OwnedDescriptor {
        if let end = workersEnd.take() { return end }
        return try open(O_RDWR)
    }

    /// Opens our end; ENXIO when the worker has closed its side and we are to write.
    package func openOurs(for direction: SharedStream.Direction) throws(LinuxError) -> OwnedDescriptor {
        if path == nil, let copy = try kept?.duplicate() { return copy }
        return try open((direction == .reading ? O_RDONLY : O_WRONLY) | O_NONBLOCK)
    }

    private func open(_ flags: Int32) throws(LinuxError) -> OwnedDescriptor {
        let path = path ?? ""
        return OwnedDescriptor(
            adopting: try unsafe check(Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW), "open", path))
    }
}

extension OwnedDescriptor {
    /// Reads what is available from a descriptor that does not block.
    package func read(into buffer: inout [UInt8]) -> SharedStream.Outcome {
        unsafe buffer.withUnsafeMutableBytes { room in
            SharedStream.outcome(isRead: true) { unsafe Glibc.read(rawValue, room.baseAddress, room.count) }
        }
    }

    /// Writes as much as a descriptor that does not block takes.
    package func write(_ bytes: ArraySlice<UInt8>) -> SharedStream.Outcome {
        unsafe bytes.withUnsafeBytes { bytes in
            SharedStream.outcome(isRead: false) {
                unsafe Glibc.write(rawValue, bytes.baseAddress, bytes.count)
            }
        }
    }
}
