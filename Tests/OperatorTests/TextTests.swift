import Testing
import Varlink

@testable import Operator

@Suite
struct `Text for a terminal` {
    @Test(arguments: [
        ("web", "web"), ("größe 日本", "größe 日本"), ("a\u{1b}[2Jb", "a\\x1b[2Jb"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u{7f}\u{9b}31m", "\\x7f\\x9b31m"), ("a\u{202e}b\u{2028}", "a\\u{202e}b\\u{2028}"),
        ("\u{0}\u{7}", "\\x00\\x07"),
        ("\u{2066}\u{feff}", "\\u{2066}\\u{feff}"),
    ])
    func `spells out what steers it`(text: String, expected: String) {
        #expect(text.printable == expected)
    }

    @Test func `of many lines keeps these, and nothing else that steers it`() {
        #expect("a\tb\nc\u{1b}d\r\n".printableLines == "a\tb\nc\\x1bd\\r\n")
        #expect("größe\n\u{202e}".printableLines == "größe\n\\u{202e}")
        let plain = String(repeating: "web{a=\"b\"} 1\n", count: 3)
        #expect(plain.printableLines == plain)
    }

    @Test(arguments: [
        ("an operator (uid 0, pid 9)", "an operator (root, pid 9)"),
        ("uid 7, pid 1", "al\\x1bice, pid 1"), ("by uid 8, pid 1 (x)", "by uid 8, pid 1 (x)"),
        ("uid 7, pid 1; uid 0, pid 2", "al\\x1bice, pid 1; root, pid 2"),
        ("squid 7, pid 1", "squid 7, pid 1"), ("uid 7 pid 1", "uid 7 pid 1"), ("uid , pid ", "uid , pid "),
        ("uid uid 7, pid 1", "uid al\\x1bice, pid 1"), ("uid 7", "uid 7"), ("uid", "uid"), ("", ""),
        ("uid 99999999999999999999, pid 1", "uid 99999999999999999999, pid 1"),
        ("é uid 7, pid 1", "é al\\x1bice, pid 1"), ("éuid 7, pid 1", "éuid 7, pid 1"),
        ("uid ٧, pid 1", "uid ٧, pid 1"), ("uid -7, pid 1", "uid -7, pid 1"),
    ])
    func `names the callers in a sentence, as far as they have names`(sentence: String, expected: String) {
        let users = UserNames { $0 == 7 ? "al\u{1b}ice" : nil }
        #expect(users.naming(sentence) == expected)
        // A user is looked up once, and known as well as unknown then.
        #expect(users.naming(sentence) == expected)
    }

    @Test func `is made of all that a supervisor answers, at any depth`() throws {
        let answer: JSON = [
            "version": "0.1\u{1b}]0;evil\u{7}",
            "rows": [["status\u{9b}31m": "a\nb", "pid": 3, "held": true]],
            "payload": ["text": "a\nb\u{1b}"],
        ]
        let printable = try #require(answer.object).printable
        #expect(
            JSON.object(printable) == [
                "version": "0.1\\x1b]0;evil\\x07",
                "rows": [["status\\x9b31m": "a\\nb", "pid": 3, "held": true]],
                "payload": ["text": "a\nb\u{1b}"],
            ])
        // What is JSON itself is spelled out where it is shown.
        #expect(printable["payload"]?.line == #"{"text":"a\nb\u001b"}"#)
        #expect(printable.printable == printable)
    }

    @Test func `keeps the lines of a file`() {
        #expect("[Worker]\n\tA=\u{1b}c\r\n".printableLines == "[Worker]\n\tA=\\x1bc\\r\n")
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"), ("abc", 1, "…"), ("abc", 0, ""), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ])
    func `is cut by columns`(text: String, limit: Int, expected: String) {
        #expect(text.ellipsized(to: limit) == expected)
    }

    @Test(
        arguments: [
            (0, "0 B"), (512, "512 B"), (1024, "1.0 KB"), (3_328_599_654, "3.0 GB"),
            (3_330_000_000, "3.1 GB"), (-5, "0 B"),
        ] as [(Int64, String)])
    func `has sizes in words`(bytes: Int64, expected: String) {
        #expect(sizeInWords(bytes) == expected)
    }

    @Test(
        arguments: [
            ([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c"),
        ] as [([String], String)])
    func `enumerates`(words: [String], expected: String) {
        #expect(enumeration(words) == expected)
    }

    @Test(arguments: [
        ("ls", "ls"), ("", "''"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("--x=/a,b", "--x=/a,b"),
    ])
    func `quotes words for a shell`(word: String, expected: String) {
        #expect(word.shellWord == expected)
    }
}

@Suite
struct `Times` {
    private let clock = WallClock(now: 1_000_000_000_000_000) { _ in .init(offset: 3600, name: "CET") }

    @Test(
        arguments: [
            (0, "Thu 1970-01-01 01:00:00 CET"), (-1, "Thu 1970-01-01 00:59:59 CET"),
            (951_782_400_000_000, "Tue 2000-02-29 01:00:00 CET"),
            (4_107_542_399_000_000, "Mon 2100-03-01 00:59:59 CET"),
            (1_763_720_851_999_999, "Fri 2025-11-21 11:27:31 CET"),
        ] as [(Int64, String)])
    func `are written as systemctl writes them`(time: Int64, expected: String) {
        #expect(clock.stamp(time) == expected)
    }

    @Test(
        arguments: [
            (0, "now"), (5, "5us ago"), (1500, "1ms ago"), (1_000_000, "1s ago"), (61_000_000, "1min 1s ago"),
            (300_000_000, "5min ago"), (3_661_000_000, "1h 1min ago"), (6 * 3_600_000_000, "6h ago"),
            (26 * 3_600_000_000, "1 day 2h ago"), (3 * 86_400_000_000, "3 days ago"),
            (8 * 86_400_000_000, "1 week 1 day ago"), (31_557_600_000_000, "1 year 0 months ago"),
            (-61_000_000, "1min 1s left"),
        ] as [(Int64, String)])
    func `are relative as systemctl has them`(span: Int64, expected: String) {
        #expect(clock.age(clock.now - span) == expected)
    }

    @Test(arguments: [Int64.min, .max, .min + 1])
    func `survive any number`(time: Int64) {
        #expect(!clock.age(time).isEmpty)
        #expect(!clock.stamp(time).isEmpty)
        #expect(!clock.timeOfDay(time).isEmpty)
    }

    @Test func `of day have milliseconds`() {
        #expect(clock.timeOfDay(951_782_400_042_999) == "01:00:00.042")
        #expect(clock.timeOfDay(-1) == "00:59:59.999")
    }
}

@Suite
struct `JSON documents` {
    private let value: JSON = ["a": [1, "x\u{1b}\u{9b}\"\n"], "b": [:], "c": [], "d": nil]

    @Test func `are one line when short`() {
        #expect(value.document(.short) == #"{"a":[1,"x\u001b\u009b\"\n"],"b":{},"c":[],"d":null}"# + "\n")
    }

    @Test func `are indented when pretty, and say the same`() throws {
        let text = value.document(.pretty)
        #expect(text.hasPrefix("{\n\t\"a\" : [\n\t\t1,\n"))
        #expect(text.hasSuffix("\t\"d\" : null\n}\n"))
        #expect(try JSON(parsing: Array(text.utf8).span) == value)
    }
}
