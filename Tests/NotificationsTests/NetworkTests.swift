import Notifications
import TestSupport
import Testing

/// A message of rtnetlink, put together as the kernel does.
struct NetlinkText {
    var bytes: [UInt8]

    init(_ type: UInt16, flags: UInt16 = 0, _ header: [UInt8], _ attributes: [(UInt16, [UInt8])] = []) {
        var body = Self.padded(header)
        for (kind, content) in attributes {
            body += Self.padded(Self.half(UInt16(4 + content.count)) + Self.half(kind) + content)
        }
        bytes =
            Self.word(UInt32(16 + body.count)) + Self.half(type) + Self.half(flags)
            + [UInt8](repeating: 0, count: 8) + body
    }

    static func half(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }
    static func word(_ value: UInt32) -> [UInt8] {
        half(UInt16(truncatingIfNeeded: value)) + half(UInt16(value >> 16))
    }
    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    static func link(_ index: UInt32, _ name: String, up: Bool, gone: Bool = false) -> NetlinkText {
        NetlinkText(
            gone ? 17 : 16, [0, 0, 0, 0] + word(index) + word(up ? 0x41 : 0) + word(0),
            [(13, [1]), (3, Array(name.utf8) + [0])])
    }

    static func address(
        _ index: UInt32, _ bytes: [UInt8], _ prefix: UInt8, flags: UInt32 = 0, gone: Bool = false
    )
        -> NetlinkText
    {
        NetlinkText(
            gone ? 21 : 20,
            [bytes.count == 4 ? 2 : 10, prefix, UInt8(truncatingIfNeeded: flags), 0] + word(index),
            [(1, bytes), (8, word(flags))])
    }

    static func route(
        _ index: UInt32, via gateway: [UInt8], table: UInt8 = 254, prefix: UInt8 = 0, gone: Bool = false
    ) -> NetlinkText {
        NetlinkText(
            gone ? 25 : 24, [gateway.count == 16 ? 10 : 2, prefix, 0, 0, table, 3, 0, 1] + word(0),
            [(4, word(index)), (5, gateway), (6, word(100))])
    }
}

@Suite struct `The network` {
    private static let local: [UInt8] = [192, 0, 2, 1]
    private static let far: [UInt8] = [192, 0, 2, 254]

    @Test func `messages are read, one after the other, and what follows a broken one is not`() {
        let link = NetlinkText.link(2, "eth0", up: true).bytes
        let address = NetworkAddress(link: 2, bytes: Self.local, prefix: 24)
        let route = DefaultRoute(link: 2, isIPv6: false, gateway: Self.far, metric: 100)
        let table: [(String, [UInt8], [RouteMessage])] = [
            ("nothing", [], []), ("a header cut short", Array(link.prefix(15)), []),
            ("a message cut short", Array(link.dropLast()), []),
            ("a length of nothing", [UInt8](repeating: 0, count: 32), []),
            ("a link", link, [.link(index: 2, name: "eth0", isUp: true)]),
            (
                "a link that is down", NetlinkText.link(3, "wlan0", up: false).bytes,
                [.link(index: 3, name: "wlan0", isUp: false)]
            ),
            (
                "a link that is gone", NetlinkText.link(2, "eth0", up: true, gone: true).bytes,
                [.linkGone(index: 2)]
            ),
            (
                "a port of a bridge",
                NetlinkText(17, [7, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).bytes, [.other]
            ),
            ("an address", NetlinkText.address(2, Self.local, 24).bytes, [.address(address)]),
            (
                "an address that is tried out", NetlinkText.address(2, Self.local, 24, flags: 0x40).bytes,
                [.addressGone(address)]
            ),
            ("a route", NetlinkText.route(2, via: Self.far).bytes, [.route(route)]),
            (
                "a route that is gone", NetlinkText.route(2, via: Self.far, gone: true).bytes,
                [.routeGone(route)]
            ),
            ("a route to somewhere", NetlinkText.route(2, via: Self.far, prefix: 8).bytes, [.other]),
            ("a route of another table", NetlinkText.route(2, via: Self.far, table: 255).bytes, [.other]),
            (
                "two", link + NetlinkText(3, [0, 0, 0, 0]).bytes,
                [.link(index: 2, name: "eth0", isUp: true), .done]
            ),
            ("two, the second broken", link + [200, 0, 0, 0], [.link(index: 2, name: "eth0", isUp: true)]),
            ("what changed meanwhile", NetlinkText(3, flags: 0x10, [0, 0, 0, 0]).bytes, [.interrupted]),
            ("a refusal", NetlinkText(2, NetlinkText.word(0 &- 1)).bytes, [.refused(1)]),
            ("an acknowledgement", NetlinkText(2, NetlinkText.word(0)).bytes, [.other]),
        ]
        for (name, bytes, messages) in table {
            #expect(RouteMessage.messages(in: bytes) == messages, "\(name)")
        }
    }

    @Test func `a link that comes and goes leaves the network as it was, and comes back as the same`() {
        var network = NetworkSnapshot()
        func take(_ texts: NetlinkText...) {
            for text in texts {
                for message in RouteMessage.messages(in: text.bytes) { network.apply(message) }
            }
        }
        take(.link(1, "lo", up: true), .address(1, [127, 0, 0, 1], 8))
        let before = network
        take(.link(7, "eth0", up: true), .address(7, Self.local, 24), .route(7, via: Self.far))
        #expect(network.addressTexts == ["eth0 192.0.2.1/24", "lo 127.0.0.1/8"])
        #expect(network.routeTexts == ["eth0 192.0.2.254"])
        #expect(network.isOnline && !before.isOnline)
        let texts = network.addressTexts + network.routeTexts
        take(.link(7, "eth0", up: true, gone: true))
        #expect(network == before)
        take(.link(8, "eth0", up: true), .address(8, Self.local, 24), .route(8, via: Self.far))
        #expect(network.addressTexts + network.routeTexts == texts)
    }

    @Test func `addresses are written as people write them`() {
        let table: [([UInt8], String)] = [
            ([10, 0, 0, 1], "10.0.0.1"), ([UInt8](repeating: 0, count: 16), "::"),
            ([UInt8](repeating: 0, count: 15) + [1], "::1"),
            ([0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1], "fe80::1"),
            ([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], "2001:db8:0:1:0:1:0:1"),
            ([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], "2001:db8:0:0:1::"),
        ]
        for (bytes, text) in table {
            var network = NetworkSnapshot()
            network.apply(.address(NetworkAddress(link: 4, bytes: bytes, prefix: 9)))
            #expect(network.addressTexts == ["4 \(text)/9"])
        }
    }

    @Test func `random bytes are read without harm`() {
        var random = SplitMix64(seed: 5)
        let whole = NetlinkText.link(2, "eth0", up: true).bytes + NetlinkText.address(2, Self.local, 24).bytes
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            var network = NetworkSnapshot()
            for message in RouteMessage.messages(in: bytes) { network.apply(message) }
            #expect(network.addressTexts.count <= 2)
        }
    }
}
