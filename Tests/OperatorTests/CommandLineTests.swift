import Testing

@testable import Operator

@Suite
struct `The command line` {
    struct Order: Sendable {
        let given: String
        let verb: String?
        let arguments: String
    }

    @Test(arguments: [
        Order(given: "list --socket s", verb: "list", arguments: "list --socket s"),
        Order(given: "--socket s list web", verb: "list", arguments: "list --socket s web"),
        Order(given: "--socket=s -j list", verb: "list", arguments: "list --socket=s -j"),
        Order(given: "-q --user status web -q", verb: "status", arguments: "status -q --user web -q"),
        Order(given: "--timeout 5s suspend a", verb: "suspend", arguments: "suspend --timeout 5s a"),
        Order(given: "--system run -- x --socket y", verb: "run", arguments: "run --system -- x --socket y"),
        Order(given: "--host a@b list", verb: "list", arguments: "list --host a@b"),
        Order(given: "-H b --user list", verb: "list", arguments: "list -H b --user"),
        Order(given: "--help", verb: nil, arguments: "--help"),
        Order(given: "--nonsense list", verb: nil, arguments: "--nonsense list"),
        Order(given: "--socket", verb: nil, arguments: ""),
        Order(given: "--socket s", verb: nil, arguments: ""),
        Order(given: "--socket s --help", verb: nil, arguments: "--help"),
        Order(given: "-q --socket s help list", verb: "help", arguments: "help list"),
        Order(given: "-- list", verb: nil, arguments: "-- list"),
        Order(given: "", verb: nil, arguments: ""),
    ])
    func `takes options of all verbs before the verb`(_ order: Order) {
        let line = VerbFirst(order.given.split(separator: " ").map(String.init))
        #expect(line.verb == order.verb)
        #expect(line.arguments.joined(separator: " ") == order.arguments)
    }

    @Test func `knows a line without options, and leaves all others to the parser`() {
        func short(_ line: String) -> ShortLine? { ShortLine(line.split(separator: " ").map(String.init)) }
        #expect(short("--version") == .version)
        #expect(short("list") == .verb("list", names: [], socket: nil))
        #expect(short("status a b*") == .verb("status", names: ["a", "b*"], socket: nil))
        #expect(short("suspend --socket /s a") == .verb("suspend", names: ["a"], socket: "/s"))
        #expect(short("suspend a b --socket /s") == .verb("suspend", names: ["a", "b"], socket: "/s"))
        #expect(short("list --socket /s") == .verb("list", names: [], socket: "/s"))
        #expect(short("run -- a -b") == .run(words: 2))
        #expect(short("run -- --") == .run(words: 1))
        #expect(short("run a --help") == .run(words: 2))
        for line in [
            "", "--version list", "list --version", "list -q", "list a -j", "list -- a", "suspend",
            "suspend a --no-wait",
            "suspend --socket", "suspend --socket /s", "suspend a --socket", "suspend a --socket -q",
            "suspend --socket /s a --socket /s", "suspend --socket -q a", "run", "run --",
            "run -v -- a",
            "run --help", "launch a", "help list", "start a", "post a b", "list --socket=/s",
        ] { #expect(short(line) == nil, "\(line)") }
    }

    @Test func `knows what other supervisors call its verbs`() {
        for verb in ["start", "stop", "ps", "log", "pause", "daemon-reload"] {
            #expect(ForeignVerbs.advice(for: verb)?.contains("torpor ") == true, "\(verb)")
        }
        #expect(ForeignVerbs.advice(for: "start")?.contains("torpor launch NAME") == true)
        #expect(ForeignVerbs.advice(for: "frobnicate") == nil)
        for (verb, advice) in [
            ("edit", "torpor reload"), ("enable", "Launch=boot"), ("disable", "Launch="),
            ("exec", "torpor run"),
            ("rm", "delete its file"), ("remove", "delete its file"),
        ] {
            #expect(ForeignVerbs.advice(for: verb)?.contains(advice) == true, "\(verb)")
        }
    }

    @Test func `finds the verb that was meant`() {
        let verbs = ["list", "status", "suspend", "resume", "restart"]
        #expect(ForeignVerbs.nearest(to: "lst", of: verbs) == "list")
        #expect(ForeignVerbs.nearest(to: "supsend", of: verbs) == "suspend")
        #expect(ForeignVerbs.nearest(to: "frobnicate", of: verbs) == nil)
        #expect(ForeignVerbs.nearest(to: "", of: verbs) == nil)
        #expect(ForeignVerbs.nearest(to: String(repeating: "x", count: 100_000), of: verbs) == nil)
    }
}
