internal import Glibc

/// Descriptor 2, for people.
package enum StandardError {
    /// Writes `line`, up to its end, and never waits: a stderr that is closed, full or without a reader is
    /// ignored.
    package static func write(_ line: String) {
        // A pipe that is writable takes PIPE_BUF bytes at once.
        var state = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 0) == 1, state.revents == Int16(POLLOUT) else { return }
        // One line is one fact, whatever the child has put into it.
        var bytes = Array(line.utf8.prefix(Int(PIPE_BUF) - 1))
        for index in bytes.indices where bytes[index] < 0x20 { bytes[index] = UInt8(ascii: " ") }
        if bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        bytes.append(UInt8(ascii: "\n"))
        _ = Glibc.write(2, bytes, bytes.count)
    }
}
