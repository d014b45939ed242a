import Glibc
import TestSupport

/// A stream socket that is connected to `path`, blocking, and is the caller's to close.
func connectedSocket(to path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
    guard isConnected else {
        let reason = errno
        close(descriptor)
        throw TimedOut(description: "cannot connect to \(path): \(reason)")
    }
    return descriptor
}
