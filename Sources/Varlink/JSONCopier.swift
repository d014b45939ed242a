/// Steps over one object of a JSON text and copies it without the spaces between its tokens, without making values of it.
///
/// It is for what is passed on and never looked into: it costs a small, steady amount of work for each byte, and no memory but the copy. The
/// syntax is checked to the letter; that a key occurs once, and that a number is within a double's range, is left to the text's author.
struct JSONCopier {
    private(set) var position: Int
    private let depth: Int
    private var stack: [UInt8] = []

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
    }

    /// The object's text.
    mutating func object(_ text: Span<UInt8>) throws(JSON.ParseError) -> [UInt8] {
        var copy: [UInt8] = []
        var run = position
        var next = Next.value
        repeat {
            guard position < text.count else { throw failure(.unexpectedEnd) }
            let byte = text[position]
            if byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
                append(text, run..<position, to: &copy)
                position += 1
                run = position
                continue
            }
            next = try token(byte, text, next)
        } while !stack.isEmpty
        append(text, run..<position, to: &copy)
        // Outside of strings all is ASCII: what is not is in one, and looked at in one go.
        guard (try? UTF8Span(validating: copy.span)) != nil else { throw failure(.invalidUTF8) }
        return copy
    }

    private func append(_ text: Span<UInt8>, _ range: Range<Int>, to copy: inout [UInt8]) {
        text.extracting(range).withUnsafeBufferPointer { copy.append(contentsOf: $0) }
    }

    /// Steps over one token, and tells what may follow it.
    private mutating func token(
        _ byte: UInt8, _ text: Span<UInt8>, _ next: Next
    ) throws(JSON.ParseError) -> Next {
        switch (byte, next) {
        case (UInt8(ascii: "\""), .value), (UInt8(ascii: "\""), .valueOrEnd):
            try string(text)
            return .commaOrEnd
        case (UInt8(ascii: "\""), .key), (UInt8(ascii: "\""), .keyOrEnd):
            try string(text)
            return .colon
        case (UInt8(ascii: ":"), .colon):
            position += 1
            return .value
        case (UInt8(ascii: ","), .commaOrEnd):
            position += 1
            return stack.last == UInt8(ascii: "{") ? .key : .value
        case (UInt8(ascii: "{"), .value), (UInt8(ascii: "{"), .valueOrEnd), (UInt8(ascii: "["), .value),
            (UInt8(ascii: "["), .valueOrEnd):
            guard depth + stack.count < JSON.maximumDepth else { throw failure(.tooDeep) }
            stack.append(byte)
            position += 1
            return byte == UInt8(ascii: "{") ? .keyOrEnd : .valueOrEnd
        case (UInt8(ascii: "}"), .keyOrEnd), (UInt8(ascii: "}"), .commaOrEnd):
            return try end(of: UInt8(ascii: "{"))
        case (UInt8(ascii: "]"), .valueOrEnd), (UInt8(ascii: "]"), .commaOrEnd):
            return try end(of: UInt8(ascii: "["))
        case (_, .value), (_, .valueOrEnd):
            try scalar(byte, text)
            return .commaOrEnd
        case (_, .key), (_, .keyOrEnd), (_, .colon), (_, .commaOrEnd): throw failure(.unexpectedByte)
        }
    }

    private mutating func end(of bracket: UInt8) throws(JSON.ParseError) -> Next {
        guard stack.last == bracket else { throw failure(.unexpectedByte) }
        stack.removeLast()
        position += 1
        return .commaOrEnd
    }

    private mutating func scalar(_ byte: UInt8, _ text: Span<UInt8>) throws(JSON.ParseError) {
        switch byte {
        case UInt8(ascii: "t"): try word(text, "true")
        case UInt8(ascii: "f"): try word(text, "false")
        case UInt8(ascii: "n"): try word(text, "null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let (_, end) = try NumberToken.scan(text, from: position)
            guard end - position <= JSONReader.longestNumber else { throw failure(.badNumber) }
            position = end
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func word(_ text: Span<UInt8>, _ word: StaticString) throws(JSON.ParseError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < text.count else { throw failure(.unexpectedEnd) }
            guard text[position] == word.utf8Start[offset] else { throw failure(.unexpectedByte) }
            position += 1
        }
    }

    /// Steps over a string, from its opening to behind its closing quote.
    private mutating func string(_ text: Span<UInt8>) throws(JSON.ParseError) {
        position += 1
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return
            }
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

    private func failure(_ reason: JSON.ParseError.Reason) -> JSON.ParseError {
        JSON.ParseError(reason: reason, offset: position)
    }
}
