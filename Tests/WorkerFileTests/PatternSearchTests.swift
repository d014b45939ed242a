import TestSupport
import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `A pattern that looks at output` {
    /// Goes through a line scalar by scalar.
    private func finds(_ pattern: OutputPattern, in line: String) -> Bool {
        var search = pattern.search
        search.beginLine()
        for scalar in line.unicodeScalars { search.take(scalar) }
        return search.occurs(atEnd: true)
    }

    private static let patterns = [
        "a", "^a", "a$", "^$", "", "a*b", "(ab|ba)+$", "[^a]b{2,3}", "^(a|b|c)*$", ".b.", "a?b?c?$",
        "(^a|b$)",
        "(a*)*c", #"\d|\s"#, "^.{3}$",
    ]

    @Test(arguments: patterns) func `finds the same piece by piece as in a whole line`(_ text: String) throws
    {
        let pattern = try OutputPattern(parsing: text)
        for seed in 0..<300 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let line = String(
                (0..<Int.random(in: 0...9, using: &random)).map { _ in
                    "abc 1é".randomElement(using: &random) ?? "a"
                })
            #expect(finds(pattern, in: line) == pattern.matches(line), "\(line)")
        }
    }

    @Test func `begins anew with each line`() throws {
        var search = try OutputPattern(parsing: "^b|ab").search
        search.take("a")
        search.beginLine()
        search.take("b")
        let isAtStart = search.occurs(atEnd: true)
        #expect(isAtStart)
        search.beginLine()
        search.take("c")
        search.take("b")
        let isThere = search.occurs(atEnd: true)
        #expect(!isThere)
    }

    @Test func `costs each scalar no more than its length, however the line goes on`() throws {
        let pattern = try OutputPattern(parsing: "([a-z]{1,200}x?){1,9}Q")
        let ratio = WorkRatio(from: 100, to: 1600) { size in
            var search = pattern.search
            for _ in 0..<size { search.take("a") }
            let isThere = search.occurs(atEnd: true)
            #expect(!isThere)
        }
        // It comes to its full number of states after 200 letters.
        #expect(ratio.value < 120, "\(ratio.value)")
    }

    @Test func `blanks a line in so many steps, and the rest as a whole`() throws {
        let pattern = try OutputPattern(parsing: "secret")
        var steps = 100_000
        #expect(pattern.redact("my secret is out", steps: &steps) == "my *** is out")
        #expect(steps < 100_000 && steps > 99_000)
        steps = 10
        let long = String(repeating: "public ", count: 100)
        #expect(pattern.redact(long, steps: &steps) == "***", "nothing is known of it")
        #expect(steps <= 0)
        #expect(pattern.redact("anything", steps: &steps) == "***")
        #expect(pattern.redact("", steps: &steps) == "")
    }

    @Test func `does not look at a line again and again without end`() throws {
        // Each letter is an occurrence, and each look goes on to the end of the line for a longer one.
        let pattern = try OutputPattern(parsing: "a|a.*Q")
        let line = String(repeating: "a", count: 1000)
        var steps = 50_000
        let blanked = pattern.redact(line, steps: &steps)
        #expect(steps <= 0 && steps > -5000 && blanked.hasSuffix("***") && !blanked.contains("a"))
        #expect(pattern.redact("banana") == "b***n***n***")
    }
}
