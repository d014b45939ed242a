internal import Glibc
package import Idleness

extension BorrowedDescriptor {
    /// The other end of this one, a connection of a Unix socket; nil where it is none.
    ///
    /// Nothing is read from it.
    package borrowing func unixPeer() -> UnixPeer? {
        guard let socket, socket.family == .unix, !socket.isListening else { return nil }
        return UnixPeer(of: rawValue)
    }
}

extension UnixPeer {
    /// The other end of the connection behind an open descriptor of this process; nil where it is not connected (unix(7)).
    ///
    /// The kernel keeps the name of an end that is gone for as long as this one is open.
    fileprivate init?(of descriptor: Int32) {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(descriptor, $0, &length)
            }
        }
        guard result == 0, Int32(address.sun_family) == AF_UNIX else { return nil }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        var name = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe Array(bytes[min(start, bytes.count)..<min(max(start, Int(length)), bytes.count)])
        }
        // A path ends with a zero that is no part of it.
        if name.count > 1, name.last == 0 { name.removeLast() }
        self.init(
            name: name.isEmpty ? nil : name, isGone: SocketFacts.isAtEnd(descriptor),
            hasBytes: SocketFacts.hasBytes(descriptor))
    }
}
