/// Reads what the kernel answers to a dump of sock_diag(7): netlink(7) messages, of which several come in one datagram.
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
    /// The number of the request; answers to others are passed over.
    private let sequence: UInt32
    private var isInterrupted = false

    /// Reads the answer to the request of this number.
    package init(sequence: UInt32) { self.sequence = sequence }

    // linux/netlink.h, linux/sock_diag.h
    private static let headerSize = 16
    private static let error: UInt16 = 2
    private static let done: UInt16 = 3
    private static let byFamily: UInt16 = 20
    private static let dumpInterrupted: UInt16 = 0x10

    /// Reads one datagram.
    package mutating func read(_ datagram: ArraySlice<UInt8>) -> Progress {
        var rest = Fields(datagram)
        while rest.count >= Self.headerSize {
            guard let length = rest.u32(0), let kind = rest.u16(4), let flags = rest.u16(6),
                let number = rest.u32(8), length >= Self.headerSize, Int(length) <= rest.count
            else { return .damaged }
            let body = rest.part(from: Self.headerSize, to: Int(length))
            rest = rest.part(from: min((Int(length) + 3) & ~3, rest.count), to: rest.count)
            guard number == sequence else { continue }
            if flags & Self.dumpInterrupted != 0 { isInterrupted = true }
            switch kind {
            case Self.done:
                // It carries the errno of a dump that ended early, on later kernels.
                if let code = body.i32(0), code < 0 { return .refused(-code) }
                return isInterrupted ? .interrupted : .done
            case Self.error:
                guard let code = body.i32(0) else { return .damaged }
                // An acknowledgement has no error.
                if code != 0 { return .refused(code == Int32.min ? Int32.max : -code) }
            case Self.byFamily:
                guard let socket = InetSocket(body) else { continue }
                sockets.append(socket)
            default: break
            }
        }
        return rest.count == 0 ? .more : .damaged
    }
}

extension InetSocket {
    // struct inet_diag_msg and its attributes (linux/inet_diag.h), struct tcp_info (linux/tcp.h).
    private static let size = 72
    private static let info: UInt16 = 2
    private static let cgroupID: UInt16 = 21

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
            inode: inode, receiveQueue: receiveQueue, sendQueue: sendQueue, cgroup: cgroup, traffic: traffic)
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

/// Bytes in the order of the machine, which is little endian wherever this runs; nil beyond their end.
private struct Fields {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    func part(from start: Int, to end: Int) -> Fields {
        Fields(bytes[(bytes.startIndex + start)..<(bytes.startIndex + end)])
    }

    func u8(_ offset: Int) -> UInt8? { offset < count ? bytes[bytes.startIndex + offset] : nil }

    private func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard offset + size <= count else { return nil }
        var number: Number = 0
        for index in 0..<size {
            number |= Number(truncatingIfNeeded: bytes[bytes.startIndex + offset + index]) << (8 * index)
        }
        return number
    }

    func u16(_ offset: Int) -> UInt16? { number(offset, UInt16.self) }
    func u32(_ offset: Int) -> UInt32? { number(offset, UInt32.self) }
    func u64(_ offset: Int) -> UInt64? { number(offset, UInt64.self) }
    func i32(_ offset: Int) -> Int32? { u32(offset).map { Int32(bitPattern: $0) } }
    /// In the order of the network.
    func network16(_ offset: Int) -> UInt16? { u16(offset)?.byteSwapped }

    /// An address of AF_INET (2) or AF_INET6 (10).
    func address(at offset: Int, _ family: UInt8) -> IPAddress? {
        switch family {
        case 2: u32(offset).map { IPAddress(ipv4: $0.byteSwapped) }
        case 10:
            u64(offset).flatMap { high in
                u64(offset + 8).map { IPAddress(high: high.byteSwapped, low: $0.byteSwapped) }
            }
        default: nil
        }
    }

    /// Attributes: a length with its header, a kind, the value, each at a multiple of four (linux/netlink.h).
    func forEachAttribute(_ body: (UInt16, Fields) -> Void) {
        var rest = self
        while let length = rest.u16(0), let kind = rest.u16(2), length >= 4, Int(length) <= rest.count {
            // The two highest bits say how the value is to be read.
            body(kind & 0x3fff, rest.part(from: 4, to: Int(length)))
            rest = rest.part(from: min((Int(length) + 3) & ~3, rest.count), to: rest.count)
        }
    }
}
