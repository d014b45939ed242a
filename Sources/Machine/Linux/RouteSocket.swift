internal import CLinux
internal import Glibc

/// What the kernel tells of links, addresses and routes, by rtnetlink(7).
package struct RouteSocket: ~Copyable, Sendable {
    /// What can be asked for.
    package enum Subject: Int32, Hashable, Sendable, CaseIterable {
        /// All links (`RTM_GETLINK`).
        case links = 18
        /// All addresses (`RTM_GETADDR`).
        case addresses = 22
        /// All routes (`RTM_GETROUTE`).
        case routes = 26
    }

    /// What came.
    package enum News: Hashable, Sendable {
        /// Messages, as the kernel wrote them.
        case messages([UInt8])
        /// Some did not fit: ask for everything again.
        case lost
        /// Nothing more for now.
        case none
    }

    private let descriptor: OwnedDescriptor

    /// A socket in the network namespace of the calling thread, which hears of every change from now on.
    package init() throws(LinuxError) {
        let result = torpor_route_open()
        guard result >= 0 else { throw LinuxError(errno: -result, call: "socket", subject: "rtnetlink") }
        descriptor = OwnedDescriptor(adopting: result)
    }

    /// The descriptor, borrowed: it has input when there is news.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Asks for all of a subject; the answer ends with a message that says so.
    package borrowing func ask(_ subject: Subject) throws(LinuxError) {
        let result = torpor_route_ask(descriptor.rawValue, subject.rawValue)
        guard result >= 0 else { throw LinuxError(errno: -result, call: "send", subject: "rtnetlink") }
    }

    /// Takes one portion of news, without waiting.
    package borrowing func read() throws(LinuxError) -> News {
        var buffer = [UInt8](repeating: 0, count: 32768)
        let result = unsafe torpor_netlink_receive(descriptor.rawValue, &buffer, buffer.count)
        switch -result {
        case EAGAIN, EINTR: return .none
        case ENOBUFS: return .lost
        case let error where error > 0:
            throw LinuxError(errno: error, call: "recvmsg", subject: "rtnetlink")
        default: return .messages(Array(buffer.prefix(Int(result))))
        }
    }
}
