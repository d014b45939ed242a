internal import CLinux
package import ConfigurationSyntax
internal import Glibc
internal import Idleness
package import Linux
package import Sockets

/// The socket at which the metrics are read; its file is gone when the value ends.
package struct ScrapeListener: ~Copyable {
    private let descriptor: OwnedDescriptor
    /// Its address, where it is our own.
    private let own: HeldSocket?

    /// Listens at `address`: a Unix socket, which its user and group may open, or a port of the loopback interface.
    package init(at address: ListenAddress) throws(HeldSocketError) {
        var options = HeldSocket.Options()
        options.mode = 0o660
        options.backlog = 16
        let socket = HeldSocket(.stream, address, options)
        descriptor = try socket.open()
        own = socket
        Self.prepare(descriptor.rawValue)
    }

    /// Takes over a socket that listens already, as socket activation passes it.
    package init(adopting descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
        own = nil
        Self.prepare(self.descriptor.rawValue)
    }

    deinit { own?.removeFile() }

    /// Its number, to wait for.
    package var rawValue: Int32 { descriptor.rawValue }

    private static func prepare(_ descriptor: Int32) {
        // Ignoring the results: these calls do not fail for an open descriptor.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// The next connection; nil where none waits.
    package borrowing func accept() throws(LinuxError) -> OwnedDescriptor? {
        let result = torpor_unix_accept(descriptor.rawValue)
        if result >= 0 { return OwnedDescriptor(adopting: result) }
        switch -result {
        case EAGAIN, ECONNABORTED, EINTR: return nil
        default:
            throw LinuxError(errno: -result, call: "accept4", subject: "the socket of the metrics")
        }
    }
}
