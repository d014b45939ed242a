internal import Glibc

/// A descriptor that lines are written to without ever waiting for whoever reads them.
///
/// Ours is shared with others, who may not find it changed: a pipe or a terminal is opened anew for us, a socket is told with
/// each line not to wait. Disk files wait for the disk, as everything on disk does. The process has SIGPIPE blocked or
/// ignored.
package struct LineOutput: ~Copyable, Sendable {
    private enum Way {
        case own
        case socket
        case careful
        case file
    }

    /// The longest line that is written whole or not at all: PIPE_BUF of pipe(7), its newline counted.
    package static let lengthLimit = 4096

    /// The first of these lines that can be written whole, all at once; a longer one is cut.
    package static func chunk(of lines: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let most = lines.prefix(lengthLimit)
        guard most.count < lines.count, let end = most.lastIndex(of: UInt8(ascii: "\n")) else { return most }
        return most[...end]
    }

    private let descriptor: Int32
    private let own: OwnedDescriptor?
    private let way: Way

    /// Writes to `descriptor`, which stays the caller's and open.
    package init(_ descriptor: Int32) {
        var status = stat()
        let kind = unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
        var own: OwnedDescriptor?
        switch kind {
        case S_IFIFO, S_IFCHR:
            let opened = unsafe open(
                "/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            if opened >= 0 { own = OwnedDescriptor(adopting: opened) }
            way = opened >= 0 ? .own : .careful
        case S_IFSOCK: way = .socket
        default: way = .file
        }
        self.descriptor = own?.rawValue ?? descriptor
        self.own = own
    }

    /// Writes `line`; false when it would have had to wait, or nobody reads.
    package func write(_ line: [UInt8]) -> Bool {
        var count = 0
        repeat {
            switch way {
            case .socket:
                count = unsafe send(
                    descriptor, line, line.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            case .careful:
                // Not opened again: it is somebody else's terminal. Nearly as good is to look first.
                var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard unsafe poll(&look, 1, 0) == 1, look.revents & Int16(POLLOUT) != 0 else { return false }
                count = unsafe Glibc.write(descriptor, line, line.count)
            case .own, .file: count = unsafe Glibc.write(descriptor, line, line.count)
            }
        } while count < 0 && errno == EINTR
        return count == line.count
    }
}
