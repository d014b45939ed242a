import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

// Where systemd has the same value, the expectations were compared with systemd 252's own functions.
@Suite struct `Text values` {
    @Test(
        arguments: [
            ("80", ListenAddress.port(80)), ("0x50", .port(80)),
            ("127.0.0.1:80", .ipv4(address: 0x7f00_0001, port: 80)),
            ("/run/a b.sock", .path("/run/a b.sock")), ("/run//x/./y", .path("/run/x/y")),
            ("@a", .abstract("a")),
            ("[::1]:80", .ipv6(address: Array(repeating: 0, count: 15) + [1], port: 80, interface: nil)),
            ("[::1]:80%lo", .ipv6(address: Array(repeating: 0, count: 15) + [1], port: 80, interface: "lo")),
            ("[::]:1", .ipv6(address: Array(repeating: 0, count: 16), port: 1, interface: nil)),
            (
                "[::ffff:1.2.3.4]:1",
                .ipv6(
                    address: Array(repeating: 0, count: 10) + [255, 255, 1, 2, 3, 4], port: 1, interface: nil)
            ),
            (
                "[1:2:3:4:5:6:7:8]:1",
                .ipv6(address: [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8], port: 1, interface: nil)
            ),
            (
                "[1:2:3:4:5:6:7::]:1",
                .ipv6(address: [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0], port: 1, interface: nil)
            ),
        ] as [(String, ListenAddress)])
    func `listen addresses`(_ text: String, _ address: ListenAddress) throws {
        #expect(try ListenAddress(parsing: text) == address)
    }

    @Test(arguments: [
        "", "0", "65536", "1.2.3:80", "01.2.3.4:80", "1.2.3.4", "[::1%lo]:80", "[1::2::3]:1", "@", "/",
        "vsock:1:2",
        "1.2.3.4:0", "[::1]:", "localhost:80", "080", "[::1]80", "[::1", "[]:1", "[:::]:1", "[1:2]:1",
        "[12345::]:1",
        "[::1]:80%", "1.2.3.4:80x", "x1.2.3.4:80", "run/x", "[::1.2.3]:1",
        "/" + String(repeating: "x", count: 107),
    ])
    func `refused listen addresses`(_ text: String) {
        #expect(throws: ValueError.self) { try ListenAddress(parsing: text) }
    }

    @Test(
        arguments: [
            ("/", "/"), ("/a//b/./c/", "/a/b/c"), ("a", nil), ("", nil), ("/a/../b", nil), ("/a\u{1}", nil),
            ("/" + String(repeating: "x", count: 256), nil), ("/...", "/..."),
        ] as [(String, String?)])
    func `absolute paths`(_ text: String, _ path: String?) {
        #expect((try? AbsolutePath(parsing: text))?.text == path)
    }

