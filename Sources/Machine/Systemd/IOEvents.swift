internal import CSystemd

/// What may be true of a descriptor, as epoll_ctl(2) has it.
package struct IOEvents: OptionSet, Hashable, Sendable {
    /// The bits of `struct epoll_event`.
    package let rawValue: UInt32

    /// The events whose bits are set.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// There is something to read, a connection to accept, or the end of the stream (`EPOLLIN`).
    package static let readable = IOEvents(rawValue: UInt32(EPOLLIN.rawValue))
    /// A write would not block (`EPOLLOUT`).
    package static let writable = IOEvents(rawValue: UInt32(EPOLLOUT.rawValue))
    /// An exceptional condition, such as a PSI trigger or a change of `cgroup.events` (`EPOLLPRI`).
    package static let urgent = IOEvents(rawValue: UInt32(EPOLLPRI.rawValue))
    /// The peer will send nothing more (`EPOLLRDHUP`).
    package static let peerClosed = IOEvents(rawValue: UInt32(EPOLLRDHUP.rawValue))
    /// The peer is gone (`EPOLLHUP`); always reported, asked for or not.
    package static let hangup = IOEvents(rawValue: UInt32(EPOLLHUP.rawValue))
    /// The descriptor is in error (`EPOLLERR`); always reported, asked for or not.
    package static let error = IOEvents(rawValue: UInt32(EPOLLERR.rawValue))
}
