// The fuzz target for what the kernel tells of sockets and of epoll instances, and for addresses and networks as text.

import ConfigurationSyntax
import Idleness

/// One input: datagrams of a dump of sock_diag(7) that a zero byte in front announces, those of Unix sockets a byte of 1; or the
/// text of an fdinfo, of a link or of `/proc/net/snmp`, which is read as a network and as the address of a bind(2) too.
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
        return 0
    } else if bytes.first == 1 {
        let half = 1 + bytes.count / 2
        var reader = UnixDiagReader(sequence: 7)
        if reader.read(bytes[1..<min(half, bytes.count)]) == .more, half < bytes.count {
            _ = reader.read(bytes[half...])
        }
        precondition(reader.sockets.allSatisfy { $0.peer != 0 })
        // A message takes 32 bytes at least.
        precondition(reader.sockets.count <= bytes.count / 32)
        return 0
    }
    if let address = BindAddress(bytes: bytes) {
        precondition(bytes.count >= 16 && (address.isIPv6 || address.endpoint.address.ipv4 != nil))
    }
    if SegmentCounters(snmp: bytes.span) != nil { precondition(bytes.count > 40) }
    let text = String(decoding: bytes, as: UTF8.self)
    if let flags = OpenFlags(fdinfo: text) {
        precondition(!flags.mayWrite || !flags.mayRead || flags.bits & 3 == 2)
    }
    // Only what the kernel writes is a kind: no path is.
    precondition(!text.hasPrefix("/") || Inventory.Kind(link: text) == .other)
    if let members = EpollMember.all(in: text) { precondition(members.allSatisfy { $0.descriptor >= 0 }) }
    readNetwork(text)
    return 0
}

/// What is written of an address or a network is read back as the same, and a network has its own address in it.
private func readNetwork(_ text: String) {
    if let address = IPAddress(text) {
        precondition(IPAddress(address.description) == address)
        precondition((try? IPNetwork(parsing: text)) == IPNetwork(address, prefix: 128))
    }
    guard let networks = try? IPNetworkSet(parsing: text).networks else { return }
    precondition(!networks.isEmpty)
    for network in networks {
        precondition((try? IPNetwork(parsing: network.description)) == network)
        precondition(network.contains(network.address) && network.contains(network))
    }
}
