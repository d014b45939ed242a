internal import Glibc

/// Where a Unix socket is: a path, or a name in the abstract namespace (unix(7)).
package struct UnixSocketAddress: Hashable, Sendable {
    /// What stands in `sun_path`: the path, or a NUL and the name.
    let bytes: [UInt8]
    /// The path in the file system; nil for an abstract name.
    package let path: String?

    /// The most that fits into `sun_path`.
    package static let capacity = 108

    /// The address in the form that `$NOTIFY_SOCKET` has: an absolute path, or `@` and an abstract name.
    ///
    /// Throws `EAFNOSUPPORT` for anything else (a relative path, `vsock:`), `ENAMETOOLONG` for more than 108
    /// bytes, and `EINVAL` for an inner NUL or an empty name.
    package init(_ text: String) throws(LinuxError) {
        var bytes = Array(text.utf8)
        func refusal(_ reason: Int32) -> LinuxError {
            LinuxError(errno: reason, call: "sockaddr_un", subject: text)
        }
        switch bytes.first {
        case UInt8(ascii: "/"):
            path = text
        case UInt8(ascii: "@"):
            path = nil
        default:
            throw refusal(EAFNOSUPPORT)
        }
        guard bytes.count > 1, !bytes.contains(0) else { throw refusal(EINVAL) }
        guard bytes.count <= Self.capacity else { throw refusal(ENAMETOOLONG) }
        if path == nil { bytes[0] = 0 }
        self.bytes = bytes
    }
}

extension UnixSocketAddress: CustomStringConvertible {
    /// The form that `init` takes.
    package var description: String {
        path ?? "@" + String(decoding: bytes.dropFirst(), as: UTF8.self)
    }
}
