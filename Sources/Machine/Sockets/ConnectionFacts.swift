internal import Glibc
package import Idleness
package import Linux

extension Pidfd {
    /// What waits on the connection of TCP that the frozen process has at `descriptor`, a socket of this inode; nil where there is no such
    /// connection, or none that is known as such at once.
    ///
    /// Its duplicate is closed when this returns. The worker's wake waits for this: only what tells the connection from anything else is asked.
    package borrowing func connection(at descriptor: Int32, inode: UInt64) -> WakeFacts.Connection? {
        // Ignoring why there is none: all sockets are looked at then.
        guard let duplicate = try? duplicate(descriptor) else { return nil }
        // Nothing that is no socket is asked more than this, which no file system sees. The last close(2) of one that lingers may wait.
        guard Self.lingers(duplicate.rawValue) == false else {
            BorrowedDescriptor.dropUnknown(duplicate)
            return nil
        }
        var status = stat()
        guard unsafe fstat(duplicate.rawValue, &status) == 0, status.st_ino == inode else { return nil }
        return WakeFacts.Connection(of: duplicate.rawValue)
    }

    /// Whether the socket lingers (SO_LINGER, socket(7)); nil where it is none.
    private static func lingers(_ descriptor: Int32) -> Bool? {
        var value = linger()
        var length = socklen_t(MemoryLayout<linger>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, &length) == 0 else { return nil }
        return value.l_onoff != 0 && value.l_linger > 0
    }
}

extension WakeFacts.Connection {
    /// What waits on the connection of TCP behind an open descriptor of this process; nil where it is none, or none any more (tcp(7)).
    ///
    /// Nothing is read from it.
    package init?(of descriptor: Int32) {
        var number: UInt8 = 0
        var length = socklen_t(1)
        var count: Int32 = 0
        guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &number, &length) == 0,
            let state = InetSocket.State(rawValue: number), state != .listen,
            unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0, count >= 0,
            let local = unsafe Endpoint(getsockname, descriptor),
            let remote = unsafe Endpoint(getpeername, descriptor)
        else { return nil }
        // A FIN counts as a byte, which FIONREAD leaves out.
        self.init(
            local: local, remote: remote, state: state,
            bytes: UInt32(count) + (state == .established ? 0 : 1), isAccepted: true)
    }
}

extension Endpoint {
    /// Where a socket of this process is bound; nil of one that is neither IPv4 nor IPv6 (getsockname(2)).
    package init?(of descriptor: Int32) { unsafe self.init(getsockname, descriptor) }

    /// The end that `ask`, getsockname(2) or getpeername(2), tells of; nil where there is none, or one of another family.
    @unsafe fileprivate init?(
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32,
        _ descriptor: Int32
    ) {
        unsafe self.init { unsafe ask(descriptor, $0, $1) == 0 }
    }

    /// The end that `ask` writes down; nil where it says that there is none, and for one of another family.
    @unsafe init?(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Bool
    ) {
        var six = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isTold = unsafe withUnsafeMutablePointer(to: &six) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe ask($0, &length) }
        }
        guard isTold else { return nil }
        switch Int32(six.sin6_family) {
        case AF_INET6:
            let halves = unsafe withUnsafeBytes(of: six.sin6_addr) {
                unsafe (
                    $0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                )
            }
            self.init(
                IPAddress(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1)),
                port: UInt16(bigEndian: six.sin6_port))
        case AF_INET:
            let four = unsafe withUnsafeBytes(of: six) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
            self.init(
                IPAddress(ipv4: UInt32(bigEndian: four.sin_addr.s_addr)),
                port: UInt16(bigEndian: four.sin_port))
        default: return nil
        }
    }
}
