/// Steps over one object of a JSON text and copies it without the spaces between its tokens, without making values of it.
///
/// It is for what is passed on and never looked into: it costs a small, steady amount of work for each byte, and no memory but the copy. The
/// syntax is checked to the letter; that a key occurs once, and that a number is within a double's range, is left to the text's author.
struct JSONCopier {
    private(set) var position: Int
    private let depth: Int
    /// How many brackets are open, and for each, from the lowest bit on, whether it is an object's.
    private var open = 0
    private var objects: UInt64 = 0

    /// A copier at the opening bracket of an object, inside of `depth` others.
    init(position: Int, depth: Int) {
        self.position = position
        self.depth = depth
    }

    /// What may stand next.
    private enum Next {
        case value
        case valueOrEnd
        case key
        case keyOrEnd
        case colon
        case commaOrEnd

        var isValue: Bool { self == .value || self == .valueOrEnd }
        var isKey: Bool { self == .key || self == .keyOrEnd }
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    /// The object's text.
    mutating func object(_ text: Span<UInt8>) throws(JSON.ParseError) -> [UInt8] {
        let copy = try text.withUnsafeBufferPointer { (bytes) throws(JSON.ParseError) in
            try object(bytes, text)
        }
        // Outside of strings all is ASCII: what is not is in one, and looked at in one go.
        guard (try? UTF8Span(validating: copy.span)) != nil else { throw failure(.invalidUTF8) }
        return copy
    }

    private mutating func object(_ bytes: Bytes, _ text: Span<UInt8>) throws(JSON.ParseError) -> [UInt8] {
        var copy: [UInt8] = []
        var run = position
        var next = Next.value
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case 0x20, 0x0a, 0x0d, 0x09:
                copy.append(contentsOf: bytes[run..<position])
                position += 1
                run = position
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard next.isValue else { throw failure(.unexpectedByte) }
                guard depth + open < JSON.maximumDepth else { throw failure(.tooDeep) }
                let isObject = byte == UInt8(ascii: "{")
                objects = objects << 1 | (isObject ? 1 : 0)
                open += 1
                next = isObject ? .keyOrEnd : .valueOrEnd
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                let isObject = byte == UInt8(ascii: "}")
                guard open > 0, objects & 1 == (isObject ? 1 : 0),
                    next == .commaOrEnd || next == (isObject ? .keyOrEnd : .valueOrEnd)
                else { throw failure(.unexpectedByte) }
                objects >>= 1
                open -= 1
                next = .commaOrEnd
            case UInt8(ascii: ","):
                guard next == .commaOrEnd else { throw failure(.unexpectedByte) }
                next = objects & 1 == 1 ? .key : .value
            case UInt8(ascii: ":"):
                guard next == .colon else { throw failure(.unexpectedByte) }
                next = .value
            case UInt8(ascii: "\""):
                guard next.isValue || next.isKey else { throw failure(.unexpectedByte) }
                try string(bytes, text)
                next = next.isKey ? .colon : .commaOrEnd
            default:
                guard next.isValue else { throw failure(.unexpectedByte) }
                try scalar(byte, bytes, text)
                next = .commaOrEnd
            }
            position += 1
            if open == 0 {
                copy.append(contentsOf: bytes[run..<position])
                return copy
            }
        }
        throw failure(.unexpectedEnd)
    }

    /// Steps to the last byte of a string, from its opening quote.
    private mutating func string(_ bytes: Bytes, _ text: Span<UInt8>) throws(JSON.ParseError) {
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") { return }
            guard byte >= 0x20 else { throw failure(.controlCharacter) }
            if byte == UInt8(ascii: "\\") {
                var escape = JSONUnescaper(position: position)
                try escape.skip(text)
                position = escape.position
            } else {
                position += 1
            }
        }
        throw failure(.unexpectedEnd)
    }

    /// Steps to the last byte of a number or a word.
    private mutating func scalar(
        _ byte: UInt8, _ bytes: Bytes, _ text: Span<UInt8>
    ) throws(JSON.ParseError) {
        switch byte {
        case UInt8(ascii: "t"): try word("true", bytes)
        case UInt8(ascii: "f"): try word("false", bytes)
        case UInt8(ascii: "n"): try word("null", bytes)
        case UInt8(ascii: "0")...UInt8(ascii: "9") where isAlone(bytes): break
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let (_, end) = try NumberToken.scan(text, from: position)
            guard end - position <= JSONReader.longestNumber else { throw failure(.badNumber) }
            position = end - 1
        default: throw failure(.unexpectedByte)
        }
    }

    /// Whether the number here is this one digit, as most that come by the thousands are.
    private func isAlone(_ bytes: Bytes) -> Bool {
        guard position + 1 < bytes.count else { return false }
        switch bytes[position + 1] {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return true
        default: return false
        }
    }

    private mutating func word(_ word: StaticString, _ bytes: Bytes) throws(JSON.ParseError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position + offset < bytes.count else { throw failure(.unexpectedEnd) }
            guard bytes[position + offset] == word.utf8Start[offset] else { throw failure(.unexpectedByte) }
        }
        position += word.utf8CodeUnitCount - 1
    }

    private func failure(_ reason: JSON.ParseError.Reason) -> JSON.ParseError {
        JSON.ParseError(reason: reason, offset: position)
    }
}
