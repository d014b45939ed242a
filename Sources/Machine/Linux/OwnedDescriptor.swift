internal import Glibc

/// A file descriptor with one owner: it is closed when the value ends.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The descriptor's number, borrowed: valid for as long as the value lives.
    package let rawValue: Int32

    /// Takes over `rawValue`, an open descriptor that no other code closes.
    package init(adopting rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Takes over a descriptor that came through execve(2), and has it closed on the next.
    package init(inheriting rawValue: Int32) {
        // Ignoring the result: it fails for a descriptor that is not open, and then nothing works with it.
        _ = fcntl(rawValue, F_SETFD, FD_CLOEXEC)
        self.rawValue = rawValue
    }

    deinit {
        // Ignoring the result: Linux frees the number whatever close(2) answers.
        close(rawValue)
    }

    /// Gives the number away, open: closing it is the caller's duty from here on.
    package consuming func release() -> Int32 {
        let rawValue = rawValue
        discard self
        return rawValue
    }

    /// Another descriptor of the same open file, closed on exec (`F_DUPFD_CLOEXEC`, fcntl(2)).
    package func duplicate() throws(LinuxError) -> OwnedDescriptor { try Self.copy(of: rawValue) }

    /// The same of any open descriptor, which stays as it is.
    package static func copy(of descriptor: Int32) throws(LinuxError) -> OwnedDescriptor {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw LinuxError(errno: errno, call: "fcntl", subject: "F_DUPFD_CLOEXEC") }
        return OwnedDescriptor(adopting: copy)
    }
}
