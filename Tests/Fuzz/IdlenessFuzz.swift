// The fuzz target for what the kernel tells of sockets and of epoll instances.

import Idleness

/// One input: datagrams of a dump of sock_diag(7) that a zero byte in front announces, or the text of an fdinfo.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIdleness(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if bytes.first == 0 {
        let half = 1 + bytes.count / 2
        var reader = SockDiagReader(sequence: 7)
        if reader.read(bytes[1..<min(half, bytes.count)]) == .more, half < bytes.count {
            _ = reader.read(bytes[half...])
        }
        for socket in reader.sockets {
            precondition(!socket.remote.description.isEmpty)
            if let traffic = socket.traffic { precondition(!traffic.isOwed || traffic.received > 0) }
        }
        // A message takes 88 bytes at least.
        precondition(reader.sockets.count <= bytes.count / 88)
    } else if let members = EpollMember.all(in: String(decoding: bytes, as: UTF8.self)) {
        precondition(members.allSatisfy { $0.descriptor >= 0 })
    }
    return 0
}
