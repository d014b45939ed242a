/// Reads what the kernel answers to a dump of the sockets of TCP or UDP (sock_diag(7)).
///
/// Pure. What it does not know it passes over, as netlink asks: later kernels add attributes, and lengthen structures.
package struct SockDiagReader {
    /// What a datagram has told.
    package enum Progress: Hashable, Sendable {
        /// More datagrams follow.
        case more
        /// The dump is complete.
        case done
        /// The dump was changed by what happened meanwhile (`NLM_F_DUMP_INTR`), and is to be repeated; it is complete.
        case interrupted
        /// The kernel refuses, with this errno(3).
        case refused(Int32)
        /// A datagram is damaged: what it tells from there on is not read.
        case damaged
    }

    /// What was read so far, in the order of the dump.
    package private(set) var sockets: [InetSocket] = []
    /// How many sockets the dump told of so far, with those that were left out.
    package private(set) var count = 0
    private var messages: DiagMessages
    private let leavesOutQuiet: Bool

    /// Reads the answer to the request of this number.
    ///
    /// `leavingOutQuiet` leaves out the sockets of processes at which nothing waits, mostly all of them, without reading further.
    package init(sequence: UInt32, leavingOutQuiet: Bool = false) {
        messages = DiagMessages(sequence: sequence)
        leavesOutQuiet = leavingOutQuiet
    }

    /// Reads one datagram.
    package mutating func read(_ datagram: ArraySlice<UInt8>) -> Progress {
        messages.read(datagram) { body in
            count += 1
            if leavesOutQuiet, InetSocket.isQuiet(body) { return }
            if let socket = InetSocket(body) { sockets.append(socket) }
        }
    }
}

extension InetSocket {
    // struct inet_diag_msg and its attributes (linux/inet_diag.h), struct tcp_info (linux/tcp.h).
    private static let size = 72
    private static let info: UInt16 = 2
    private static let cgroupID: UInt16 = 21
    /// How long a closed connection is kept, in milliseconds.
    private static let timeWait: UInt32 = 60_000

    /// Whether it is the socket of a process, and nothing waits there to be read or accepted.
    fileprivate static func isQuiet(_ body: Fields) -> Bool { body.u32(56) == 0 && body.u32(68) != 0 }

    /// The socket of an `inet_diag_msg`; nil where it is shorter than that, of another family or in a state unknown here.
    fileprivate init?(_ body: Fields) {
        guard body.count >= Self.size, let family = body.u8(0), let state = body.u8(1).flatMap(State.init),
            let localPort = body.network16(4), let remotePort = body.network16(6),
            let local = body.address(at: 8, family), let remote = body.address(at: 24, family),
            let receiveQueue = body.u32(56), let sendQueue = body.u32(60), let inode = body.u32(68)
        else { return nil }
        var cgroup: UInt64?
        var traffic: Traffic?
        body.part(from: Self.size, to: body.count).forEachAttribute { kind, value in
            switch kind {
            case Self.info: traffic = Traffic(value)
            case Self.cgroupID: cgroup = value.u64(0)
            default: break
            }
        }
        self.init(
            state: state, local: Endpoint(local, port: localPort), remote: Endpoint(remote, port: remotePort),
            inode: inode, receiveQueue: receiveQueue, sendQueue: sendQueue, cgroup: cgroup, traffic: traffic,
            // What is left of the minute that the kernel keeps it (TCP_TIMEWAIT_LEN).
            sinceClosed: state == .timeWait
                ? body.u32(52).map { left in Self.timeWait - min(left, Self.timeWait) } : nil)
    }
}

extension InetSocket.Traffic {
    fileprivate init?(_ info: Fields) {
        guard let sent = info.u32(44), let received = info.u32(52), let acknowledged = info.u64(120),
            let bytes = info.u64(128)
        else { return nil }
        self.init(
            sinceSent: sent, sinceReceived: received, received: bytes, sent: info.u64(200) ?? acknowledged)
    }
}
