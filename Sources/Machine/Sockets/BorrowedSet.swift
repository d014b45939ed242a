internal import CLinux
internal import Glibc
package import Linux

/// Borrowed descriptors of one sleeper, behind one descriptor that has input while any of them has (epoll(7)).
///
/// When the value ends, that one is closed first and the duplicates after it: the other way round the kernel would go on telling of files that
/// the sleeper still has, and refuse to take them in again. It has to end before the sleeper runs again (see ``BorrowedDescriptor``).
package struct BorrowedSet: ~Copyable, Sendable {
    /// The set's own descriptor, borrowed: to wait for.
    package let rawValue: Int32
    private(set) var duplicates: [Duplicate] = []

    /// One that is in the set, which closes it.
    struct Duplicate {
        let number: Int32
        let socket: SocketFacts?
    }

    /// A set of none.
    package init() throws(LinuxError) {
        rawValue = try check(torpor_epoll_create(), "epoll_create1")
    }

    deinit {
        close(rawValue)
        for duplicate in duplicates { close(duplicate.number) }
    }

    /// How many there are.
    package var count: Int { duplicates.count }

    /// Takes `borrowed` in, told by its place in the order in which they came; one that cannot be waited for is dropped.
    ///
    /// ELOOP where it is an epoll instance with others inside it, too deep for the kernel; EPERM where it cannot be waited for; ENOSPC
    /// beyond fs.epoll.max_user_watches (proc_sys_fs(5)).
    package mutating func add(_ borrowed: consuming BorrowedDescriptor) throws(LinuxError) {
        try check(
            torpor_epoll_add_edge(rawValue, borrowed.rawValue, UInt64(duplicates.count)), "epoll_ctl",
            "a borrowed descriptor")
        let socket = borrowed.socket
        duplicates.append(Duplicate(number: borrowed.release(), socket: socket))
    }

    /// The places of some at which something has come since they were told of, or was there when they came in; without waiting.
    package borrowing func ready() -> [Int] {
        let numbers = unsafe [UInt64](unsafeUninitializedCapacity: 64) { buffer, count in
            count = unsafe max(0, Int(torpor_epoll_ready(rawValue, buffer.baseAddress, 64)))
        }
        return numbers.map { Int($0) }
    }
}
