/// The netlink(7) messages of a dump of sock_diag(7), of which several come in one datagram.
struct DiagMessages {
    /// The number of the request; answers to others are passed over.
    private let sequence: UInt32
    private var isInterrupted = false

    init(sequence: UInt32) { self.sequence = sequence }

    // linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
    private static let headerSize = 16
    private static let error: UInt16 = 2
    private static let done: UInt16 = 3
    private static let byFamily: UInt16 = 20
    private static let ofBoth: UInt16 = 18
    private static let dumpInterrupted: UInt16 = 0x10

    /// Reads one datagram, and passes on the body of each message that tells of a socket.
    mutating func read(
        _ datagram: ArraySlice<UInt8>, _ take: (Fields) -> Void
    ) -> SockDiagReader.Progress {
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
            case Self.byFamily, Self.ofBoth: take(body)
            default: break
            }
        }
        return rest.count == 0 ? .more : .damaged
    }
}
