/// A node of a YAML document.
package final class YAMLNode: Sendable {
    /// What a node holds.
    package enum Content: Sendable {
        /// A text; `isPlain` where it stands without quotes and is no block, so that it may be a number, a boolean or null.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([YAMLNode])
        /// Keys with their values, in their order.
        case mapping([Pair])
    }

    /// A key with its value.
    package struct Pair: Sendable {
        /// The key.
        package let key: YAMLNode
        /// The value.
        package let value: YAMLNode
    }

    /// The line it begins in, from 1.
    package let line: Int
    /// What it holds.
    package let content: Content

    init(_ content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    /// The text of a scalar; nil of anything else.
    package var text: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }

    /// Whether it is null: nothing, `~` or `null` without quotes.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }
}

/// Why a document cannot be read.
package struct YAMLError: Error, Hashable, Sendable {
    /// The line, from 1.
    package let line: Int
    /// What is wrong, as a clause.
    package let problem: String
}
