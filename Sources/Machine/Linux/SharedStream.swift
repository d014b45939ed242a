internal import Glibc

/// A descriptor that other processes may share, read and written without ever waiting and without changing it for them.
///
/// A pipe or a terminal is opened anew for this process, a socket is told with each call not to wait, a disk file waits for the disk as
/// everything there does. What cannot be opened anew is looked at first, which is nearly as good. The process has SIGPIPE
/// blocked or ignored.
package struct SharedStream: ~Copyable, Sendable {
    /// What we do with it.
    package enum Direction: Hashable, Sendable {
        /// We read it.
        case reading
        /// We write to it.
        case writing
    }

    /// What came of reading or writing.
    package enum Outcome: Hashable, Sendable {
        /// So many bytes, one at least.
        case moved(Int)
        /// It would have to wait.
        case wouldWait
        /// The end, or no process at the other side any more.
        case ended
    }

    private enum Way {
        case own
        case socket
        case careful
        case file
    }

    private let descriptor: Int32
    private let own: OwnedDescriptor?
    private let way: Way

    /// The stream behind `descriptor`, which stays the caller's and open.
    package init(_ descriptor: Int32, for direction: Direction) {
        var status = stat()
        let kind = unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
        var own: OwnedDescriptor?
        switch kind {
        case S_IFIFO, S_IFCHR:
            let mode = direction == .reading ? O_RDONLY : O_WRONLY
            let opened = unsafe open(
                "/proc/self/fd/\(descriptor)", mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            if opened >= 0 { own = OwnedDescriptor(adopting: opened) }
            way = opened >= 0 ? .own : .careful
        case S_IFSOCK: way = .socket
        default: way = .file
        }
        self.descriptor = own?.rawValue ?? descriptor
        self.own = own
    }

    /// What to wait for with epoll(7), borrowed.
    package var rawValue: Int32 { descriptor }

    /// Reads what is there into `buffer`.
    ///
    /// A terminal that is another's now answers `wouldWait`, a descriptor that cannot be read `ended`.
    package func read(into buffer: inout [UInt8]) -> Outcome {
        if way == .careful, !isReady(POLLIN) { return .wouldWait }
        return unsafe buffer.withUnsafeMutableBytes { room in
            Self.outcome(isRead: true) {
                way == .socket
                    ? unsafe recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
                    : unsafe Glibc.read(descriptor, room.baseAddress, room.count)
            }
        }
    }

    /// Writes of `bytes` what it takes.
    package func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        // More than PIPE_BUF might wait where we could only look.
        let most = way == .careful ? min(bytes.count, LineOutput.lengthLimit) : bytes.count
        if way == .careful, !isReady(POLLOUT) { return .wouldWait }
        return unsafe bytes.withUnsafeBytes { bytes in
            Self.outcome(isRead: false) {
                way == .socket
                    ? unsafe send(
                        descriptor, bytes.baseAddress, most,
                        Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
                    : unsafe Glibc.write(descriptor, bytes.baseAddress, most)
            }
        }
    }

    private func isReady(_ events: Int32) -> Bool {
        var look = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return unsafe poll(&look, 1, 0) == 1
    }

    /// Calls again when a signal came between, and reads errno(3).
    static func outcome(isRead: Bool, _ call: () -> Int) -> Outcome {
        var count = 0
        repeat { count = call() } while count < 0 && errno == EINTR
        if count > 0 { return .moved(count) }
        if count == 0 { return isRead ? .ended : .wouldWait }
        switch errno {
        case EAGAIN, ENOBUFS: return .wouldWait
        // A terminal with another group in the foreground, while SIGTTIN is blocked.
        case EIO where isRead: return .wouldWait
        default: return .ended
        }
    }
}
