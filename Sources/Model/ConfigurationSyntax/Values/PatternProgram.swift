/// The machine behind `OutputPattern`: a non-deterministic automaton that is in all its states at once (Thompson's way).
enum PatternProgram {
    enum Instruction: Hashable, Sendable {
        case scalar(Unicode.Scalar)
        case any
        case member(ClosedRangeSet)
        case lineStart
        case lineEnd
        /// Goes on at both.
        case split(Int, Int)
        case jump(Int)
        case match
    }

    /// Ranges of scalars, or all but them.
    struct ClosedRangeSet: Hashable, Sendable {
        var ranges: [ClosedRange<UInt32>] = []
        var isNegated = false

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            ranges.contains { $0.contains(scalar.value) } != isNegated
        }
    }

    /// Bounds the memory of a pattern, and with it the time of a match.
    static let maximumLength = 4096

    static func compile(_ text: String) throws(ValueError) -> [Instruction] {
        var compiler = PatternCompiler(text)
        return try compiler.compile()
    }

    /// The leftmost occurrence at or after `start`: the longest one, or any end of it when `shortest`; nil, too, where `steps`, which are
    /// counted down, do not suffice.
    static func firstMatch(
        _ program: [Instruction], in text: [Unicode.Scalar], from start: Int, shortest: Bool,
        steps: inout Int
    ) -> Range<Int>? {
        // States in order of where they began; of two at one place the earlier beginning stays.
        var states: [(at: Int, began: Int)] = []
        var seen = [Int](repeating: -1, count: program.count)
        var best: Range<Int>?
        for position in start...text.count {
            var stack: [(at: Int, began: Int)] = []
            var arrived: [(at: Int, began: Int)] = []
            if best == nil { states.append((0, position)) }
            guard steps > 0 else { return nil }
            for state in states {
                stack.append(state)
                while let (at, began) = stack.popLast() {
                    steps -= 1
                    guard seen[at] < position else { continue }
                    seen[at] = position
                    switch program[at] {
                    case .jump(let target): stack.append((target, began))
                    case .split(let one, let other): stack += [(other, began), (one, began)]
                    case .lineStart where position == 0: stack.append((at + 1, began))
                    case .lineEnd where position == text.count: stack.append((at + 1, began))
                    case .lineStart, .lineEnd: break
                    case .match:
                        let isBetter = best.map { began < $0.lowerBound || began == $0.lowerBound } ?? true
                        if isBetter { best = began..<position }
                        if shortest { return best }
                    case .scalar(let scalar):
                        if position < text.count, text[position] == scalar { arrived.append((at + 1, began)) }
                    case .any:
                        if position < text.count { arrived.append((at + 1, began)) }
                    case .member(let set):
                        if position < text.count, set.contains(text[position]) {
                            arrived.append((at + 1, began))
                        }
                    }
                }
            }
            // Still in order of where they began, since that is the order they were looked at.
            states = arrived
            if let best { states.removeAll { $0.began > best.lowerBound } }
            if states.isEmpty, best != nil { break }
        }
        return best
    }
}

/// Reads a pattern by recursive descent, and writes its instructions.
private struct PatternCompiler {
    private typealias Instruction = PatternProgram.Instruction
    private let text: [Unicode.Scalar]
    private let source: String
    private var index = 0
    private var depth = 0

    init(_ source: String) {
        self.source = source
        text = Array(source.unicodeScalars)
    }

    mutating func compile() throws(ValueError) -> [PatternProgram.Instruction] {
        let body = try alternatives()
        guard index == text.count else { throw failure("unmatched “)”") }
        return body + [.match]
    }

    private func failure(_ problem: String) -> ValueError {
        ValueError("\(problem) in \(source.quoted)", expected: OutputPattern.expectation)
    }

    private func bounded(_ code: [Instruction]) throws(ValueError) -> [Instruction] {
        guard code.count < PatternProgram.maximumLength else { throw failure("too many states") }
        return code
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == scalar else { return false }
        index += 1
        return true
    }

    private mutating func alternatives() throws(ValueError) -> [Instruction] {
        depth += 1
        defer { depth -= 1 }
        guard depth < 64 else { throw failure("too many nested “(”") }
        var code = try sequence()
        while take("|") {
            let other = try sequence()
            let end = code.count + other.count + 2
            code =
                [.split(1, code.count + 2)] + code.moved(by: 1) + [.jump(end)]
                + other.moved(by: code.count + 2)
            code = try bounded(code)
        }
        return code
    }

    private mutating func sequence() throws(ValueError) -> [Instruction] {
        var code: [Instruction] = []
        while index < text.count, text[index] != "|", text[index] != ")" {
            var piece = try atom()
            while let (low, high) = try quantifier() {
                piece = try repeated(piece, low, high)
            }
            code = try bounded(code + piece.moved(by: code.count))
        }
        return code
    }

