/// Walks through a message that is written as programs write JSON: ASCII, no space, no escapes.
///
/// It is for what comes by the thousands. Wherever a text is not as plain as that, it answers nil, and `JSON(parsing:)` reads the
/// message by all rules.
package struct PlainScanner {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// How deep a value may go; what goes deeper is not plain.
    private static let depth = 16

    /// A scanner at the start of `text`, which must outlive it.
    package init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// Whether all has been read.
    package var isAtEnd: Bool { position == text.count }

    /// Steps over `literal`, if it is next.
    package mutating func take(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard text.count - position >= count else { return false }
        for index in 0..<count where text[position + index] != literal.utf8Start[index] { return false }
        position += count
        return true
    }

    /// What is between the quotes of a string.
    package mutating func string() -> UnsafeBufferPointer<UInt8>? {
        guard take("\"") else { return nil }
        let start = position
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "\"") {
                defer { position += 1 }
                return UnsafeBufferPointer(rebasing: text[start..<position])
            }
            guard byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        return nil
    }

    /// An object that is written in the one form in which equal values are equal bytes: keys in order, numbers whole.
    package mutating func canonicalObject() -> UnsafeBufferPointer<UInt8>? {
        let start = position
        guard object(Self.depth) else { return nil }
        return UnsafeBufferPointer(rebasing: text[start..<position])
    }

    private mutating func object(_ depth: Int) -> Bool {
        guard depth > 0, take("{") else { return false }
        if take("}") { return true }
        var last: UnsafeBufferPointer<UInt8>?
        while true {
            guard let key = string(), take(":") else { return false }
            // In order and no two the same: that is one comparison.
            if let last, !last.lexicographicallyPrecedes(key) { return false }
            last = key
            guard value(depth - 1) else { return false }
            if take("}") { return true }
            guard take(",") else { return false }
        }
    }

    private mutating func array(_ depth: Int) -> Bool {
        guard depth > 0, take("[") else { return false }
        if take("]") { return true }
        while true {
            guard value(depth - 1) else { return false }
            if take("]") { return true }
            guard take(",") else { return false }
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
        let isNegative = take("-")
        let start = position
        while position < text.count, (text[position] &- UInt8(ascii: "0")) < 10 { position += 1 }
        let count = position - start
        guard count > 0, count <= 18 else { return false }
        if text[start] == UInt8(ascii: "0"), count > 1 || isNegative { return false }
        guard position < text.count else { return true }
        switch text[position] {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return false
        default: return true
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether this is what `literal` says.
    package func says(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != literal.utf8Start[index] { return false }
        return true
    }
}
