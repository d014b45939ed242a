/// A regular expression for lines of output, in the extended syntax of regex(7) and a few escapes of Perl's.
///
/// It understands `.` `[…]` `(…)` `|` `*` `+` `?` `{m,n}` `^` `$` and `\d` `\w` `\s` (in capitals: their opposites). The
/// time of a match is bounded by the product of the lengths of pattern and line, whatever either holds: output is not
/// trusted.
public struct OutputPattern: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The pattern as it is written.
    public let source: String
    private let program: [PatternProgram.Instruction]

    /// Reads and compiles a pattern.
    public init(parsing text: String) throws(ValueError) {
        source = text
        program = try PatternProgram.compile(text)
    }

    /// What a pattern looks like.
    public static var expectation: String { "a regular expression" }
    /// The pattern.
    public var description: String { source }

    /// Whether two patterns are written alike.
    public static func == (a: OutputPattern, b: OutputPattern) -> Bool { a.source.isExactly(b.source) }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }

    /// Whether the pattern occurs anywhere in `line`.
    public func matches(_ line: String) -> Bool {
        let scalars = Array(line.unicodeScalars)
        return PatternProgram.firstMatch(program, in: scalars, from: 0, shortest: true) != nil
    }

    /// `line` with every occurrence replaced, each at its leftmost and longest.
    public func redact(_ line: String, with replacement: String = "***") -> String {
        let scalars = Array(line.unicodeScalars)
        var result = String.UnicodeScalarView()
        var position = 0
        while position < scalars.count,
            let match = PatternProgram.firstMatch(program, in: scalars, from: position, shortest: false)
        {
            guard !match.isEmpty else {
                // An empty occurrence hides nothing: copy up to the scalar behind it and look again.
                let next = min(match.lowerBound + 1, scalars.count)
                result += scalars[position..<next]
                position = next
                continue
            }
            result += scalars[position..<match.lowerBound]
            result += replacement.unicodeScalars
            position = match.upperBound
        }
        result += scalars[position...]
        return String(result)
    }
}