    private mutating func atom() throws(ValueError) -> [Instruction] {
        let scalar = text[index]
        index += 1
        switch scalar {
        case ".": return [.any]
        case "^": return [.lineStart]
        case "$": return [.lineEnd]
        case "[": return [.member(try bracket())]
        case "\\": return [try escape()]
        case "*", "+", "?": throw failure("nothing to repeat before “\(scalar)”")
        case "(":
            if index + 1 < text.count, text[index] == "?", text[index + 1] == ":" { index += 2 }
            let code = try alternatives()
            guard take(")") else { throw failure("unmatched “(”") }
            return code
        default: return [.scalar(scalar)]
        }
    }

    private mutating func quantifier() throws(ValueError) -> (Int, Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = index
        guard take("{"), let low = number() else {
            index = start
            return nil
        }
        var high: Int? = low
        if take(",") { high = number() }
        guard take("}"), low <= 255, (high ?? 255) <= 255, low <= high ?? low else {
            throw failure("a repetition that is not {m}, {m,} or {m,n} up to 255")
        }
        return (low, high)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while index < text.count, let digit = UInt8(exactly: text[index].value), digit.isDigit {
            value = min((value ?? 0) * 10 + Int(digit - 0x30), 1000)
            index += 1
        }
        return value
    }

    private func repeated(_ piece: [Instruction], _ low: Int, _ high: Int?) throws(ValueError)
        -> [Instruction]
    {
        guard piece.count * max(low, high ?? 1, 1) < PatternProgram.maximumLength else {
            throw failure("too many states")
        }
        var code: [Instruction] = []
        for _ in 0..<low { code += piece.moved(by: code.count) }
        if let high {
            for _ in low..<high {
                code +=
                    [.split(code.count + 1, code.count + 1 + piece.count)] + piece.moved(by: code.count + 1)
            }
        } else {
            let start = code.count
            code += [.split(start + 1, start + piece.count + 2)] + piece.moved(by: start + 1) + [.jump(start)]
        }
        return try bounded(code)
    }

    private mutating func escape() throws(ValueError) -> Instruction {
        guard index < text.count else { throw failure("trailing “\\”") }
        let scalar = text[index]
        index += 1
        if let set = Self.named(scalar) { return .member(set) }
        switch scalar {
        case "t": return .scalar("\t")
        default:
            guard !(UInt8(exactly: scalar.value)?.isWord ?? false) else {
                throw failure("unknown escape “\\\(scalar)”")
            }
            return .scalar(scalar)
        }
    }

    private static func named(_ letter: Unicode.Scalar) -> PatternProgram.ClosedRangeSet? {
        let digits: [ClosedRange<UInt32>] = [0x30...0x39]
        let word = digits + [0x41...0x5a, 0x5f...0x5f, 0x61...0x7a]
        let space: [ClosedRange<UInt32>] = [0x09...0x0d, 0x20...0x20]
        switch letter {
        case "d": return .init(ranges: digits)
        case "D": return .init(ranges: digits, isNegated: true)
        case "w": return .init(ranges: word)
        case "W": return .init(ranges: word, isNegated: true)
        case "s": return .init(ranges: space)
        case "S": return .init(ranges: space, isNegated: true)
        default: return nil
        }
    }

    private mutating func bracket() throws(ValueError) -> PatternProgram.ClosedRangeSet {
        var set = PatternProgram.ClosedRangeSet(isNegated: take("^"))
        var isFirst = true
        while index < text.count, isFirst || text[index] != "]" {
            isFirst = false
            if text[index] == "[", index + 1 < text.count, [":", ".", "="].contains(text[index + 1]) {
                throw failure("a named class such as [:alpha:], which is not supported,")
            }
            let low = text[index]
            index += 1
            if low == "\\", index < text.count {
                guard case .member(let named) = try escape() else {
                    set.ranges.append(text[index - 1].value...text[index - 1].value)
                    continue
                }
                guard !named.isNegated else { throw failure("a negated class inside brackets") }
                set.ranges += named.ranges
                continue
            }
            guard index + 1 < text.count, text[index] == "-", text[index + 1] != "]" else {
                set.ranges.append(low.value...low.value)
                continue
            }
            let high = text[index + 1]
            guard low <= high else { throw failure("a reversed range") }
            set.ranges.append(low.value...high.value)
            index += 2
        }
        guard take("]") else { throw failure("unmatched “[”") }
        return set
    }
}

extension [PatternProgram.Instruction] {
    /// The same instructions, `distance` places further on.
    fileprivate func moved(by distance: Int) -> Self {
        map { instruction in
            switch instruction {
            case .split(let one, let other): .split(one + distance, other + distance)
            case .jump(let target): .jump(target + distance)
            default: instruction
            }
        }
    }
}
