import ConfigurationSyntax
import Idleness
import Testing

@Suite struct `Addresses and networks as text` {
    @Test(
        arguments: [
            ("0.0.0.0", 0, 0xffff_0000_0000), ("10.0.0.7", 0, 0xffff_0a00_0007),
            ("255.255.255.255", 0, 0xffff_ffff_ffff), ("::", 0, 0), ("::1", 0, 1), ("1::", 1 << 48, 0),
            ("2001:db8::1", 0x2001_0db8_0000_0000, 1), ("2001:DB8::A", 0x2001_0db8_0000_0000, 10),
            ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008),
            ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
            ("::2:3:4:5:6:7:8", 0x0000_0002_0003_0004, 0x0005_0006_0007_0008),
            ("1::3:4:5:6:7:8", 0x0001_0000_0003_0004, 0x0005_0006_0007_0008),
            ("0001:0:0:0:0:0:0:0", 1 << 48, 0), ("::ffff:1.2.3.4", 0, 0xffff_0102_0304),
            ("::ffff:102:304", 0, 0xffff_0102_0304), ("0:0:0:0:0:ffff:1.2.3.4", 0, 0xffff_0102_0304),
            ("::1.2.3.4", 0, 0x0102_0304), ("64:ff9b::1.2.3.4", 0x0064_ff9b_0000_0000, 0x0102_0304),
            ("1:2:3:4:5:6:1.2.3.4", 0x0001_0002_0003_0004, 0x0005_0006_0102_0304),
        ] as [(String, UInt64, UInt64)])
    func `are read`(_ text: String, _ high: UInt64, _ low: UInt64) throws {
        let address = try #require(IPAddress(text))
        #expect(address == IPAddress(high: high, low: low))
        #expect(IPAddress(address.description) == address, "what is written is read again")
        #expect(try IPNetwork(parsing: text) == IPNetwork(address, prefix: 128))
    }

    @Test(arguments: [
        "", " ", "1", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "01.2.3.4", "1.2.3.04", "256.1.1.1",
        "1.2.3.-4", "+1.2.3.4", "1.2.3.4 ", " 1.2.3.4", "0x1.2.3.4", "1.2.3.4:80", "a.b.c.d", "1.2.3.٤",
        ":", ":::", "::1::", "1::2::3", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8", "1:2:3:4::5:6:7:8", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "12345::", "g::", "::-1",
        "::+1", "[::1]", "::1%lo", "fe80::1%eth0", "::1 ", "::1.2.3", "::1.2.3.4.5", "1.2.3.4::",
        "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::ffff:01.2.3.4", "::\u{301}1", "localhost", "any", "::1\0",
    ])
    func `are refused`(_ text: String) {
        #expect(IPAddress(text) == nil)
        #expect(throws: ValueError.self) { try IPNetwork(parsing: text) }
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0/8"), ("10.1.2.3/8", "10.0.0.0/8"), ("10.1.2.3/32", "10.1.2.3"),
        ("10.1.2.3/31", "10.1.2.2/31"), ("0.0.0.0/0", "0.0.0.0/0"), ("1.2.3.4/0", "0.0.0.0/0"),
        ("::/0", "::/0"), ("2001:db8:1::/32", "2001:db8::/32"), ("::1/128", "::1"),
        ("1::ff/121", "1::80/121"),
        ("fe80::1/64", "fe80::/64"), ("1:2:3:4:5::/65", "1:2:3:4::/65"),
        ("1:2:3:4:8000::/65", "1:2:3:4:8000::/65"),
        ("::ffff:1.2.3.4/120", "1.2.3.0/24"), ("::ffff:0:0/96", "0.0.0.0/0"), ("::ffff:1.2.3.4/24", "::/24"),
    ])
    func `have a prefix length, and no bits after it`(_ text: String, _ written: String) throws {
        let network = try IPNetwork(parsing: text)
        #expect(network.description == written)
        #expect(try IPNetwork(parsing: written) == network)
    }

    @Test(arguments: [
        "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/ 8",
        "10.0.0.0/8/8",
        "10.0.0.0/255.0.0.0", "10.0.0.0/99999999999999999999", "::/129", "::/0x40", "::/1280", "/8", "10/8",
        "any/8",
        "fe80::%eth0/64", "::1/12٨",
    ])
    func `have no other prefix length`(_ text: String) {
        #expect(throws: ValueError.self) { try IPNetwork(parsing: text) }
        #expect(throws: ValueError.self) { try IPNetworkSet(parsing: text) }
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.5", "10.0.0.5", true),
        ("10.0.0.5", "10.0.0.4", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
        ("0.0.0.0/0", "1.2.3.4", true),
        ("0.0.0.0/0", "::1", false), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
        ("::/0", "1.2.3.4", false), ("::/80", "1.2.3.4", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/32", "2001:db9::1", false), ("fe80::/64", "fe80::1", true),
        ("fe80::/64", "fe80:0:0:1::1", false),
        ("1::80/121", "1::ff", true), ("1::80/121", "1::7f", false), ("1:2:3:4::/63", "1:2:3:5::1", true),
        ("::1", "::1", true), ("::1", "1.0.0.1", false),
    ])
    func `contain the addresses with their leading bits`(_ network: String, _ address: String, _ isIn: Bool)
        throws
    {
        #expect(try IPNetwork(parsing: network).contains(#require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.1.0.0/16", true), ("10.1.0.0/16", "10.0.0.0/8", false),
        ("10.0.0.0/8", "10.0.0.0/8", true),
        ("::/0", "10.0.0.0/8", false), ("::/0", "::1", true), ("0.0.0.0/0", "::/0", false),
    ])
    func `contain other networks`(_ outer: String, _ inner: String, _ isIn: Bool) throws {
        #expect(try IPNetwork(parsing: outer).contains(IPNetwork(parsing: inner)) == isIn)
    }

    @Test(arguments: [
        ("any", ["0.0.0.0/0", "::/0"]), ("localhost", ["127.0.0.0/8", "::1"]),
        ("link-local", ["169.254.0.0/16", "fe80::/64"]), ("multicast", ["224.0.0.0/4", "ff00::/8"]),
        ("10.0.0.5", ["10.0.0.5"]), ("2001:db8::/32", ["2001:db8::/32"]),
    ])
    func `have the names that systemd has`(_ word: String, _ networks: [String]) throws {
        #expect(try IPNetworkSet(parsing: word).networks.map(\.description) == networks)
    }

    @Test(arguments: ["Any", "local", "link_local", "", "home", "8", "/8"])
    func `have no other names`(_ word: String) {
        #expect(throws: ValueError.self) { try IPNetworkSet(parsing: word) }
    }
}
