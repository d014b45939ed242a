internal import Glibc

extension StreamSocket {
    /// What one wait has found.
    public enum Readiness: Hashable, Sendable {
        /// Reading or writing, whichever was asked for, will not be in vain.
        case ready
        /// The time is over.
        case timedOut
        /// A signal's handler has run.
        case interrupted
    }

    /// Waits until the socket can be read, or written too where `writing` says so (poll(2)); for `timeout`
    /// microseconds, nil without end.
    ///
    /// The end of the stream, and an error, count as ready.
    public borrowing func wait(writing: Bool, timeout: Int64?) throws(LinuxError) -> Readiness {
        let events = writing ? POLLIN | POLLOUT : POLLIN
        var entry = pollfd(fd: rawValue, events: Int16(events), revents: 0)
        // Rounded up: a wait must not end before its time.
        let milliseconds = timeout.map { Int32(clamping: max($0, 0) / 1000 + 1) } ?? -1
        let result = unsafe poll(&entry, 1, milliseconds)
        if result < 0, errno == EINTR { return .interrupted }
        try check(result, "poll")
        return result > 0 ? .ready : .timedOut
    }
}
