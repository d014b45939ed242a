/// The address of a bind(2) of a worker, as its memory has it.
package struct BindAddress: Hashable, Sendable {
    package let endpoint: Endpoint
    package let isIPv6: Bool
    /// The interface that an address of one link belongs to (ipv6(7)); 0 is none.
    package let scope: UInt32

    /// An address, by its parts.
    package init(_ endpoint: Endpoint, isIPv6: Bool, scope: UInt32 = 0) {
        (self.endpoint, self.isIPv6, self.scope) = (endpoint, isIPv6, scope)
    }

    /// What a `struct sockaddr` of these bytes says, of ip(7) or ipv6(7); nil of another family, and where it is too short: the kernel judges
    /// that.
    package init?(bytes: [UInt8]) {
        func big(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        guard bytes.count >= Self.shortest else { return nil }
        // The family is in the order of the machine, and its numbers are small.
        let family = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
        let port = UInt16(big(2..<4))
        switch family {
        // AF_INET; AF_UNSPEC with INADDR_ANY is taken for it (ip(7)).
        case 2: self.init(Endpoint(IPAddress(ipv4: UInt32(big(4..<8))), port: port), isIPv6: false)
        case 0 where big(4..<8) == 0: self.init(Endpoint(IPAddress(ipv4: 0), port: port), isIPv6: false)
        // AF_INET6. Older programs have no scope (SIN6_LEN_RFC2133).
        case 10 where bytes.count >= 24:
            let scope =
                bytes.count < Self.longest
                ? 0 : bytes[24..<28].reversed().reduce(0) { $0 << 8 | UInt32($1) }
            let address = IPAddress(high: big(8..<16), low: big(16..<24))
            self.init(Endpoint(address, port: port), isIPv6: true, scope: scope)
        default: return nil
        }
    }

    /// A `struct sockaddr_in`.
    private static let shortest = 16
    /// As many bytes as say anything: a `struct sockaddr_in6`.
    package static let longest = 28
}
