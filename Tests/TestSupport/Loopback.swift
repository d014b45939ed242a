internal import Glibc
internal import Synchronization

/// Binds a socket of IPv4 to a port of the loopback interface that nothing else is bound to, or to this one; answers which.
package func bindToLoopback(_ descriptor: Int32, port: UInt16 = 0) throws -> UInt16 {
    // Connections that have ended do not keep it.
    var on: Int32 = port == 0 ? 0 : 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
        }
    }
    guard isBound else { throw TimedOut(description: "no port is free: \(errno)") }
    return UInt16(bigEndian: address.sin_port)
}

/// A port of the loopback interface that nothing is bound to at this moment, and that no other caller in this process is given.
///
/// Below those that the kernel gives to clients: another test that runs at the same time cannot get it between this and its use.
package func freePort() throws -> UInt16 {
    for _ in 0..<Ports.range.count {
        let port = Ports.next()
        let isFree = [SOCK_STREAM, SOCK_DGRAM].allSatisfy { kind in
            let descriptor = socket(AF_INET, Int32(kind.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            return withUnsafeBytes(of: &address) { bytes in
                bind(
                    descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    socklen_t(bytes.count)) == 0
            }
        }
        if isFree { return port }
    }
    throw TimedOut(description: "every port is taken")
}

private enum Ports {
    /// Without those of well-known services, and of the ephemeral ones (`net.ipv4.ip_local_port_range`).
    static let range: Range<UInt16> = 10_240..<32_768
    private static let last = Mutex(UInt16(Int(getpid()) * 97 % range.count))

    static func next() -> UInt16 {
        last.withLock { last in
            last = (last + 1) % UInt16(range.count)
            return range.lowerBound + last
        }
    }
}
