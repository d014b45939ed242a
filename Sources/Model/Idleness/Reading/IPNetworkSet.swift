package import ConfigurationSyntax

/// The networks that one word of `IPAddressAllow=` stands for (systemd.resource-control(5)).
package struct IPNetworkSet: Hashable, Sendable, PlainValue {
    /// Words that stand for a network of IPv4 and one of IPv6.
    private enum Name: String, CaseIterable {
        case any
        case localhost
        case linkLocal = "link-local"
        case multicast

        var networks: [IPNetwork] {
            switch self {
            case .any: Self.pair(0, 0, 0, 0)
            case .localhost: Self.pair(0x7f00_0000, 8, 0, 128, low: 1)
            case .linkLocal: Self.pair(0xa9fe_0000, 16, 0xfe80 << 48, 64)
            case .multicast: Self.pair(0xe000_0000, 4, 0xff00 << 48, 8)
            }
        }

        private static func pair(
            _ ipv4: UInt32, _ bits4: Int, _ high: UInt64, _ bits6: Int, low: UInt64 = 0
        ) -> [IPNetwork] {
            [
                IPNetwork(ipv4: ipv4, prefix: bits4),
                IPNetwork(IPAddress(high: high, low: low), prefix: bits6),
            ]
        }
    }

    /// The networks; one at least.
    package let networks: [IPNetwork]

    /// Reads an address, a network, or one of `any`, `localhost`, `link-local` and `multicast`.
    package init(parsing text: String) throws(ValueError) {
        if let name = Name.allCases.first(where: { $0.rawValue.isExactly(text) }) {
            networks = name.networks
        } else if text.utf8.contains(where: { $0 == .dot || $0 == UInt8(ascii: ":") }) {
            do throws(ValueError) {
                networks = [try IPNetwork(parsing: text)]
            } catch {
                // A word would do as well where neither address nor network is to be seen.
                throw error.expected == IPNetwork.expectation
                    ? ValueError(error.problem, expected: Self.expectation) : error
            }
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What one word looks like.
    package static var expectation: String {
        IPNetwork.expectation + ", or any, localhost, link-local or multicast"
    }
    /// It is one word.
    package static var isClosed: Bool { true }
}