    @Test func `working directories`() throws {
        #expect(try WorkingDirectory(parsing: "~") == WorkingDirectory(.home))
        #expect(try WorkingDirectory(parsing: "-~") == WorkingDirectory(.home, mayBeMissing: true))
        #expect(
            try WorkingDirectory(parsing: "-/a")
                == WorkingDirectory(.path(AbsolutePath(parsing: "/a")), mayBeMissing: true))
        for bad in ["", "-", "a", "~/a", "--/a"] {
            #expect(throws: ValueError.self) { try WorkingDirectory(parsing: bad) }
        }
    }

    @Test(arguments: [
        ("/dev/dri/*", "/dev/dri/card0", true), ("/dev/dri/*", "/dev/dri/by-path/x", false),
        ("/dev/nvidia*", "/dev/nvidia", true),
        ("/dev/tty[0-9]", "/dev/tty7", true), ("/dev/tty[!0-9]", "/dev/tty7", false),
        ("/dev/tty[", "/dev/tty[", true),
        ("/a?c", "/abc", true), ("/a?c", "/ac", false), ("/[]x]", "/]", true), ("/\\*", "/*", true),
        ("/\\*", "/x", false),
        ("/*a*b*c", "/xxaxxbxxc", true), ("/*a*b*c", "/xxaxxbxx", false), ("/é?", "/éé", true),
        ("/[z-a]", "/b", false),
    ])
    func `globs`(_ pattern: String, _ path: String, _ matches: Bool) throws {
        #expect(try PathGlob(parsing: pattern).matches(path) == matches)
    }

    @Test(.timeLimit(.minutes(60)))
    func `a hostile glob takes no longer than its length`() throws {
        let glob = try PathGlob(parsing: "/" + String(repeating: "*a", count: 500) + "b")
        #expect(!glob.matches("/" + String(repeating: "a", count: 4000)))
    }

    @Test(
        arguments: [
            ("root", .name("root")), ("0", .id(0)), ("a b", .name("a b")), ("1a", .name("1a")),
            ("4294967294", .id(4_294_967_294)),
            ("-1", nil), ("a:b", nil), ("a/b", nil), (".", nil), ("..", nil), ("65535", nil),
            ("4294967295", nil), ("", nil),
            (" a", nil), ("01", nil),
        ] as [(String, Account?)])
    func `accounts`(_ text: String, _ account: Account?) {
        #expect((try? Account(parsing: text)) == account)
    }

    struct FileRow: Sendable, CustomTestStringConvertible {
        let text: String, variables: [String]
        var problems = 0
        var testDescription: String { String(reflecting: text) }
    }

    @Test(arguments: [
        FileRow(text: "A=1\nB='x y' z\nC=\"a\\\"b\\n\\$\"\n", variables: ["A=1", "B=x yz", "C=a\"b\\n$"]),
        FileRow(text: "# c\n; d\nA = b  c  \n", variables: ["A=b  c"]),
        FileRow(text: "# c \\\nD=1\nE=2\n", variables: ["D=1", "E=2"]),
        FileRow(text: "A\nB=1", variables: ["B=1"], problems: 1),
        FileRow(text: "=x\n1A=2\nB-C=1\nexport Q=1\n", variables: [], problems: 4),
        FileRow(text: "A='multi\nline'\nB=1", variables: ["A=multi\nline", "B=1"]),
        FileRow(text: "A=a\\\nb\n", variables: ["A=ab"]),
        FileRow(text: "A='open\nB=1\n", variables: ["A=open\nB=1\n"]),
        FileRow(text: "A=1\nB=3\nA=2\n", variables: ["B=3", "A=2"]),
        FileRow(text: "A=a\r\nB=b\r\n", variables: ["A=a", "B=b"]),
        FileRow(text: "A=b # c\n", variables: ["A=b # c"]),
        FileRow(text: "A=\\\n", variables: ["A="]),
        FileRow(text: "A=a\"b\"\n", variables: ["A=a\"b\""]),
        FileRow(text: "A=\"a\"b'c'\n", variables: ["A=ab'c'"]),
        FileRow(text: "  A=\"a\\\nb\"\n", variables: ["A=ab"]),
        FileRow(text: "A=b\\", variables: ["A=b"]),
        FileRow(text: "A=x  \\\n y\n", variables: ["A=x   y"]),
        FileRow(text: "A=", variables: ["A="]),
        FileRow(text: "A=x\\ \n", variables: ["A=x "]),
        FileRow(text: "A='x' \\y\n", variables: ["A=xy"]),
        FileRow(text: "A=x\0\nB=1", variables: ["B=1"], problems: 1),
    ])
    func `environment files`(_ row: FileRow) {
        let file = EnvironmentFile(path: "f", bytes: Array(row.text.utf8))
        #expect(file.variables.map(\.description) == row.variables)
        #expect(file.diagnostics.count == row.problems)
    }

    @Test(arguments: [
        ("Saved the game", "[12:00] Saved the game", true), ("^Saved", "x Saved", false),
        ("a|b+c", "xbbc", true),
        ("(ab)*c$", "ababc", true), ("^(ab){2,3}$", "abab", true), ("^(ab){2,3}$", "ab", false),
        ("[a-c]+[^0-9]", "b7", false),
        ("\\d\\d:\\d\\d", "at 12:30", true), ("a.c", "a\u{1F600}c", true), ("^$", "", true),
        ("[]]", "]", true),
        ("a{", "a{", true), ("(?:a|)b", "b", true), ("(a*)*b", "c", false), ("\\[x\\]", "[x]", true),
        ("(^a|b)c", "xac", false),
    ])
    func `output patterns`(_ pattern: String, _ line: String, _ matches: Bool) throws {
        #expect(try OutputPattern(parsing: pattern).matches(line) == matches)
    }

    @Test(arguments: [
        "(", ")", "a)", "[", "[z-a]", "*", "a\\", "\\q", "a{3,2}", "a{999}", "(a{200}){200}", "[[:alpha:]]",
        String(repeating: "(", count: 100), String(repeating: "a", count: 5000),
    ])
    func `refused output patterns`(_ pattern: String) {
        #expect(throws: ValueError.self) { try OutputPattern(parsing: pattern) }
    }

    @Test(.timeLimit(.minutes(60)))
    func `a hostile pattern takes no longer than its length`() throws {
        let pattern = try OutputPattern(parsing: "(a*)*(a|aa)+$x")
        #expect(!pattern.matches(String(repeating: "a", count: 5000)))
    }

    @Test(arguments: [
        ("password=\\S+", "user=a password=b password=c end", "user=a *** *** end"), ("a*", "baab", "b***b"),
        ("x", "abc", "abc"),
        ("a|ab|abc", "xabcx", "x***x"), ("b*", "", ""),
    ])
    func `patterns redact their longest leftmost occurrences`(
        _ pattern: String, _ line: String, _ result: String
    ) throws {
        #expect(try OutputPattern(parsing: pattern).redact(line) == result)
    }
}
