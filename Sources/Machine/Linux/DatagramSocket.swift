internal import CLinux
internal import Glibc

/// A Unix datagram socket that never blocks (unix(7)); it and its file are gone when the value ends.
package struct DatagramSocket: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    private let place: SocketPlace?

    /// The most descriptors that one datagram carries (the kernel's `SCM_MAX_FD`).
    package static let descriptorLimit = Int(TORPOR_MAX_DESCRIPTORS)

    /// A socket without an address, from which datagrams are sent.
    package init() throws(LinuxError) {
        descriptor = try Self.make()
        place = nil
    }

    /// A socket that receives at `address` and learns from the kernel the sender of every datagram.
    ///
    /// A path gets `access`, and a socket that a predecessor left there is removed. The sender comes as
    /// credentials (`SO_PASSCRED`) and, from Linux 6.5, as a pidfd too (`SO_PASSPIDFD`). `receiveBuffer` is
    /// the room for datagrams in bytes: beyond the system's limit where the process may, else up to it.
    package init(receivingAt address: UnixSocketAddress, access: SocketAccess, receiveBuffer: Int32)
        throws(LinuxError)
    {
        let descriptor = try Self.make()
        // All before bind(2): a datagram that is queued earlier would come without its sender.
        try Self.passCredentials(on: descriptor)
        try Self.setReceiveBuffer(receiveBuffer, on: descriptor)
        var result = unsafe torpor_unix_bind(descriptor.rawValue, address.bytes, address.bytes.count)
        if result == -EADDRINUSE, let path = address.path {
            SocketPlace.clear(path)
            result = unsafe torpor_unix_bind(descriptor.rawValue, address.bytes, address.bytes.count)
        }
        guard result == 0 else {
            throw LinuxError(errno: -result, call: "bind", subject: address.description)
        }
        place = if let path = address.path { try SocketPlace(bound: path, access: access) } else { nil }
        self.descriptor = descriptor
    }

    /// Takes over a socket of this process that came through execve(2), with its file at `address`, which this value removes.
    package init(inheriting descriptor: Int32, at address: UnixSocketAddress) throws(LinuxError) {
        let owned = OwnedDescriptor(adopting: descriptor)
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw LinuxError(errno: errno, call: "fcntl", subject: "FD_CLOEXEC")
        }
        self.descriptor = owned
        place = address.path.flatMap { SocketPlace(existing: $0) }
    }

    private static func make() throws(LinuxError) -> OwnedDescriptor {
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = socket(AF_UNIX, kind, 0)
        guard raw >= 0 else { throw LinuxError(errno: errno, call: "socket", subject: "AF_UNIX") }
        return OwnedDescriptor(adopting: raw)
    }

    deinit {
        // What waits in it may bring descriptors along, which closing the socket would close here.
        guard shutdown(descriptor.rawValue, CInt(SHUT_RD)) == 0 else { return }
        while let datagram = try? receive(capacity: 1) { _ = consume datagram }
    }

    /// The socket's number, borrowed: to wait for datagrams.
    package var rawValue: Int32 { descriptor.rawValue }

    private static func passCredentials(on descriptor: borrowing OwnedDescriptor) throws(LinuxError) {
        try set(SO_PASSCRED, to: 1, on: descriptor, "SO_PASSCRED")
        let result = torpor_unix_pass_pidfd(descriptor.rawValue)
        // Ignoring ENOPROTOOPT: an older kernel, on which the pid must do.
        guard result == 0 || result == -ENOPROTOOPT else {
            throw LinuxError(errno: -result, call: "setsockopt", subject: "SO_PASSPIDFD")
        }
    }

    private static func setReceiveBuffer(
        _ bytes: Int32, on descriptor: borrowing OwnedDescriptor
    ) throws(LinuxError) {
        do {
            try set(SO_RCVBUFFORCE, to: bytes, on: descriptor, "SO_RCVBUFFORCE")
        } catch {
            // It takes CAP_NET_ADMIN; the plain option is cut to net.core.rmem_max without complaint.
            try set(SO_RCVBUF, to: bytes, on: descriptor, "SO_RCVBUF")
        }
    }

    private static func set(
        _ option: CInt, to value: CInt, on descriptor: borrowing OwnedDescriptor, _ name: String
    ) throws(LinuxError) {
        var value = value
        let size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe setsockopt(descriptor.rawValue, SOL_SOCKET, option, &value, size) == 0 else {
            throw LinuxError(errno: errno, call: "setsockopt", subject: name)
        }
    }

    /// Takes the next datagram, of which at most `capacity` bytes are kept; nil when none waits.
    ///
    /// All descriptors in it are closed on exec.
    package func receive(capacity: Int) throws(LinuxError) -> Datagram? {
        var received = torpor_datagram()
        var result: CInt = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            result = unsafe torpor_datagram_receive(
                descriptor.rawValue, buffer.baseAddress, capacity, &received)
            count = result == 0 ? min(Int(received.length), capacity) : 0
        }
        guard result != -EAGAIN else { return nil }
        guard result == 0 else { throw LinuxError(errno: -result, call: "recvmsg") }
        return Datagram(bytes: bytes, received)
    }

    /// Sends `bytes` and copies of `descriptors` to `address`; false when that would have blocked, and
    /// nothing was sent.
    ///
    /// `EINVAL` is thrown for more than `descriptorLimit` descriptors.
    package func send(
        _ bytes: [UInt8], descriptors: [Int32] = [], to address: UnixSocketAddress
    ) throws(LinuxError) -> Bool {
        let result = unsafe torpor_datagram_send(
            descriptor.rawValue, address.bytes, address.bytes.count, bytes, bytes.count, descriptors,
            descriptors.count)
        guard result != -EAGAIN else { return false }
        guard result == 0 else {
            throw LinuxError(errno: -result, call: "sendmsg", subject: address.description)
        }
        return true
    }
}
