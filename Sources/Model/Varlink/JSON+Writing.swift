extension JSON {
    /// Appends the value as UTF-8 text without spaces and without NUL bytes.
    ///
    /// A double that is NaN or infinite cannot be represented in JSON and becomes `null`.
    public func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): JSON.write(integer: value, into: &bytes)
        case .double(let value): bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .string(let value): JSON.write(string: value, into: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object): object.write(into: &bytes)
        case .written(let text): bytes += text
        }
    }

    /// The value as text without spaces.
    public var text: String {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `string` in quotes; what needs no escape, and that is nearly everything, is copied in one piece.
    package static func write(string: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        let utf8 = string.utf8Span.span
        var start = 0
        for index in utf8.indices where needsEscape(utf8[index]) {
            append(utf8.extracting(start..<index), to: &bytes)
            write(escaping: utf8[index], into: &bytes)
            start = index + 1
        }
        append(utf8.extracting(start...), to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private static func append(_ run: Span<UInt8>, to bytes: inout [UInt8]) {
        run.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// Appends a whole number.
    package static func write(integer value: Int64, into bytes: inout [UInt8]) {
        // From the last digit to the first, then all in one piece.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = digits.count
        var rest = value.magnitude
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 {
            first -= 1
            digits[first] = UInt8(ascii: "-")
        }
        append(digits.span.extracting(first...), to: &bytes)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func write(escaping byte: UInt8, into bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0a: bytes.append(contentsOf: "\\n".utf8)
        case 0x0d: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            bytes.append(contentsOf: byte < 0x10 ? "\\u000".utf8 : "\\u001".utf8)
            bytes.append(contentsOf: String(byte & 0xf, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}

extension JSON.Object {
    /// Appends the object as UTF-8 text without spaces.
    func write(into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSON.write(string: member.key, into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.value.write(into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
