import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `Command line` {
    private let context = SpecifierContext(worker: try? WorkerName("web@a-b"), markers: [UInt8(ascii: "u")])
    private let variables = ["FOO": "a 'b c' \"d", "ONE": "1", "E": ""]

    private func arguments(_ text: String) throws -> [String] {
        try Command(parsing: text, in: context).argumentVector(
            variable: { variables[$0] }, marker: { _ in "URL" })
    }

    // Compared with what systemd 252 makes of the same words.
    @Test(arguments: [
        ("/bin/a", ["/bin/a"]), ("/bin//./a b  c", ["/bin/a", "b", "c"]),
        ("a 'b c' \"d e\"f", ["a", "b c", "d ef"]),
        ("a $FOO", ["a", "a", "b c", "d"]), ("a ${FOO}", ["a", "a 'b c' \"d"]), ("a x${ONE}y", ["a", "x1y"]),
        ("a x$ONE", ["a", "x$ONE"]), ("a $$ONE", ["a", "$ONE"]), ("a $", ["a"]), ("a ${ONE", ["a", "${ONE"]),
        ("a ${ONE:-x}", ["a", "${ONE:-x}"]), ("a $ONE.", ["a"]), ("a b$$c", ["a", "b$c"]),
        ("a ${}", ["a", ""]), ("a $E", ["a"]),
        ("a ${E}", ["a", ""]), ("a $NO ${NO}", ["a", ""]), ("a b$", ["a", "b$"]),
        ("a $${ONE}", ["a", "${ONE}"]),
        ("a ${ONE}${ONE}", ["a", "11"]), ("a x${b c}y", ["a", "x${b", "c}y"]), ("a '${b c}'", ["a", ""]),
        ("a '$ONE'", ["a", "1"]),
        (":a $ONE ${ONE} $$", ["a", "$ONE", "${ONE}", "$$"]), ("@a b c", ["b", "c"]),
        ("-@:a b $c", ["b", "$c"]),
        ("a \\;", ["a", ";"]), ("a ';' x;y", ["a", ";", "x;y"]),
        ("a %i %% %n", ["a", "a-b", "%", "web@a-b"]),
        ("a %I", ["a", "a/b"]), ("open %u --x=%u", ["open", "URL", "--x=URL"]),
        ("'/bin/a b' c", ["/bin/a b", "c"]),
        ("a >/dev/null & |", ["a", ">/dev/null", "&", "|"]), ("a \\n\\x41 \\d", ["a", "\nA", "\\d"]),
    ])
    func `becomes arguments`(_ text: String, _ expected: [String]) throws {
        #expect(try arguments(text) == expected)
    }

    @Test(arguments: [
        "", "-", "+/bin/a", "!a", "!!a", "a/b", "./a", "/bin/", ".", "..", "a ; b", "a 'b", "a %", "a %Q",
        "@a", "--a/b",
        "a\\nb", "''", "a \\xff",
    ])
    func `is refused`(_ text: String) {
        #expect(throws: ValueError.self) { try Command(parsing: text, in: context) }
    }

    @Test func `keeps what its prefixes say`() throws {
        let command = try Command(parsing: "-a %u", in: context)
        #expect(command.ignoresFailure && command.contains(marker: UInt8(ascii: "u")))
        #expect(try !Command(parsing: "a u", in: context).contains(marker: UInt8(ascii: "u")))
        #expect(throws: ValueError.self, "without the marker, %u is a user's name that nobody knows") {
            try Command(parsing: "a %u", in: SpecifierContext())
        }
    }

    @Test func `an argument is text before it is a variable`() throws {
        var place = SpecifierContext.Place()
        place.home = "/home/%i"
        let context = SpecifierContext(place: place)
        #expect(try Command(parsing: "a %h", in: context).argumentVector() == ["a", "/home/%i"])
    }
}

@Suite struct `Callback actions` {
    private let context = SpecifierContext(worker: try? WorkerName("web@1"))

    @Test func `are signals, commands and lines`() throws {
        #expect(
            try CallbackAction(parsing: "signal:SIGUSR1", in: context) == .signal(SignalNumber(number: 10)))
        #expect(
            try CallbackAction(parsing: "stdin:save-all flush %i", in: context) == .stdin("save-all flush 1"))
        #expect(
            try CallbackAction(parsing: "exec:/bin/a 'b c'", in: context)
                == .exec(Command(parsing: "/bin/a 'b c'", in: context)))
        for bad in [
            "", "SIGUSR1", "signal:", "signal:FOO", "exec:", "exec:a/b", "stdin", "stdin:%Q", "Signal:HUP",
        ] {
            #expect(throws: ValueError.self) { try CallbackAction(parsing: bad, in: context) }
        }
    }

    @Test func `complete in four ways`() throws {
        #expect(try CallbackCompletion(parsing: "immediately") == .immediately)
        #expect(try CallbackCompletion(parsing: "exit") == .exit)
        #expect(try CallbackCompletion(parsing: "notify") == .notify)
        #expect(
            try CallbackCompletion(parsing: "output:Saved") == .output(OutputPattern(parsing: "Saved")))
        for bad in ["", "exits", "output", "output:(", "now"] {
            #expect(throws: ValueError.self) { try CallbackCompletion(parsing: bad) }
        }
    }
}
