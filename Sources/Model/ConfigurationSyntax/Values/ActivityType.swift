/// The type of an activity, which says what kind of work it is: `org.example.editing`.
package struct ActivityType: Hashable, Comparable, Sendable, PlainValue, CustomStringConvertible {
    /// The type.
    package let text: String

    /// Reads a letter, then letters, digits, dots, dashes and `_`, at most 128 bytes.
    package init(parsing text: String) throws(ValueError) {
        guard let first = text.utf8.first, first.isLetter, text.utf8.count <= 128,
            text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "._-".utf8.contains($0) })
        else { throw ValueError(text, isNot: Self.expectation) }
        self.text = text
    }

    /// What a type looks like.
    package static var expectation: String { "the type of an activity, such as org.example.editing" }
    /// A type is one word.
    package static var isClosed: Bool { true }
    /// The type.
    package var description: String { text }

    package static func < (left: ActivityType, right: ActivityType) -> Bool { left.text < right.text }
}
