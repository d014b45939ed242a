/// The line in front of a forwarded connection that tells the receiver between which addresses it was made (the PROXY protocol of HAProxy).
package enum ProxyHeader: UInt8, Hashable, Sendable, CaseIterable {
    /// One line of text.
    case v1 = 1
    /// Binary, which Unix sockets have addresses in too.
    case v2 = 2

    private static let signature: [UInt8] = [
        0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a,
    ]

    /// The bytes that tell of a connection from `client` to `server`, the address that the client has used.
    ///
    /// Where one of them is not known, or the two are of different families, the header says that the origin is unknown: receivers use what
    /// they see themselves then.
    package func bytes(from client: RelayAddress?, to server: RelayAddress?) -> [UInt8] {
        switch self {
        case .v1: Array(Self.line(client?.unmapped, server?.unmapped).utf8)
        case .v2: Self.signature + Self.block(client?.unmapped, server?.unmapped)
        }
    }

    private static func line(_ client: RelayAddress?, _ server: RelayAddress?) -> String {
        switch (client, server) {
        case (.ipv4(_, let from)?, .ipv4(_, let to)?):
            "PROXY TCP4 \(client?.host ?? "") \(server?.host ?? "") \(from) \(to)\r\n"
        case (.ipv6(_, let from, _)?, .ipv6(_, let to, _)?):
            "PROXY TCP6 \(client?.host ?? "") \(server?.host ?? "") \(from) \(to)\r\n"
        default: "PROXY UNKNOWN\r\n"
        }
    }

    /// Version and command, family and transport, the length of what follows, and the addresses.
    private static func block(_ client: RelayAddress?, _ server: RelayAddress?) -> [UInt8] {
        func block(_ family: UInt8, _ addresses: [UInt8]) -> [UInt8] {
            [0x21, family, UInt8(addresses.count >> 8), UInt8(addresses.count & 0xff)] + addresses
        }
        switch (client, server) {
        case (.ipv4(let from, let fromPort)?, .ipv4(let to, let toPort)?):
            return block(0x11, big(from) + big(to) + big(fromPort) + big(toPort))
        case (.ipv6(let from, let fromPort, _)?, .ipv6(let to, let toPort, _)?):
            return block(0x21, from + to + big(fromPort) + big(toPort))
        case (.unix(let from)?, .unix(let to)?):
            return block(0x31, room(from) + room(to))
        default: return block(0, [])
        }
    }

    private static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> Number($0))
        }
    }

    private static func room(_ path: [UInt8]) -> [UInt8] {
        let path = path.prefix(RelayAddress.longestPath)
        return path + [UInt8](repeating: 0, count: RelayAddress.longestPath - path.count)
    }
}
