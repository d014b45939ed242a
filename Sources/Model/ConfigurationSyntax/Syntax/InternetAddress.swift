/// The text forms of internet addresses, as inet_pton(3) reads them.
package enum InternetAddress {
    /// The bits of `a.b.c.d`, its first byte the highest; decimal, without leading zeros.
    package static func ipv4(_ text: String) -> UInt32? {
        let parts = text.utf8.split(separator: .dot, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard part.allSatisfy(\.isDigit), part.count == 1 || part.first != UInt8(ascii: "0"),
                let byte = UInt8(String(cut: part))
            else { return nil }
            address = address << 8 | UInt32(byte)
        }
        return address
    }

    /// The 16 bytes of an address in one of the text forms of RFC 4291 section 2.2, without brackets and without a zone.
    package static func ipv6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2, let first = halves.first,
            let head = groups(String(first), isLast: halves.count == 1)
        else {
            return nil
        }
        guard halves.count == 2 else { return head.count == 16 ? head : nil }
        guard let tail = groups(String(halves[1]), isLast: true), head.count + tail.count <= 14 else {
            return nil
        }
        return head + Array(repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// The bytes of groups between single colons; the last one may be an IPv4 address.
    private static func groups(_ text: String, isLast: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            let part = String(cut: part)
            if isLast, index == parts.count - 1, let address = ipv4(part) {
                bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: address >> UInt32($0)) }
                continue
            }
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0.digitValue != nil }),
                let group = UInt16(part, radix: 16)
            else { return nil }
            bytes += [UInt8(group >> 8), UInt8(truncatingIfNeeded: group)]
        }
        return bytes.count <= 16 ? bytes : nil
    }
}
