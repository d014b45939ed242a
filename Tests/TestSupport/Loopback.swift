internal import Glibc

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

/// A port of the loopback interface that nothing is bound to at this moment.
package func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return try bindToLoopback(descriptor)
}
