/// Cuts a value into words by the rules under "Quoting" in systemd.syntax(7).
///
/// Single and double quotes group, wherever in a word they stand, C escapes are replaced, inside quotes too. An escape
/// that systemd does not know stays as it is written, backslash included.
package struct Words: ~Copyable {
    private var cursor: ByteCursor
    /// Whether escapes mean anything; in the value of a variable they do not.
    private let escapes: Bool
    /// Whether a quote may stay open until the end.
    private let relaxed: Bool

    init(_ text: String, escapes: Bool = true, relaxed: Bool = false) {
        cursor = ByteCursor(text)
        self.escapes = escapes
        self.relaxed = relaxed
        cursor.skipBlanks()
    }

    var isAtEnd: Bool { cursor.isAtEnd }

    /// All words of `text`.
    package static func split(_ text: String) throws(ValueError) -> [String] {
        var words = Words(text)
        var result: [String] = []
        while let word = try words.next() { result.append(word) }
        return result
    }

    /// Moves past a word that is `text` as it stands, unquoted.
    mutating func take(bare text: StaticString) -> Bool {
        var ahead = cursor
        guard ahead.take(text), ahead.peek()?.isBlank ?? true else { return false }
        ahead.skipBlanks()
        cursor = ahead
        return true
    }

    /// The next word, or nil at the end.
    mutating func next() throws(ValueError) -> String? {
        guard !cursor.isAtEnd else { return nil }
        var word: [UInt8] = []
        var quote: UInt8?
        while let byte = cursor.next() {
            if escapes, byte == .backslash {
                unescape(into: &word)
            } else if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if quote == nil, byte.isBlank {
                break
            } else {
                word.append(byte)
            }
        }
        guard quote == nil || relaxed else {
            throw ValueError("unterminated quote", expected: "a matching quote")
        }
        cursor.skipBlanks()
        guard let text = String(validating: word, as: UTF8.self) else {
            throw ValueError("an escape produces invalid UTF-8", expected: "text in UTF-8")
        }
        return text
    }

    private mutating func unescape(into word: inout [UInt8]) {
        var ahead = cursor
        if let bytes = Self.escape(&ahead) {
            word += bytes
            cursor = ahead
        } else {
            word.append(.backslash)
            if let byte = cursor.next() { word.append(byte) }
        }
    }

    /// The bytes that the escape behind a backslash stands for; nil where there is no such escape.
    private static func escape(_ cursor: inout ByteCursor) -> [UInt8]? {
        switch cursor.next() {
        case UInt8(ascii: "a"): [0x07]
        case UInt8(ascii: "b"): [0x08]
        case UInt8(ascii: "f"): [0x0c]
        case UInt8(ascii: "n"): [0x0a]
        case UInt8(ascii: "r"): [0x0d]
        case UInt8(ascii: "t"): [0x09]
        case UInt8(ascii: "v"): [0x0b]
        case UInt8(ascii: "s"): [0x20]
        case UInt8.backslash: [.backslash]
        case UInt8(ascii: "\""): [UInt8(ascii: "\"")]
        case UInt8(ascii: "'"): [UInt8(ascii: "'")]
        case UInt8(ascii: "x"): byte(number(&cursor, digits: 2, base: 16))
        case UInt8(ascii: "u"): scalar(number(&cursor, digits: 4, base: 16))
        case UInt8(ascii: "U"): scalar(number(&cursor, digits: 8, base: 16))
        case .some(let first) where first.isDigit: octal(first, &cursor)
        case .some, .none: nil
        }
    }

    private static func octal(_ first: UInt8, _ cursor: inout ByteCursor) -> [UInt8]? {
        guard let high = first.digitValue, high < 8, let low = number(&cursor, digits: 2, base: 8) else {
            return nil
        }
        return byte(high * 64 + low)
    }

    private static func number(_ cursor: inout ByteCursor, digits: Int, base: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = cursor.next()?.digitValue, digit < base else { return nil }
            value = value * base + digit
        }
        return value
    }

    private static func byte(_ value: Int?) -> [UInt8]? {
        guard let value, value > 0, value < 256 else { return nil }
        return [UInt8(value)]
    }

    private static func scalar(_ value: Int?) -> [UInt8]? {
        guard let value, value > 0, let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else {
            return nil
        }
        return Array(String(Character(scalar)).utf8)
    }
}
