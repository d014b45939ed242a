internal import Glibc

extension StreamSocket {
    /// What one wait has found.
    package enum Readiness: Hashable, Sendable {
        /// Reading or writing, whichever was asked for, will not be in vain.
        case ready
        /// The time is over.
        case timedOut
        /// A signal's handler has run.
        case interrupted
        /// What is written to the reader's descriptor is read by no process any more.
        case readerGone
    }

    /// Waits until the socket can be read, or written too where `writing` says so (poll(2)); for `timeout`
    /// microseconds, nil without end.
    ///
    /// The end of the stream, and an error, count as ready. The end of a pipe or terminal behind `reader`, which is written to, ends
    /// the wait too.
    package borrowing func wait(
        writing: Bool, timeout: Int64?, reader: Int32? = nil
    ) throws(LinuxError) -> Readiness {
        let events = writing ? POLLIN | POLLOUT : POLLIN
        // Without events of its own, and an ignored one where it is negative: an error and a hangup are always told (poll(2)).
        var entries = [
            pollfd(fd: rawValue, events: Int16(events), revents: 0),
            pollfd(fd: reader ?? -1, events: 0, revents: 0),
        ]
        // Rounded up: a wait must not end before its time.
        let milliseconds = timeout.map { Int32(clamping: max($0, 0) / 1000 + 1) } ?? -1
        let result = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
        if result < 0, errno == EINTR { return .interrupted }
        try check(result, "poll")
        if Int32(entries[1].revents) & (POLLERR | POLLHUP) != 0 { return .readerGone }
        return result > 0 ? .ready : .timedOut
    }
}
