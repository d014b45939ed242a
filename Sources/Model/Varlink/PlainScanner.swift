/// Walks through a message that is written as programs write JSON: ASCII, no escapes, spaces between tokens or none.
///
/// It is for what comes by the thousands. Wherever a text is not as plain as that, it answers nil, and `JSON(parsing:)` reads the
/// message by all rules.
@usableFromInline
package struct PlainScanner {
    @usableFromInline package let text: UnsafeBufferPointer<UInt8>
    @usableFromInline package var position = 0
    /// How many spaces there were between tokens.
    @usableFromInline package var spaces = 0
    /// How deep a value may go; what goes deeper is not plain.
    private static let depth = 16

    /// A scanner at the start of `text`, which must outlive it.
    package init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// Whether all has been read.
    @inlinable package var isAtEnd: Bool { position == text.count }

    /// Steps over `token`, if it is next, and over the spaces behind it.
    @inlinable
    package mutating func take(token: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: token) else { return false }
        position += 1
        skipSpaces()
        return true
    }

    /// Steps over `word`, if it is next, and over the spaces behind it.
    @inlinable
    package mutating func take(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard text.count - position >= count else { return false }
        for index in 0..<count where text[position + index] != word.utf8Start[index] { return false }
        position += count
        skipSpaces()
        return true
    }

    /// Steps over spaces, as JSON has them between tokens.
    @inlinable
    package mutating func skipSpaces() {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
            default: return
            }
            position += 1
            spaces += 1
        }
    }

    /// What is between the quotes of a string.
    @inlinable
    package mutating func string() -> UnsafeBufferPointer<UInt8>? {
        guard position < text.count, text[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        var index = start
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "\"") {
                position = index + 1
                skipSpaces()
                return UnsafeBufferPointer(rebasing: text[start..<index])
            }
            guard byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "\\") else { return nil }
            index += 1
        }
        return nil
    }

    /// An object whose keys are in order and whose numbers are whole, without its spaces: so that equal values are equal bytes.
    package mutating func canonicalObject() -> [UInt8]? {
        let (start, before) = (position, spaces)
        guard object(Self.depth) else { return nil }
        var end = position
        // Those behind it are not of it.
        while text[end - 1] != UInt8(ascii: "}") { end -= 1 }
        let bytes = UnsafeBufferPointer(rebasing: text[start..<end])
        return spaces - before == position - end ? Array(bytes) : Self.withoutSpaces(bytes)
    }

    /// An object without the spaces between its tokens.
    private static func withoutSpaces(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var isInString = false
        return bytes.filter { byte in
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            return isInString || byte > UInt8(ascii: " ")
        }
    }

    private mutating func object(_ depth: Int) -> Bool {
        guard depth > 0, take(token: "{") else { return false }
        if take(token: "}") { return true }
        var last: UnsafeBufferPointer<UInt8>?
        while true {
            guard let key = string(), take(token: ":") else { return false }
            // In order and no two the same: that is one comparison.
            if let last, !last.lexicographicallyPrecedes(key) { return false }
            last = key
            guard value(depth - 1) else { return false }
            if take(token: "}") { return true }
            guard take(token: ",") else { return false }
        }
    }

    private mutating func array(_ depth: Int) -> Bool {
        guard depth > 0, take(token: "[") else { return false }
        if take(token: "]") { return true }
        while true {
            guard value(depth - 1) else { return false }
            if take(token: "]") { return true }
            guard take(token: ",") else { return false }
        }
    }

    private mutating func value(_ depth: Int) -> Bool {
        guard position < text.count else { return false }
        switch text[position] {
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return array(depth)
        case UInt8(ascii: "t"): return take("true")
        case UInt8(ascii: "f"): return take("false")
        case UInt8(ascii: "n"): return take("null")
        default: return integer()
        }
    }

    /// A whole number that fits into 64 bits whatever its digits are.
    private mutating func integer() -> Bool {
        let isNegative = text[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        while position < text.count, (text[position] &- UInt8(ascii: "0")) < 10 { position += 1 }
        let count = position - start
        guard count > 0, count <= 18 else { return false }
        if text[start] == UInt8(ascii: "0"), count > 1 || isNegative { return false }
        guard position < text.count else { return true }
        switch text[position] {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return false
        default: break
        }
        skipSpaces()
        return true
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether this is what `literal` says.
    @inlinable
    package func says(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != literal.utf8Start[index] { return false }
        return true
    }
}
