/// Reads a JSON string that contains escapes, from behind its opening to behind its closing quote.
struct JSONUnescaper {
    private(set) var position: Int

    init(position: Int) {
        self.position = position
    }

    mutating func string(_ text: Span<UInt8>) throws(JSON.ParseError) -> String {
        let start = position
        var bytes: [UInt8] = []
        while position < text.count {
            let run = position
            while position < text.count, text[position].isPlainInString { position += 1 }
            text.extracting(run..<position).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
            guard position < text.count else { break }
            position += 1
            switch text[position - 1] {
            case UInt8(ascii: "\""):
                guard let utf8 = try? UTF8Span(validating: bytes.span) else {
                    throw JSON.ParseError(reason: .invalidUTF8, offset: start)
                }
                return String(copying: utf8)
            case UInt8(ascii: "\\"): try escape(text, into: &bytes)
            default: throw JSON.ParseError(reason: .controlCharacter, offset: position - 1)
            }
        }
        throw JSON.ParseError(reason: .unexpectedEnd, offset: start)
    }

    /// Steps over the one escape that begins here with its backslash.
    mutating func skip(_ text: Span<UInt8>) throws(JSON.ParseError) {
        position += 1
        guard position < text.count else {
            throw JSON.ParseError(reason: .unexpectedEnd, offset: position)
        }
        position += 1
        switch text[position - 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            break
        case UInt8(ascii: "u"): _ = try scalar(text)
        default: throw JSON.ParseError(reason: .badEscape, offset: position - 1)
        }
    }

    private mutating func escape(_ text: Span<UInt8>, into bytes: inout [UInt8]) throws(JSON.ParseError) {
        guard position < text.count else {
            throw JSON.ParseError(reason: .unexpectedEnd, offset: position)
        }
        let letter = text[position]
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0c)
        case UInt8(ascii: "n"): bytes.append(0x0a)
        case UInt8(ascii: "r"): bytes.append(0x0d)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): bytes.append(contentsOf: try scalar(text).utf8)
        default: throw JSON.ParseError(reason: .badEscape, offset: position - 1)
        }
    }

    /// The character of one `\u` escape or of a surrogate pair of two (RFC 8259, section 7).
    private mutating func scalar(_ text: Span<UInt8>) throws(JSON.ParseError) -> Unicode.Scalar {
        let offset = position - 2
        let first = try hex(text)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xdc00, position + 1 < text.count, text[position] == UInt8(ascii: "\\"),
            text[position + 1] == UInt8(ascii: "u")
        else { throw JSON.ParseError(reason: .loneSurrogate, offset: offset) }
        position += 2
        let second = try hex(text)
        let pair = 0x10000 + ((UInt32(first) & 0x3ff) << 10) + (UInt32(second) & 0x3ff)
        guard second & 0xfc00 == 0xdc00, let scalar = Unicode.Scalar(pair) else {
            throw JSON.ParseError(reason: .loneSurrogate, offset: offset)
        }
        return scalar
    }

    private mutating func hex(_ text: Span<UInt8>) throws(JSON.ParseError) -> UInt16 {
        guard position + 4 <= text.count else {
            throw JSON.ParseError(reason: .unexpectedEnd, offset: position)
        }
        var value: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch text[position] {
            case let byte where byte &- 0x30 < 10: digit = byte - 0x30
            case let byte where (byte | 0x20) &- 0x61 < 6: digit = (byte | 0x20) - 0x61 + 10
            default: throw JSON.ParseError(reason: .badEscape, offset: position)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}

extension UInt8 {
    /// Whether a string of JSON has this byte as it is: no quote, no backslash, no control character.
    fileprivate var isPlainInString: Bool {
        self >= 0x20 && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}
