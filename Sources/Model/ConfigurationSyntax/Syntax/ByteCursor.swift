/// A position in a piece of text, moved byte by byte.
///
/// Everything here looks at UTF-8 bytes: `Character` would join a `=` with a combining mark behind it, and `==` on
/// strings calls U+212A (kelvin) a K.
struct ByteCursor {
    private let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    init(_ text: String) {
        self.init(text.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The byte `distance` after the next one, without moving.
    func peek(_ distance: Int = 0) -> UInt8? {
        index + distance < bytes.count ? bytes[index + distance] : nil
    }

    /// The next byte, and moves past it.
    mutating func next() -> UInt8? {
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// Moves past `byte` when it is the next one.
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        index += 1
        return true
    }

    /// Moves past `text` when it comes next.
    mutating func take(_ text: StaticString) -> Bool {
        take(text.description)
    }

    /// Moves past `text` when it comes next.
    mutating func take(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    /// Moves past all that satisfies `predicate`, and returns it.
    mutating func take(while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.count, predicate(bytes[index]) { index += 1 }
        return bytes[start..<index]
    }

    /// Moves past blanks; says whether there were any.
    @discardableResult
    mutating func skipBlanks() -> Bool {
        !take(while: \.isBlank).isEmpty
    }

    /// All that has not been read yet.
    var rest: ArraySlice<UInt8> { bytes[index...] }
}

extension UInt8 {
    package static let newline = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let backslash = UInt8(ascii: "\\")
    static let dollar = UInt8(ascii: "$")
    package static let percent = UInt8(ascii: "%")
    package static let dash = UInt8(ascii: "-")
    package static let dot = UInt8(ascii: ".")

    /// Space, tab or the end of a line: what systemd.syntax(7) calls whitespace.
    package var isBlank: Bool { self == 0x20 || self == 0x09 || self == .newline || self == .carriageReturn }
    package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    package var isLowercase: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
    var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
    package var isWord: Bool { isDigit || isLetter || self == UInt8(ascii: "_") }
    var isControl: Bool { self < 0x20 || self == 0x7f }

    /// The value of a digit in base 16 and below.
    var digitValue: Int? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(self - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(self - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}

extension String {
    /// Whether both are the same bytes; `==` would also accept canonical equivalents.
    package func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    /// The text without blanks at either end.
    package var trimmed: String {
        let bytes = utf8
        guard let first = bytes.firstIndex(where: { !$0.isBlank }),
            let last = bytes.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(self[first...last])
    }

    /// The text of bytes that are known to be valid, since they were cut from a string at ASCII bytes.
    package init(cut bytes: some Collection<UInt8>) {
        self = String(decoding: bytes, as: UTF8.self)
    }

    /// Quoted for a message: control characters visible, and not longer than a line.
    package var quoted: String {
        var result = "“"
        var length = 0
        for scalar in unicodeScalars {
            guard length < 80 else {
                result += "…"
                break
            }
            length += 1
            if scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "”"
    }
}
