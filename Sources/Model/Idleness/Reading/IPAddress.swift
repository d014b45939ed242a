internal import ConfigurationSyntax

/// An address of IPv4 or IPv6.
package struct IPAddress: Hashable, Sendable {
    /// Its 16 bytes in the order of the network; an address of IPv4 is mapped (`::ffff:a.b.c.d`, RFC 4291 section 2.5.5.2).
    package let high: UInt64
    package let low: UInt64

    private static let mapped: UInt64 = 0xffff << 32

    /// The address of these halves, in the order of the network.
    package init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// The address of IPv4 with these 32 bits, in the order of the network.
    package init(ipv4 bits: UInt32) {
        self.init(high: 0, low: Self.mapped | UInt64(bits))
    }

    /// The address that `text` spells: `10.0.0.7`, `2001:db8::1`, `::ffff:10.0.0.7`, without brackets or a zone (RFC 4291); nil
    /// where it spells none.
    package init?(_ text: String) {
        if let bits = InternetAddress.ipv4(text) {
            self.init(ipv4: bits)
        } else if let bytes = InternetAddress.ipv6(text) {
            func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
            self.init(high: half(bytes[..<8]), low: half(bytes[8...]))
        } else {
            return nil
        }
    }

    /// Its 32 bits where it is one of IPv4, also where IPv6 maps it.
    package var ipv4: UInt32? {
        high == 0 && low & ~0xffff_ffff == Self.mapped ? UInt32(truncatingIfNeeded: low) : nil
    }

    /// Whether it stands for every address of the machine.
    package var isUnspecified: Bool { high == 0 && (low == 0 || low == Self.mapped) }

    /// Whether it is the machine's own (127.0.0.0/8, ::1).
    package var isLoopback: Bool { ipv4.map { $0 >> 24 == 127 } ?? (high == 0 && low == 1) }

    /// Its eight groups of 16 bits.
    fileprivate var groups: [UInt16] {
        [high, low].flatMap { half in
            [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> UInt64($0)) }
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// As RFC 5952 has it: `10.0.0.7`, `2001:db8::1`.
    package var description: String {
        if let bits = ipv4 {
            return "\(bits >> 24).\(bits >> 16 & 0xff).\(bits >> 8 & 0xff).\(bits & 0xff)"
        }
        let groups = groups
        let words = groups.map { String($0, radix: 16) }
        // The longest run of zeros, the first of several, of two groups at least.
        var run = 0..<0
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > max(run.count, 1) { run = start..<index }
            start = index + 1
        }
        if run.isEmpty { return words.joined(separator: ":") }
        return words[..<run.lowerBound].joined(separator: ":") + "::"
            + words[run.upperBound...].joined(separator: ":")
    }
}

/// One end of a connection: an address and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    package let address: IPAddress
    package let port: UInt16

    /// The end at this address and port.
    package init(_ address: IPAddress, port: UInt16) {
        (self.address, self.port) = (address, port)
    }

    /// `10.0.0.7:51422`, `[2001:db8::1]:80`.
    package var description: String {
        address.ipv4 == nil ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
