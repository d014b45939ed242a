internal import Glibc
package import Linux
package import Metering

/// One request for the metrics and its answer, on a thread that may wait for the client, and not for long.
package enum ScrapeExchange {
    /// How long a client may take, in seconds, for its request and for the answer each.
    private static let patience = 2

    /// Reads a request from the connection, and answers it with what `text` makes; closes it.
    ///
    /// Ignoring every failure: a client that is gone needs no answer.
    package static func serve(_ connection: consuming OwnedDescriptor, _ text: (MetricsFormat) -> [UInt8]) {
        limit(connection.rawValue)
        let deadline = KernelClock.monotonic + Int64(patience) * 1_000_000
        var head: [UInt8] = []
        var request = ScrapeRequest.incomplete
        while request == .incomplete {
            guard let more = receive(connection.rawValue), !more.isEmpty, KernelClock.monotonic < deadline
            else { return }
            head += more
            request = ScrapeRequest(head)
        }
        guard let response = request.response(text) else { return }
        send(response, to: connection.rawValue, by: KernelClock.monotonic + Int64(patience) * 1_000_000)
        // So that what is still unread of the request does not make the kernel drop the answer.
        _ = Glibc.shutdown(connection.rawValue, Int32(SHUT_WR))
        while let more = receive(connection.rawValue), !more.isEmpty, KernelClock.monotonic < deadline {}
    }

    /// Waits of the kernel's end after a while (`SO_RCVTIMEO`, socket(7)).
    private static func limit(_ descriptor: Int32) {
        // Ignoring the results: these calls do not fail for an open socket.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        var span = timeval(tv_sec: patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &span, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &span, size)
    }

    private static func receive(_ descriptor: Int32) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            var result: Int
            repeat {
                result = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            } while result < 0 && errno == EINTR
            count = max(result, 0)
        }
        return bytes.isEmpty ? nil : bytes
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32, by deadline: Int64) {
        var sent = 0
        while sent < bytes.count, KernelClock.monotonic < deadline {
            let result = unsafe bytes.withUnsafeBytes { all in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: all[sent...])
                return unsafe Glibc.send(
                    descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if result < 0 {
                guard errno == EINTR else { return }
                continue
            }
            sent += result
        }
    }
}
