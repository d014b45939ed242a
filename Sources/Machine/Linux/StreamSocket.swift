internal import CLinux
internal import Glibc

/// One end of a Unix stream connection that never blocks (unix(7)); closed when the value ends.
package struct StreamSocket: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// Takes over a connected socket that does not block.
    init(adopting descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// Takes over a connected socket that came through execve(2), and has it closed on the next.
    package init(inheriting descriptor: Int32) throws(LinuxError) {
        let descriptor = OwnedDescriptor(adopting: descriptor)
        try check(fcntl(descriptor.rawValue, F_SETFD, FD_CLOEXEC), "fcntl", "FD_CLOEXEC")
        try Self.setNonBlocking(descriptor)
        self.descriptor = descriptor
    }

    /// A connection to the process that listens at `address`.
    ///
    /// Only this call may wait, where the listener's queue is full: for `timeout` microseconds, then `EAGAIN` is
    /// thrown; nil waits without end. `ENOENT` and `ECONNREFUSED` mean that no process listens there.
    package init(connectingTo address: UnixSocketAddress, timeout: Int64? = nil) throws(LinuxError) {
        let descriptor = try Self.make()
        if let timeout { try Self.setSendTimeout(timeout, on: descriptor) }
        let deadline = timeout.map { KernelClock.monotonic + $0 }
        while true {
            let result = unsafe torpor_unix_connect(descriptor.rawValue, address.bytes, address.bytes.count)
            if result == 0 { break }
            // A Unix connect that a signal interrupts has done nothing, and is begun anew.
            let isInterrupted = result == -EINTR && deadline.map { KernelClock.monotonic < $0 } ?? true
            guard isInterrupted else {
                throw LinuxError(errno: -result, call: "connect", subject: address.description)
            }
        }
        try Self.setNonBlocking(descriptor)
        self.descriptor = descriptor
    }

    /// Keeps calls on `descriptor` from waiting.
    static func setNonBlocking(_ descriptor: borrowing OwnedDescriptor) throws(LinuxError) {
        let flags = fcntl(descriptor.rawValue, F_GETFL)
        try check(fcntl(descriptor.rawValue, F_SETFL, flags | O_NONBLOCK), "fcntl", "O_NONBLOCK")
    }

    /// A Unix stream socket that blocks still.
    static func make() throws(LinuxError) -> OwnedDescriptor {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        return OwnedDescriptor(adopting: try check(socket(AF_UNIX, kind, 0), "socket", "AF_UNIX"))
    }

    /// Bounds how long connect(2) waits, which takes this for it (socket(7)).
    private static func setSendTimeout(
        _ timeout: Int64, on descriptor: borrowing OwnedDescriptor
    ) throws(LinuxError) {
        // Zero would mean without end.
        let microseconds = Int(max(timeout, 1))
        var time = timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        try check(
            unsafe setsockopt(descriptor.rawValue, SOL_SOCKET, SO_SNDTIMEO, &time, size), "setsockopt",
            "SO_SNDTIMEO")
    }

    deinit {
        if Self.canRefuseRights { return }
        // What waits in it may bring descriptors along, which closing the socket would close here.
        guard shutdown(descriptor.rawValue, CInt(SHUT_RD)) == 0 else { return }
        var room = [UInt8](repeating: 0, count: 4096)
        while let count = try? readTakingRights(into: &room), count > 0 {}
    }

    /// The socket's number, borrowed: to wait for it.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Whether the kernel can keep peers from sending descriptors along, from Linux 6.16 on.
    static let canRefuseRights: Bool = {
        guard let probe = try? make() else { return false }
        return torpor_unix_refuse_rights(probe.rawValue) == 0
    }()

    /// Keeps peers from sending descriptors along, where the kernel can; else they are taken and closed elsewhere.
    static func refuseRights(on descriptor: borrowing OwnedDescriptor) {
        if canRefuseRights { _ = torpor_unix_refuse_rights(descriptor.rawValue) }
    }

    /// Reads what is there into `buffer`, and returns how much that was: 0 at the peer's end, nil when there is
    /// nothing yet.
    package borrowing func read(into buffer: inout [UInt8]) throws(LinuxError) -> Int? {
        var result = 0
        if !Self.canRefuseRights { return try readTakingRights(into: &buffer) }
        unsafe buffer.withUnsafeMutableBytes { room in
            repeat {
                result = unsafe recv(descriptor.rawValue, room.baseAddress, room.count, 0)
            } while result < 0 && errno == EINTR
        }
        if result < 0, errno == EAGAIN { return nil }
        guard result >= 0 else { throw .last("recv") }
        return result
    }

    /// The same where peers may send descriptors along: recv(2) would close them here, and wait for what they mean.
    private borrowing func readTakingRights(into buffer: inout [UInt8]) throws(LinuxError) -> Int? {
        var message = torpor_datagram()
        let result = unsafe buffer.withUnsafeMutableBytes { room in
            unsafe torpor_stream_receive(descriptor.rawValue, room.baseAddress, room.count, &message)
        }
        let count = Int(message.descriptor_count)
        if count > 0 {
            let numbers = unsafe withUnsafeBytes(of: message.descriptors) { buffer in
                unsafe Array(buffer.assumingMemoryBound(to: Int32.self).prefix(count))
            }
            DescriptorCloser.close(numbers)
        }
        if result == -Int(EAGAIN) { return nil }
        guard result >= 0 else { throw LinuxError(errno: Int32(-result), call: "recvmsg") }
        return result
    }

    /// Writes of `bytes` what the socket takes, and returns how much that was: 0 when it takes nothing now.
    ///
    /// `EPIPE` is thrown when the peer is gone; there is no SIGPIPE.
    package borrowing func write(_ bytes: Span<UInt8>) throws(LinuxError) -> Int {
        guard !bytes.isEmpty else { return 0 }
        let result = unsafe bytes.withUnsafeBytes { bytes in
            var result = 0
            repeat {
                result = unsafe send(
                    descriptor.rawValue, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
            } while result < 0 && errno == EINTR
            return result
        }
        if result < 0, errno == EAGAIN { return 0 }
        guard result >= 0 else { throw .last("send") }
        return result
    }

    /// Tells the peer that nothing more comes; what it sends can still be read (shutdown(2)).
    package borrowing func endOutput() throws(LinuxError) {
        try check(shutdown(descriptor.rawValue, CInt(SHUT_WR)), "shutdown")
    }
}
