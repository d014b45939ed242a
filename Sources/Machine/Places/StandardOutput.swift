internal import Glibc

/// Descriptor 1, for what was asked for: unlike a remark on standard error, a caller has to hear when it was not written.
package enum StandardOutput {
    /// Writes `text` and the end of its line; ends the program `program` with status 1 and one line on standard error where that fails.
    package static func print(_ text: String, of program: String) {
        guard !write(Array("\(text)\n".utf8), to: STDOUT_FILENO) else { return }
        StandardError.write(
            "\(program): cannot write to standard output: \(String(cString: strerror(errno)))\n")
        exit(EXIT_FAILURE)
    }

    /// Writes all of `bytes` to `descriptor`, and waits where it takes none for a while; false where it fails, with the reason in errno(3).
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // Another program made the terminal non-blocking: wait until it takes more.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
