internal import CLinux
internal import Glibc

/// A listening Unix stream socket that never blocks; it and its file are gone when the value ends.
package struct StreamListener: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    private let place: SocketPlace?

    /// Listens at `address`, with `backlog` connections that may wait to be accepted.
    ///
    /// A path gets `access` before a client can connect. A socket of a dead predecessor is removed; where a process
    /// listens, `EADDRINUSE` is thrown. Two that find the same dead socket at the same time may remove each
    /// other's: a process that needs to be alone holds a ``FileLock`` before, and may then take the place without asking
    /// (`replaces`): a child of a predecessor that has not executed its program yet holds the socket open still.
    package init(
        at address: UnixSocketAddress, access: SocketAccess, backlog: Int32 = 128, replaces: Bool = false
    ) throws(LinuxError) {
        let descriptor = try StreamSocket.make()
        if let path = address.path {
            if replaces { SocketPlace.clear(path) } else { try Self.clear(address) }
        }
        let result = unsafe torpor_unix_bind(descriptor.rawValue, address.bytes, address.bytes.count)
        guard result == 0 else {
            throw LinuxError(errno: -result, call: "bind", subject: address.description)
        }
        let place: SocketPlace? =
            if let path = address.path { try SocketPlace(bound: path, access: access) } else { nil }
        try check(listen(descriptor.rawValue, backlog), "listen", address.description)
        try StreamSocket.setNonBlocking(descriptor)
        StreamSocket.refuseRights(on: descriptor)
        self.place = place
        self.descriptor = descriptor
    }

    /// Takes over a socket that listens already, as socket activation passes it; its file, if any, is not
    /// removed.
    ///
    /// `EINVAL` is thrown when it is no Unix stream socket, or does not listen.
    package init(adopting descriptor: consuming OwnedDescriptor) throws(LinuxError) {
        let result = torpor_unix_is_listener(descriptor.rawValue)
        guard result == 1 else {
            throw LinuxError(
                errno: result < 0 ? -result : EINVAL, call: "getsockopt",
                subject: "SO_ACCEPTCONN of descriptor \(descriptor.rawValue)")
        }
        try check(fcntl(descriptor.rawValue, F_SETFD, FD_CLOEXEC), "fcntl", "FD_CLOEXEC")
        try StreamSocket.setNonBlocking(descriptor)
        StreamSocket.refuseRights(on: descriptor)
        self.descriptor = descriptor
        place = nil
    }

    /// Takes over a listener of this process that came through execve(2), with its file at `address`, which this value removes.
    package init(inheriting descriptor: Int32, at address: UnixSocketAddress?) throws(LinuxError) {
        let owned = OwnedDescriptor(adopting: descriptor)
        try check(fcntl(descriptor, F_SETFD, FD_CLOEXEC), "fcntl", "FD_CLOEXEC")
        StreamSocket.refuseRights(on: owned)
        self.descriptor = owned
        place = address?.path.flatMap { SocketPlace(existing: $0) }
    }

    /// Removes the socket at `address` when no process listens there any more.
    private static func clear(_ address: UnixSocketAddress) throws(LinuxError) {
        guard let path = address.path else { return }
        do {
            // Not to wait: a listener whose queue is full is alive.
            _ = try StreamSocket(connectingTo: address, timeout: 1)
        } catch {
            switch error.errno {
            case ECONNREFUSED: return SocketPlace.clear(path)
            case EAGAIN, EINTR: break
            // Nothing there, no socket, or not accessible: bind(2) says it best.
            default: return
            }
        }
        throw LinuxError(errno: EADDRINUSE, call: "bind", subject: path)
    }

    /// Its name as the kernel has it: the path, or a NUL and an abstract name (unix(7)).
    package var name: [UInt8] {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor.rawValue, $0, &length)
            }
        }
        let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        guard result == 0, Int(length) > start else { return [] }
        let bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0[start..<Int(length)]) }
        let end = bytes.lastIndex { $0 != 0 }
        return end.map { Array(bytes[...$0]) } ?? []
    }

    /// Whether it has a file that it removes.
    package var ownsFile: Bool {
        switch place {
        case .some: true
        case .none: false
        }
    }

    /// The socket's number, borrowed: to wait for connections.
    package var rawValue: Int32 { descriptor.rawValue }

    /// The next connection, closed on exec and non-blocking (accept4(2)); nil when none waits.
    ///
    /// `ECONNABORTED` is thrown for one that has gone meanwhile; `EMFILE` and `ENFILE` for want of descriptors:
    /// the connection waits on then.
    package borrowing func accept() throws(LinuxError) -> StreamSocket? {
        let result = torpor_unix_accept(descriptor.rawValue)
        if result == -EAGAIN { return nil }
        guard result >= 0 else { throw LinuxError(errno: -result, call: "accept4") }
        return StreamSocket(adopting: OwnedDescriptor(adopting: result))
    }
}
