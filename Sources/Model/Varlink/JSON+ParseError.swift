extension JSON {
    /// A JSON syntax error and its position.
    public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The rule of RFC 8259, or the additional limit, that the text violates.
        public enum Reason: String, Hashable, Sendable {
            /// The text ends inside a value.
            case unexpectedEnd = "unexpected end of input"
            /// An unexpected byte.
            case unexpectedByte = "unexpected byte"
            /// A number with a leading zero, without digits, or too big for a double.
            case badNumber = "invalid number"
            /// An unknown escape.
            case badEscape = "unknown escape"
            /// An unpaired surrogate.
            case loneSurrogate = "unpaired surrogate"
            /// An unescaped control character in a string.
            case controlCharacter = "unescaped control character"
            /// A string with invalid UTF-8.
            case invalidUTF8 = "invalid UTF-8"
            /// A duplicate key in an object, whose meaning would depend on the reader.
            case duplicateKey = "duplicate key"
            /// More than ``JSON/maximumDepth`` nested containers.
            case tooDeep = "nested too deeply"
            /// Too many values in one message.
            case tooManyValues = "too many values"
            /// Trailing data after the value.
            case trailingGarbage = "trailing data after the value"
        }

        /// The reason.
        public let reason: Reason
        /// The offset in bytes at which the error was detected.
        public let offset: Int

        /// Creates an error with `reason` at `offset`.
        public init(reason: Reason, offset: Int) {
            self.reason = reason
            self.offset = offset
        }

        /// One sentence for a log line.
        public var description: String { "invalid JSON at byte \(offset): \(reason.rawValue)" }
    }

    /// The maximum nesting depth of arrays and objects: 64.
    public static let maximumDepth = 64

    /// Parses `text` strictly by RFC 8259: UTF-8, one value, no trailing data, no duplicate keys.
    ///
    /// - Throws: a ``ParseError`` for the first error.
    public init(parsing text: Span<UInt8>) throws(ParseError) {
        var reader = JSONReader()
        self = try reader.document(text)
    }

    /// Parses `text` by the same rules.
    ///
    /// - Throws: a ``ParseError`` for the first error.
    public init(parsing text: String) throws(ParseError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span)
    }

    /// Checks the object in `text` and keeps it as text without spaces (``written(_:)``), without creating values.
    ///
    /// - Throws: a ``ParseError`` for the first error, or if `text` is not an object.
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
