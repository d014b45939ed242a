extension JSON {
    /// Why some bytes are no JSON, and where.
    public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The rule of RFC 8259 (or the bound of ours) that the text breaks.
        public enum Reason: String, Hashable, Sendable {
            /// The text ends inside a value.
            case unexpectedEnd = "unexpected end of input"
            /// A byte that cannot stand here.
            case unexpectedByte = "unexpected byte"
            /// A number with a leading zero, without digits, or too big for a double.
            case badNumber = "invalid number"
            /// An escape that JSON does not know.
            case badEscape = "unknown escape"
            /// Half a surrogate pair, which is no character.
            case loneSurrogate = "unpaired surrogate"
            /// A control character inside a string that is not escaped.
            case controlCharacter = "unescaped control character"
            /// A string that is not UTF-8.
            case invalidUTF8 = "invalid UTF-8"
            /// A key that occurs twice in one object: which one counts would depend on the reader.
            case duplicateKey = "duplicate key"
            /// More than ``JSON/maximumDepth`` containers inside each other.
            case tooDeep = "nested too deeply"
            /// More values than are read of one message.
            case tooManyValues = "too many values"
            /// Something behind the value.
            case trailingGarbage = "trailing data after the value"
        }

        /// What is wrong.
        public let reason: Reason
        /// The offset in bytes at which it was noticed.
        public let offset: Int

        /// A fault of kind `reason` at `offset`.
        public init(reason: Reason, offset: Int) {
            self.reason = reason
            self.offset = offset
        }

        /// One sentence for a log line.
        public var description: String { "invalid JSON at byte \(offset): \(reason.rawValue)" }
    }

    /// How many arrays and objects may stand inside each other: 64.
    public static let maximumDepth = 64

    /// The value that `text` spells, by RFC 8259 to the letter: UTF-8, one value, nothing behind it, no key twice.
    ///
    /// - Throws: ``ParseError`` at the first fault.
    public init(parsing text: Span<UInt8>) throws(ParseError) {
        var reader = JSONReader()
        self = try reader.document(text)
    }

    /// The value that `text` spells, by the same rules.
    ///
    /// - Throws: ``ParseError`` at the first fault.
    public init(parsing text: String) throws(ParseError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span)
    }

    /// The object that `text` spells, as its text without spaces (``written(_:)``): checked, and not made into values.
    ///
    /// - Throws: ``ParseError`` at the first fault; also where `text` is no object.
    package init(copying text: Span<UInt8>) throws(ParseError) {
        guard text.count > 0, text[0] == UInt8(ascii: "{") else {
            throw ParseError(reason: text.count > 0 ? .unexpectedByte : .unexpectedEnd, offset: 0)
        }
        var copier = JSONCopier(position: 0, depth: 0)
        self = .written(try copier.object(text))
        guard copier.position == text.count else {
            throw ParseError(reason: .trailingGarbage, offset: copier.position)
        }
    }
}
