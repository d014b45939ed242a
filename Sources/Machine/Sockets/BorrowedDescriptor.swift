internal import CLinux
internal import Glibc
package import Idleness
package import Linux

/// A duplicate of a socket, a pipe, an epoll instance or a timer of a process that is frozen or stopped, to wait for what comes.
///
/// It is closed on exec and never read from: no byte of the process's traffic is looked at. It is to be dropped before the process runs
/// again, is signalled or killed: while it is there, the process's own close(2) sends no FIN, and its epoll instance goes on telling of what
/// it has closed. Where the duplicate is in an epoll instance of this process, that one is closed first, since closing the duplicate does
/// not take it out.
package struct BorrowedDescriptor: ~Copyable, Sendable {
    /// What it is, as it was verified.
    package let kind: Inventory.Kind
    /// More of a socket; nil of anything else.
    package let socket: SocketFacts?
    private let descriptor: OwnedDescriptor

    /// Duplicates the descriptor of this number in the process of `pidfd`; nil where it is no more what was found there.
    ///
    /// A number may have been given to another file since: only what is verified to be of the kind that is expected, and no socket of
    /// other families than IPv4, IPv6 and Unix, is kept. A signalfd is not: waiting for it takes the process's signals away. Nor is a
    /// connected socket that lingers (SO_LINGER, socket(7)): were the process killed meanwhile, closing the duplicate would wait.
    ///
    /// The errors are those of `Pidfd.duplicate`.
    package init?(
        _ number: Int32, of pidfd: borrowing Pidfd, expecting expected: Inventory.Kind
    ) throws(LinuxError) {
        guard expected.maySafelyBePolled else { return nil }
        let duplicate = try pidfd.duplicate(number)
        // Nothing else is done with it before: what it is now may be a file, whose file system asks a process.
        guard try Inventory.Kind(of: duplicate.rawValue) == expected else {
            Self.dropUnknown(duplicate)
            return nil
        }
        var facts: SocketFacts?
        if case .socket = expected {
            let found = try SocketFacts(of: duplicate.rawValue)
            guard found.family != .other, found.isListening || !found.lingers else {
                Self.dropUnknown(duplicate)
                return nil
            }
            facts = found
        }
        kind = expected
        socket = facts
        descriptor = duplicate
    }

    /// The number, borrowed: to wait for input, and for nothing else.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Gives the number away, open: closing it is the caller's duty from here on.
    consuming func release() -> Int32 { descriptor.release() }

    /// Closes what turned out to be something else, on a thread of its own: close(2) may wait for what it means.
    static func dropUnknown(_ descriptor: consuming OwnedDescriptor) {
        let number = descriptor.release()
        do {
            try DetachedThread.start { close(number) }
        } catch {
            // Ignoring why there is no thread: to keep it would be worse than to wait.
            close(number)
        }
    }
}

extension Inventory.Kind {
    /// The kind of an open descriptor of this process, by its link (proc_pid_fd(5)); no file system is asked but for a FIFO's type.
    package init(of descriptor: Int32) throws(LinuxError) {
        let path = "/proc/self/fd/\(descriptor)"
        var link = [CChar](repeating: 0, count: 64)
        let length = unsafe readlink(path, &link, link.count)
        guard length > 0 else { throw .last("readlink", path) }
        self.init(link: String(decoding: link.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self))
        guard self == .other, link[0] == 0x2f else { return }
        var inode: UInt64 = 0
        if unsafe torpor_link_is_fifo(AT_FDCWD, path, &inode) == 1 { self = .pipe(inode: inode) }
    }

    /// Whether waiting for it from outside leaves it as it is and asks no process.
    fileprivate var maySafelyBePolled: Bool {
        switch self {
        case .socket, .pipe, .eventPoll, .timer: true
        case .eventCounter, .signals, .inotify, .pidfd, .ioUring, .other: false
        }
    }
}
