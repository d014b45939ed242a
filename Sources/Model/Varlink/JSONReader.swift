/// A strict, single-pass reader of RFC 8259 over bytes that stay where they are.
///
/// The text is handed to every step instead of being kept, since a stored span would tie the reader to its lifetime.
struct JSONReader {
    private var position = 0
    /// How many more values may come: each costs memory many times its text.
    private var valuesLeft: Int
    /// Parameters of a message that are left as they were written, where they are objects.
    private let verbatim: [String]
    /// How many bytes of the text they are.
    private(set) var verbatimBytes = 0

    /// A reader of one text with no more than so many values; `verbatim` names members of the member "parameters" of the whole.
    init(values: Int = .max, verbatim: [String] = []) {
        valuesLeft = values
        self.verbatim = verbatim
    }

    /// The longest number that is read: digits without end would be arithmetic without end.
    static let longestNumber = 1024

    /// What a value is part of.
    private enum Place {
        case message
        case parameters
        case elsewhere
    }

    mutating func document(_ text: Span<UInt8>) throws(JSON.ParseError) -> JSON {
        let value = try value(text, depth: 0, .message)
        skipWhitespace(text)
        guard position == text.count else { throw failure(.trailingGarbage) }
        return value
    }

    private mutating func value(
        _ text: Span<UInt8>, depth: Int, _ place: Place = .elsewhere
    ) throws(JSON.ParseError) -> JSON {
        skipWhitespace(text)
        guard position < text.count else { throw failure(.unexpectedEnd) }
        guard valuesLeft > 0 else { throw failure(.tooManyValues) }
        valuesLeft -= 1
        switch text[position] {
        case UInt8(ascii: "\""): return .string(try string(text))
        case UInt8(ascii: "{"): return try object(text, depth: depth + 1, place)
        case UInt8(ascii: "["): return try array(text, depth: depth + 1)
        case UInt8(ascii: "t"): return try word(text, "true", .bool(true))
        case UInt8(ascii: "f"): return try word(text, "false", .bool(false))
        case UInt8(ascii: "n"): return try word(text, "null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(text)
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func object(
        _ text: Span<UInt8>, depth: Int, _ place: Place
    ) throws(JSON.ParseError) -> JSON {
        guard depth <= JSON.maximumDepth else { throw failure(.tooDeep) }
        position += 1
        var members: [JSON.Object.Member] = []
        var seen: Set<String> = []
        if try close(text, with: UInt8(ascii: "}")) { return .object(JSON.Object()) }
        members.reserveCapacity(4)
        while true {
            skipWhitespace(text)
            guard position < text.count else { throw failure(.unexpectedEnd) }
            guard text[position] == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
            let keyOffset = position
            let key = try string(text)
            guard isNew(key, among: members, seen: &seen) else {
                throw JSON.ParseError(reason: .duplicateKey, offset: keyOffset)
            }
            skipWhitespace(text)
            try expect(text, UInt8(ascii: ":"))
            members.append(.init(key: key, value: try member(key, of: place, text, depth: depth)))
            if try close(text, with: UInt8(ascii: "}")) { return .object(JSON.Object(unique: members)) }
            try expect(text, UInt8(ascii: ","))
        }
    }

    /// The value of a member, which stays as it is written where that is asked for.
    private mutating func member(
        _ key: String, of place: Place, _ text: Span<UInt8>, depth: Int
    ) throws(JSON.ParseError) -> JSON {
        switch place {
        case .message: return try value(text, depth: depth, key == "parameters" ? .parameters : .elsewhere)
        case .parameters where verbatim.contains(key):
            skipWhitespace(text)
            guard position < text.count, text[position] == UInt8(ascii: "{") else { break }
            var copier = JSONCopier(position: position, depth: depth)
            let written = try copier.object(text)
            verbatimBytes += copier.position - position
            position = copier.position
            return .written(written)
        case .parameters, .elsewhere: break
        }
        return try value(text, depth: depth)
    }

    /// Whether `key` is none of `members`: by a scan while they are few, so that small objects need no set.
    private func isNew(
        _ key: String, among members: [JSON.Object.Member], seen: inout Set<String>
    ) -> Bool {
        let few = 16
        guard members.count >= few else { return !members.contains { $0.key == key } }
        if members.count == few { seen = Set(members.map(\.key)) }
        return seen.insert(key).inserted
    }

    private mutating func array(_ text: Span<UInt8>, depth: Int) throws(JSON.ParseError) -> JSON {
        guard depth <= JSON.maximumDepth else { throw failure(.tooDeep) }
        position += 1
        var elements: [JSON] = []
        if try close(text, with: UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try value(text, depth: depth))
            if try close(text, with: UInt8(ascii: "]")) { return .array(elements) }
            try expect(text, UInt8(ascii: ","))
        }
    }

    /// Whether the container ends here; if so, steps behind its bracket.
    private mutating func close(_ text: Span<UInt8>, with bracket: UInt8) throws(JSON.ParseError) -> Bool {
        skipWhitespace(text)
        guard position < text.count else { throw failure(.unexpectedEnd) }
        guard text[position] == bracket else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ text: Span<UInt8>, _ byte: UInt8) throws(JSON.ParseError) {
        guard position < text.count else { throw failure(.unexpectedEnd) }
        guard text[position] == byte else { throw failure(.unexpectedByte) }
        position += 1
    }

    private mutating func word(
        _ text: Span<UInt8>, _ word: StaticString, _ value: JSON
    ) throws(JSON.ParseError) -> JSON {
        for offset in 0..<word.utf8CodeUnitCount { try expect(text, word.utf8Start[offset]) }
        return value
    }

    private mutating func number(_ text: Span<UInt8>) throws(JSON.ParseError) -> JSON {
        let (token, end) = try NumberToken.scan(text, from: position)
        guard end - position <= Self.longestNumber else { throw failure(.badNumber) }
        defer { position = end }
        if let value = token.integer { return .int(value) }
        let digits = string(of: text.extracting(position..<end))
        guard let digits, let value = Double(digits), value.isFinite else { throw failure(.badNumber) }
        return .double(value)
    }

    /// A string, from its opening to behind its closing quote; without escapes it is copied in one piece.
    private mutating func string(_ text: Span<UInt8>) throws(JSON.ParseError) -> String {
        let start = position + 1
        var end = start
        while end < text.count {
            let byte = text[end]
            if byte == UInt8(ascii: "\"") {
                guard let value = string(of: text.extracting(start..<end)) else {
                    throw failure(.invalidUTF8)
                }
                position = end + 1
                return value
            }
            if byte == UInt8(ascii: "\\") { break }
            guard byte >= 0x20 else { throw JSON.ParseError(reason: .controlCharacter, offset: end) }
            end += 1
        }
        guard end < text.count else { throw failure(.unexpectedEnd) }
        var unescaper = JSONUnescaper(position: start)
        let value = try unescaper.string(text)
        position = unescaper.position
        return value
    }

    private func string(of bytes: Span<UInt8>) -> String? {
        guard let utf8 = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: utf8)
    }

    private mutating func skipWhitespace(_ text: Span<UInt8>) {
        while position < text.count {
            switch text[position] {
            case 0x20, 0x09, 0x0a, 0x0d: position += 1
            default: return
            }
        }
    }

    private func failure(_ reason: JSON.ParseError.Reason) -> JSON.ParseError {
        JSON.ParseError(reason: reason, offset: position)
    }
}
