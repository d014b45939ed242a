internal import CLinux
internal import Glibc
package import Linux
package import Relaying

/// The supervisor's end of a relay's control socket; the relay knows that it is closed.
package struct RelayControl: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// The most descriptors that one message takes along.
    package static let mostDescriptors = Int(TORPOR_MAX_DESCRIPTORS)

    /// The relay's end, which becomes its descriptor 3; nil once it was taken.
    private var theirs: OwnedDescriptor?

    /// Both ends of a new one.
    package init() throws(LinuxError) {
        var ends: [Int32] = [-1, -1]
        let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        try check(unsafe socketpair(AF_UNIX, kind, 0, &ends), "socketpair")
        descriptor = OwnedDescriptor(adopting: ends[0])
        theirs = OwnedDescriptor(adopting: ends[1])
    }

    /// Hands over the relay's end, once: while it is open here, the end of the relay is not told.
    package mutating func takeTheirs() -> OwnedDescriptor? { theirs.take() }

    /// The socket's number, borrowed: to wait for reports.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Tells the relay, which gets copies of `descriptors`; without waiting.
    ///
    /// `EAGAIN` is thrown where the relay has not read what it was told before, `EPIPE` where it is gone.
    package borrowing func send(_ command: RelayCommand, _ descriptors: [Int32] = []) throws(LinuxError) {
        let bytes = command.bytes
        let result = unsafe torpor_relay_tell(
            descriptor.rawValue, bytes, bytes.count, descriptors, descriptors.count)
        guard result == 0 else { throw LinuxError(errno: -result, call: "sendmsg", subject: "torpor-relay") }
    }

    /// Waits on this thread until something has come, or the relay has ended.
    package borrowing func wait(milliseconds: Int32) {
        var look = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&look, 1, milliseconds)
    }

    /// What came of reading.
    package enum Reading: Hashable, Sendable {
        case report(RelayReport)
        /// Nothing has come.
        case none
        /// The relay has ended.
        case ended
    }

    /// Reads one report, without waiting; what is not understood is passed over.
    package borrowing func receive() -> Reading {
        var room = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe torpor_relay_receive(descriptor.rawValue, &room, room.count, 0)
            if count == -Int(EAGAIN) { return .none }
            guard count > 0 else { return .ended }
            if let report = RelayReport(room[..<count]) { return .report(report) }
        }
    }
}
