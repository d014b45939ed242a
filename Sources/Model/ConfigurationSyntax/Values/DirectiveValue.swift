/// A type that a directive's value can be read as.
package protocol DirectiveValue: Equatable, Sendable {
    /// Reads `text`, which is not empty and has no blanks at its ends; `context` knows the specifiers.
    init(parsing text: String, in context: SpecifierContext) throws(ValueError)
    /// What is taken, as a clause for messages and manuals (`a boolean`).
    static var expectation: String { get }
    /// Whether no value can hold a ` #`, so that one must begin a comment that belongs on a line of its own.
    static var isClosed: Bool { get }
}

/// A value that means the same wherever it stands.
package protocol PlainValue: DirectiveValue {
    /// Reads `text`, which has no blanks at its ends.
    init(parsing text: String) throws(ValueError)
    /// Whether specifiers are replaced before the text is read.
    static var takesSpecifiers: Bool { get }
}

extension DirectiveValue {
    /// Values hold what they like, unless their type says otherwise.
    package static var isClosed: Bool { false }
}

extension PlainValue {
    /// Numbers and keywords take none.
    package static var takesSpecifiers: Bool { false }

    /// Reads `text` once its specifiers are replaced, where the type takes them.
    package init(parsing text: String, in context: SpecifierContext) throws(ValueError) {
        try self.init(parsing: Self.takesSpecifiers ? context.expand(text) : text)
    }
}

/// A value out of a few fixed words: the raw values of an enumeration.
package protocol Keyword: PlainValue, CaseIterable, RawRepresentable where RawValue == String {}

extension Keyword {
    /// Reads one of the words, exactly as it is written.
    package init(parsing text: String) throws(ValueError) {
        guard let match = Self.allCases.first(where: { $0.rawValue.isExactly(text) }) else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self = match
    }

    /// The words themselves.
    package static var expectation: String {
        let words = allCases.map(\.rawValue)
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// A word is never followed by anything.
    package static var isClosed: Bool { true }
}

extension Bool: PlainValue {
    /// Reads a boolean as systemd.syntax(7) lists them: 1, yes, y, true, t, on and their opposites, in any case.
    package init(parsing text: String) throws(ValueError) {
        let word = String(cut: text.utf8.map { $0.isLetter ? $0 | 0x20 : $0 })
        if ["1", "yes", "y", "true", "t", "on"].contains(where: word.isExactly) {
            self = true
        } else if ["0", "no", "n", "false", "f", "off"].contains(where: word.isExactly) {
            self = false
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a boolean looks like.
    package static var expectation: String { "a boolean (yes or no)" }
    /// A boolean is one word.
    package static var isClosed: Bool { true }
}

extension FixedWidthInteger {
    /// Reads an integer as systemd does: decimal, or with 0x, 0o, 0b or an octal 0 in front, after an optional sign.
    package init?(systemd text: String) {
        var digits = Substring(text)
        var negative = false
        if let sign = digits.utf8.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            negative = sign == UInt8(ascii: "-")
            digits.removeFirst()
        }
        var radix = 10
        for (prefix, base) in [("0x", 16), ("0b", 2), ("0o", 8), ("0", 8)]
        where digits.utf8.count > prefix.utf8.count && digits.utf8.starts(with: prefix.utf8) {
            radix = base
            digits = digits.dropFirst(prefix.count)
            break
        }
        guard let first = digits.utf8.first, first.digitValue != nil,
            let value = Self((negative ? "-" : "") + digits, radix: radix)
        else { return nil }
        self = value
    }
}
