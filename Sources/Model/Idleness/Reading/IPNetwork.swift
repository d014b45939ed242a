package import ConfigurationSyntax

/// Addresses with the same leading bits, as `IPAddressAllow=` of systemd.resource-control(5) has them.
package struct IPNetwork: Hashable, Sendable {
    /// Its first address: the bits after the prefix are 0.
    package let address: IPAddress
    /// How many leading bits of the 128 count; of IPv4 that is 96 more than is written.
    package let prefix: Int

    /// The network of `address` with `prefix` bits of 128, from 0.
    package init(_ address: IPAddress, prefix: Int) {
        self.prefix = min(max(prefix, 0), 128)
        // A shift by 64 bits or more leaves nothing, one by less than 0 is a shift the other way: both as they are meant here.
        self.address = IPAddress(
            high: address.high & ~(UInt64.max >> self.prefix),
            low: self.prefix <= 64 ? 0 : address.low & ~(UInt64.max >> (self.prefix - 64)))
    }

    /// The network of IPv4 with the first `prefix` bits of 32.
    package init(ipv4 bits: UInt32, prefix: Int) {
        self.init(IPAddress(ipv4: bits), prefix: 96 + min(max(prefix, 0), 32))
    }

    /// Whether `other` is in it; no address of IPv4 is in a network of IPv6, `::/0` included.
    package func contains(_ other: IPAddress) -> Bool {
        if prefix < 96, other.ipv4 != nil { return false }
        let (high, low) = (address.high ^ other.high, address.low ^ other.low)
        return high & ~(UInt64.max >> prefix) == 0
            && (prefix <= 64 || low & ~(UInt64.max >> (prefix - 64)) == 0)
    }

    /// Whether all addresses of `other` are in it.
    package func contains(_ other: IPNetwork) -> Bool {
        prefix <= other.prefix && contains(other.address)
    }
}

extension IPNetwork: PlainValue, CustomStringConvertible {
    /// Reads an address, or an address and a prefix length: `10.0.0.5`, `10.0.0.0/8`, `2001:db8::/32`.
    ///
    /// Bits after the prefix are ignored, as systemd ignores them: `10.0.0.5/8` is `10.0.0.0/8`.
    package init(parsing text: String) throws(ValueError) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        let word = String(cut: parts[0])
        let isIPv4 = InternetAddress.ipv4(word) != nil
        let bits = isIPv4 ? 32 : 128
        guard let address = IPAddress(word) else {
            throw ValueError(
                "got \(text.quoted)",
                expected: word.utf8.contains(.percent) ? "no zone after the address" : Self.expectation)
        }
        guard parts.count == 2 else {
            self.init(address, prefix: 128)
            return
        }
        guard parts[1].count <= 3, parts[1].allSatisfy(\.isDigit),
            parts[1].count == 1 || parts[1].first != UInt8(ascii: "0"),
            let prefix = Int(String(cut: parts[1])), prefix <= bits
        else {
            throw ValueError(text, isNot: "a prefix length from 0 to \(bits) after \(word)/")
        }
        self.init(address, prefix: 128 - bits + prefix)
    }

    /// What a network looks like.
    package static var expectation: String {
        "an address or a network such as 10.0.0.5, 10.0.0.0/8 or 2001:db8::/32"
    }
    /// A network is one word.
    package static var isClosed: Bool { true }

    /// As it is read: `10.0.0.0/8`, `2001:db8::/32`, an address alone without a prefix length.
    package var description: String {
        if prefix == 128 { return address.description }
        return "\(address)/\(address.ipv4 == nil ? prefix : prefix - 96)"
    }
}
