package import Glibc
package import Testing

/// A TCP socket of this process, closed at the end.
package class TestSocket {
    package let descriptor: Int32

    package init(_ family: Int32 = AF_INET, _ form: __socket_type = SOCK_STREAM) throws {
        descriptor = socket(family, Int32(form.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
    }

    deinit { Glibc.close(descriptor) }

    /// Its inode in sockfs.
    package var inode: UInt32 {
        var status = stat()
        fstat(descriptor, &status)
        return UInt32(truncatingIfNeeded: status.st_ino)
    }

    /// Whether it can be read now, without waiting.
    package var isReadable: Bool { Waiting.isReadable(descriptor, timeout: 0) }

    package func send(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try #require(offer(text), sourceLocation: sourceLocation)
    }

    /// Whether all of a text was sent: not where the other end is gone.
    package func offer(_ text: String) -> Bool {
        let count = text.utf8.count
        return Glibc.send(descriptor, text, count, Int32(MSG_NOSIGNAL)) == count
    }

    /// What comes next; empty at the end of the stream.
    package func receive(sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        try #require(Waiting.isReadable(descriptor), sourceLocation: sourceLocation)
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        try #require(count >= 0, "\(String(cString: strerror(errno)))", sourceLocation: sourceLocation)
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}

/// Waiting for descriptors.
package enum Waiting {
    /// Whether there is input, within a minute where the time is not given in milliseconds.
    package static func isReadable(_ descriptor: Int32, timeout: Int32 = 60_000) -> Bool {
        var query = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let result = poll(&query, 1, timeout)
            if result >= 0 || errno != EINTR { return result == 1 }
        }
    }
}

/// A listener of this process that accepts nothing by itself.
package final class Listener: TestSocket {
    package private(set) var port: UInt16 = 0

    /// At a port that is free, or that this was before.
    package init(ipv6: Bool = false, backlog: Int32 = 5, port known: UInt16 = 0) throws {
        try super.init(ipv6 ? AF_INET6 : AF_INET)
        if ipv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
                }
            }
            try #require(isBound)
            port = UInt16(bigEndian: address.sin6_port)
        } else {
            port = try bindToLoopback(descriptor, port: known)
        }
        try #require(listen(descriptor, backlog) == 0)
    }
}

/// A connection to a port of the loopback interface.
package final class Client: TestSocket {
    /// Connects to `port`, from this address of IPv4 where one is given.
    package init(port: UInt16, from source: UInt32? = nil) throws {
        try super.init()
        if let source {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = source.bigEndian
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isBound else { throw TimedOut(description: "bind: \(errno)") }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TimedOut(description: "connect: \(errno)") }
    }

    package func ask(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        try send(text, sourceLocation: sourceLocation)
        return try receive(sourceLocation: sourceLocation)
    }

    /// Has the connection end by a reset instead of a FIN.
    package func resetAtClose() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
}
