internal import Glibc

/// A wait for one of several descriptors (poll(2)).
package struct DescriptorWait: Sendable {
    private var entries: [pollfd] = []

    /// A wait for nothing yet.
    package init() {}

    /// Waits for `descriptor` to be readable, or to take more where `writing` says so.
    package mutating func add(_ descriptor: Int32, writing: Bool = false) {
        let events = writing ? POLLIN | POLLOUT : POLLIN
        entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
    }

    /// Waits for `timeout` microseconds at most, nil without end; a signal ends it too.
    package mutating func wait(timeout: Int64?) throws(LinuxError) { _ = try isReady(within: timeout) }

    /// Waits as long, and returns whether one of them is ready.
    package mutating func isReady(within timeout: Int64?) throws(LinuxError) -> Bool {
        // Rounded up: a wait must not end before its time.
        let milliseconds = timeout.map { Int32(clamping: max($0, 0) / 1000 + ($0 > 0 ? 1 : 0)) } ?? -1
        let result = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
        if result < 0, errno != EINTR { throw .last("poll") }
        return result > 0
    }
}
