/// A user or a group, by name or by number; whether it exists is found out at launch.
package enum Account: Hashable, Sendable, PlainValue {
    /// By name.
    case name(String)
    /// By number.
    case id(UInt32)

    /// Reads a name or a number by systemd's lenient rules ("User/Group Name Syntax" of systemd).
    package init(parsing text: String) throws(ValueError) {
        if text.utf8.allSatisfy(\.isDigit) {
            // 65535 and 4294967295 mean "none" to the kernel.
            guard let id = UInt32(text), id != 65535, id != .max,
                text.utf8.count == 1 || text.utf8.first != 0x30
            else { throw ValueError(text, isNot: Self.expectation) }
            self = .id(id)
            return
        }
        let bytes = text.utf8
        let numeric = bytes.first == .dash && bytes.dropFirst().allSatisfy(\.isDigit)
        guard !text.isEmpty, bytes.count < 256, !numeric, !text.isExactly("."), !text.isExactly(".."),
            !bytes.contains(where: { $0.isControl || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
            text.isExactly(text.trimmed)
        else { throw ValueError(text, isNot: Self.expectation) }
        self = .name(text)
    }

    /// What an account looks like.
    package static var expectation: String { "a name or a number, without “:” and “/”" }
    /// `User=%i` is common.
    package static var takesSpecifiers: Bool { true }
}

/// The permissions of a file, or what a umask takes from them.
package struct FileMode: Hashable, Sendable, PlainValue {
    /// The bits, at most 0o7777.
    package let bits: UInt16

    /// The mode `bits`.
    package init(bits: UInt16) {
        self.bits = bits
    }

    /// Reads octal digits.
    package init(parsing text: String) throws(ValueError) {
        guard text.utf8.allSatisfy(\.isDigit), let bits = UInt16(text, radix: 8), bits <= 0o7777 else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self.bits = bits
    }

    /// What a mode looks like.
    package static var expectation: String { "an octal mode such as 0022, at most 7777" }
    /// A mode is digits.
    package static var isClosed: Bool { true }
}

/// A short word: a group of workers, an identifier for the log, the name of a descriptor.
package struct Label: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The word.
    package let text: String

    /// Reads a word of ASCII without blanks and colons, at most 255 bytes.
    package init(parsing text: String) throws(ValueError) {
        guard !text.isEmpty, text.utf8.count < 256,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") })
        else { throw ValueError(text, isNot: Self.expectation) }
        self.text = text
    }

    /// What a label looks like.
    package static var expectation: String { "a word of ASCII characters without “:”" }
    /// `%n` and `%i` are useful in it.
    package static var takesSpecifiers: Bool { true }
    /// The word.
    package var description: String { text }
}

/// Free text on one line.
package struct Text: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The text.
    package let text: String

    /// Reads anything without control characters.
    package init(parsing text: String) throws(ValueError) {
        guard !text.utf8.contains(where: \.isControl) else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self.text = text
    }

    /// What free text looks like.
    package static var expectation: String { "text without control characters" }
    /// `%i` is useful in it.
    package static var takesSpecifiers: Bool { true }
    /// The text.
    package var description: String { text }
}

/// A URL's scheme, in lower case (RFC 3986, 3.1).
package struct URLScheme: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The scheme, without `:`.
    package let text: String

    /// Reads a scheme in any case.
    package init(parsing text: String) throws(ValueError) {
        guard let first = text.utf8.first, first.isLetter, text.utf8.count < 64,
            text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) })
        else { throw ValueError(text, isNot: Self.expectation) }
        self.text = text.lowercased()
    }

    /// What a scheme looks like.
    package static var expectation: String { "a URL scheme such as https or x-notes, without “:”" }
    /// A scheme is one word.
    package static var isClosed: Bool { true }
    /// The scheme.
    package var description: String { text }
}
