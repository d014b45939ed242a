import Relaying
import Testing

@Suite struct `The PROXY header` {
    private static let one: [UInt8] = [UInt8](repeating: 0, count: 15) + [1]
    private static let documentation: [UInt8] =
        [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [7]
    private static let mapped: [UInt8] =
        [UInt8](repeating: 0, count: 10) + [0xff, 0xff, 10, 0, 0, 7]

    private static func big(_ port: UInt16) -> [UInt8] { [UInt8(port >> 8), UInt8(port & 0xff)] }
    private static func room(_ path: String) -> [UInt8] {
        Array(path.utf8) + [UInt8](repeating: 0, count: 108 - path.utf8.count)
    }
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    struct Case: Sendable {
        let client: RelayAddress?
        let server: RelayAddress?
        let line: String
        /// Family and transport, and the addresses.
        let block: (UInt8, [UInt8])
    }

    static let cases: [Case] = [
        Case(
            client: .ipv4(0x0a00_0007, port: 51422), server: .ipv4(0xc000_0202, port: 80),
            line: "PROXY TCP4 10.0.0.7 192.0.2.2 51422 80\r\n",
            block: (0x11, [10, 0, 0, 7, 192, 0, 2, 2] + big(51422) + big(80))),
        Case(
            client: .ipv6(documentation, port: 1), server: .ipv6(one, port: 65535),
            line: "PROXY TCP6 2001:db8::7 ::1 1 65535\r\n",
            block: (0x21, documentation + one + big(1) + big(65535))),
        Case(
            client: .ipv6(mapped, port: 9), server: .ipv6(mapped, port: 8),
            line: "PROXY TCP4 10.0.0.7 10.0.0.7 9 8\r\n",
            block: (0x11, [10, 0, 0, 7, 10, 0, 0, 7] + big(9) + big(8))),
        Case(
            client: .unix([]), server: .unix(Array("/run/a.sock".utf8)), line: "PROXY UNKNOWN\r\n",
            block: (0x31, room("") + room("/run/a.sock"))),
        Case(
            client: .ipv4(1, port: 2), server: .ipv6(one, port: 3), line: "PROXY UNKNOWN\r\n", block: (0, [])),
        Case(client: nil, server: .ipv4(1, port: 2), line: "PROXY UNKNOWN\r\n", block: (0, [])),
        Case(client: nil, server: nil, line: "PROXY UNKNOWN\r\n", block: (0, [])),
    ]

    @Test(arguments: cases) func `tells of both ends`(_ each: Case) {
        #expect(
            String(decoding: ProxyHeader.v1.bytes(from: each.client, to: each.server), as: UTF8.self)
                == each.line)
        let (family, addresses) = each.block
        let expected =
            Self.signature + [0x21, family] + Self.big(UInt16(addresses.count)) + addresses
        #expect(ProxyHeader.v2.bytes(from: each.client, to: each.server) == expected)
    }

    @Test func `has at most 107 bytes in its first version`() {
        let longest = RelayAddress.ipv6([UInt8](repeating: 0xff, count: 16), port: 65535)
        #expect(ProxyHeader.v1.bytes(from: longest, to: longest).count <= 107)
    }
}

@Suite struct `An address of a relay` {
    @Test(
        arguments: [
            .ipv4(0x7f00_0001, port: 80), .ipv4(0, port: 0),
            .ipv6([UInt8](0..<16), port: 443, scope: 2), .unix([]), .unix(Array("/a".utf8)),
            .unix([0] + Array("name".utf8)), .unix([0, 0]), .unix([UInt8](repeating: 0x61, count: 108)),
        ] as [RelayAddress])
    func `is read as the kernel has it`(_ address: RelayAddress) {
        #expect(RelayAddress(kernelBytes: address.kernelBytes[...]) == address)
    }

    @Test(arguments: [
        [], [2], [2, 0], [2, 0, 0, 80, 127, 0, 0], [10, 0, 0, 80], [99, 0, 0, 80, 1, 1, 1, 1],
    ])
    func `is refused where it is none`(_ bytes: [UInt8]) {
        #expect(RelayAddress(kernelBytes: bytes[...]) == nil)
    }

    @Test(
        arguments: [
            (.ipv4(0x0a00_0007, port: 80), "10.0.0.7:80", false),
            (.ipv4(0x7f01_0203, port: 1), "127.1.2.3:1", true),
            (.ipv6([UInt8](repeating: 0, count: 15) + [1], port: 80), "[::1]:80", true),
            (.ipv6([UInt8](repeating: 0, count: 16), port: 80), "[::]:80", false),
            (
                .ipv6([0x20, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], port: 8), "[2001:0:0:1::1]:8",
                false
            ),
            (.ipv6([0, 1, 0, 0, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8], port: 8), "[1:0:3:4:5:6:7:8]:8", false),
            (
                .ipv6([UInt8](repeating: 0, count: 10) + [255, 255, 127, 0, 0, 1], port: 8),
                "[::ffff:7f00:1]:8", true
            ), (.unix(Array("/run/a".utf8)), "/run/a", false), (.unix([0, 0x61]), "@a", false),
            (.unix([]), "a Unix socket", false),
        ] as [(RelayAddress, String, Bool)])
    func `is written as operators write it`(_ address: RelayAddress, _ text: String, _ isLoopback: Bool) {
        #expect(address.description == text)
        #expect(address.isLoopback == isLoopback)
    }
}
