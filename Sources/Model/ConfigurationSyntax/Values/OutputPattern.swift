/// A regular expression for lines of output, in the extended syntax of regex(7) and a few escapes of Perl's.
///
/// It understands `.` `[…]` `(…)` `|` `*` `+` `?` `{m,n}` `^` `$` and `\d` `\w` `\s` (in capitals: their opposites). The
/// time of a match is bounded by the product of the lengths of pattern and line, whatever either holds: output is not
/// trusted.
package struct OutputPattern: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The pattern as it is written.
    package let source: String
    private let program: [PatternProgram.Instruction]

    /// Reads and compiles a pattern.
    package init(parsing text: String) throws(ValueError) {
        source = text
        program = try PatternProgram.compile(text)
    }

    /// What a pattern looks like.
    package static var expectation: String { "a regular expression" }
    /// The pattern.
    package var description: String { source }

    /// Whether two patterns are written alike.
    package static func == (a: OutputPattern, b: OutputPattern) -> Bool { a.source.isExactly(b.source) }

    /// Hashes what `==` compares.
    package func hash(into hasher: inout Hasher) { hasher.combine(source) }

    /// Whether the pattern occurs anywhere in `line`.
    package func matches(_ line: String) -> Bool {
        let scalars = Array(line.unicodeScalars)
        var steps = Int.max
        return PatternProgram.firstMatch(program, in: scalars, from: 0, shortest: true, steps: &steps) != nil
    }

    /// How many steps at most one scalar of a line costs.
    package var length: Int { program.count }

    /// A search for the pattern in lines that come piece by piece.
    package var search: Search { Search(program) }

    /// `line` with every occurrence replaced, each at its leftmost and longest.
    package func redact(_ line: String, with replacement: String = "***") -> String {
        var steps = Int.max
        return redact(line, with: replacement, steps: &steps)
    }

    /// The same in no more than `steps` steps, which are counted down: what is left of the line then is replaced as a whole, since nothing is
    /// known of it.
    package func redact(_ line: String, with replacement: String = "***", steps: inout Int) -> String {
        let scalars = Array(line.unicodeScalars)
        var result = String.UnicodeScalarView()
        var position = 0
        while position < scalars.count,
            let match = PatternProgram.firstMatch(
                program, in: scalars, from: position, shortest: false, steps: &steps)
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
        if steps <= 0, position < scalars.count {
            result += replacement.unicodeScalars
        } else {
            result += scalars[position...]
        }
        return String(result)
    }
}

extension OutputPattern {
    /// A search for a pattern in lines that come piece by piece: each scalar is looked at once, however small the pieces are.
    package struct Search: Sendable {
        private let program: [PatternProgram.Instruction]
        /// Where the automaton stands, before anything that needs no scalar.
        private var states: [Int] = []
        /// When an instruction was reached last, counted in rounds.
        private var seen: [Int]
        private var round = 0
        private var isAtStart = true
        /// Whether the pattern has occurred in the line.
        package private(set) var isFound = false

        init(_ program: [PatternProgram.Instruction]) {
            self.program = program
            seen = [Int](repeating: 0, count: program.count)
        }

        /// Begins a line.
        package mutating func beginLine() {
            states = []
            isAtStart = true
            isFound = false
        }

        /// Goes on by one scalar of the line.
        package mutating func take(_ scalar: Unicode.Scalar) {
            guard !isFound else { return }
            var arrived: [Int] = []
            if reach(
                atEnd: false,
                { instruction, place in
                    switch instruction {
                    case .scalar(scalar), .any: arrived.append(place + 1)
                    case .member(let set): if set.contains(scalar) { arrived.append(place + 1) }
                    case .scalar, .lineStart, .lineEnd, .split, .jump, .match: break
                    }
                })
            {
                isFound = true
            }
            states = arrived
            isAtStart = false
        }

        /// Whether the pattern occurs in the line, if that ends here.
        package mutating func occurs(atEnd: Bool) -> Bool {
            if !isFound { isFound = reach(atEnd: false) { _, _ in } }
            return isFound || atEnd && reach(atEnd: true) { _, _ in }
        }

        /// Goes to all that is reached without a scalar, and hands each instruction over that wants one; true at a match.
        private mutating func reach(
            atEnd: Bool, _ body: (PatternProgram.Instruction, Int) -> Void
        ) -> Bool {
            round += 1
            var stack = states
            stack.append(0)
            while let at = stack.popLast() {
                guard seen[at] < round else { continue }
                seen[at] = round
                switch program[at] {
                case .jump(let target): stack.append(target)
                case .split(let one, let other):
                    stack.append(other)
                    stack.append(one)
                case .lineStart: if isAtStart { stack.append(at + 1) }
                case .lineEnd: if atEnd { stack.append(at + 1) }
                case .match: return true
                case .scalar, .any, .member: body(program[at], at)
                }
            }
            return false
        }
    }
}
