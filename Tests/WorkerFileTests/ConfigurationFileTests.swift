import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `Configuration file` {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String, expected: [String]
        var problems = 0
        var testDescription: String { String(reflecting: text) }
    }

    private func parse(_ bytes: [UInt8], bounds: ConfigurationFile.Bounds = .init()) -> ConfigurationFile {
        ConfigurationFile(path: "f", bytes: bytes, sections: ["A", "B"], bounds: bounds)
    }

    @Test(arguments: [
        Row(text: "", expected: []),
        Row(text: "[A]\nk=v", expected: ["A.k=v:2"]),
        Row(text: "[A]\n  k  =  v w \t\n", expected: ["A.k=v w:2"]),
        Row(text: "[A]\nk=a=b\n", expected: ["A.k=a=b:2"]),
        Row(text: "[A]\nk=\n", expected: ["A.k=:2"]),
        Row(text: "[A]\r\nk=v\r\nl=w\r\n", expected: ["A.k=v:2", "A.l=w:3"]),
        Row(text: "[A]\rk=v\r", expected: ["A.k=v:2"]),
        Row(text: "[A]\n\r\n\rk=v", expected: ["A.k=v:3"]),
        Row(text: "\u{feff}[A]\nk=v", expected: ["A.k=v:2"]),
        Row(text: "# c\n; c\n  # c\n[A]\n;x\nk=v # no comment\n", expected: ["A.k=v # no comment:6"]),
        Row(text: "[A]\nk=a \\\n  b\\\nc\nl=d", expected: ["A.k=a  b c:2", "A.l=d:5"]),
        Row(text: "[A]\nk=a\\\n# comment \\\n; another\nb\n", expected: ["A.k=a b:2"]),
        Row(text: "[A]\nk=a\\\n\nl=b\n", expected: ["A.k=a:2", "A.l=b:4"]),
        Row(text: "[A]\nk=a\\\\\nl=b\n", expected: ["A.k=a\\\\:2", "A.l=b:3"]),
        Row(text: "[A]\nk=a\\", expected: ["A.k=a:2"]),
        Row(text: "[A]\nk=a\\ \nl=b", expected: ["A.k=a\\:2", "A.l=b:3"]),
        Row(text: "[X-Ours]\nk=v\n[B]\nl=w", expected: ["B.l=w:4"]),
        Row(text: "[A]\nk=\u{301}v", expected: ["A.k=\u{301}v:2"]),
        Row(text: "[C]\nk=v\nl=w\n[B]\nm=x\n", expected: ["B.m=x:5"], problems: 1),
        Row(text: "k=v\n[A]\nl=w\n", expected: ["A.l=w:3"], problems: 1),
        Row(text: "[A]\ngarbage\nk=v", expected: ["A.k=v:3"], problems: 1),
        Row(text: "[A]\n=v\nk=v", expected: ["A.k=v:3"], problems: 1),
        Row(text: "[A\nk=v", expected: [], problems: 1),
        Row(text: "[A] x\nk=v", expected: [], problems: 1),
        Row(text: "[]\nk=v", expected: [], problems: 1),
    ])
    func `follows systemd's syntax`(_ row: Row) {
        let file = parse(Array(row.text.utf8))
        #expect(file.assignments.map { "\($0.section).\($0.key)=\($0.value):\($0.line)" } == row.expected)
        #expect(file.diagnostics.count == row.problems, "\(file.diagnostics)")
    }

    @Test func `refuses NUL bytes and invalid UTF-8 with their line`() {
        #expect(
            parse(Array("[A]\nk=v\n\0".utf8)).diagnostics.map(\.description) == [
                "f:3: a NUL byte; expected text"
            ])
        let latin = parse(Array("[A]\nk=v\nl=".utf8) + [0xff, 0x0a] + Array("m=x".utf8))
        #expect(latin.diagnostics.map(\.description) == ["f:3: invalid UTF-8; expected text in UTF-8"])
        #expect(latin.diagnostics.hasErrors)
        #expect(parse([0x23, 0xff, 0x0a]).diagnostics.isEmpty, "comments may be in any encoding")
    }

    @Test func `is bounded by line and by file`() {
        var bounds = ConfigurationFile.Bounds()
        bounds.line = 8
        #expect(parse(Array("[A]\nk=123456\n".utf8), bounds: bounds).diagnostics.isEmpty)
        #expect(parse(Array("[A]\nk=1234567\n".utf8), bounds: bounds).diagnostics.map(\.line) == [2])
        #expect(parse(Array("[A]\nk=1\\\n234\\\n6\n".utf8), bounds: bounds).diagnostics.map(\.line) == [4])
        bounds.file = 3
        #expect(parse(Array("[A]\n".utf8), bounds: bounds).diagnostics.hasErrors)
    }

    @Test func `a diagnostic stays on one line whatever the file is called`() {
        let diagnostic = Diagnostic(
            .error, file: "a\nb", line: 1, key: "k\u{1b}", problem: "p", expected: "e")
        #expect(diagnostic.description == "a?b:1: k?=: p; expected e")
        #expect("a\u{1b}[31m\u{202e}".quoted == "“a\\u{1b}[31m\\u{202e}”")
    }
}

@Suite struct `Quoted words` {
    struct Row: Sendable {
        let text: String, words: [String]?
    }

    // Compared with systemd 252's own splitter.
    @Test(arguments: [
        Row(text: "", words: []),
        Row(text: "a  b\tc", words: ["a", "b", "c"]),
        Row(text: "ONE='one' b", words: ["ONE=one", "b"]),
        Row(text: "a\"b c\"d e", words: ["ab cd", "e"]),
        Row(text: "a\\qb", words: ["a\\qb"]),
        Row(text: "a\\x41\\101\\u00e9\\s|", words: ["aAAé |"]),
        Row(text: "'a\\'b'", words: ["a'b"]),
        Row(text: "\"\\x00\"", words: ["\\x00"]),
        Row(text: "''", words: [""]),
        Row(text: "\\;", words: ["\\;"]),
        Row(text: "a\\", words: ["a\\"]),
        Row(text: "\\\"x y\\\"", words: ["\"x", "y\""]),
        Row(text: "'a", words: nil),
        Row(text: "a \"b c", words: nil),
        Row(text: "\\xff", words: nil),
    ])
    func `are cut as systemd cuts them`(_ row: Row) {
        #expect((try? Words.split(row.text)) == row.words)
    }
}
