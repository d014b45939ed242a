/// Where a worker's standard input comes from.
package enum StandardInput: Hashable, Sendable, PlainValue {
    /// /dev/null.
    case null
    /// A pipe that the supervisor holds: for `stdin:` hooks and the operator's lines.
    case pipe
    /// The supervisor's own.
    case inherit
    /// A file, opened for reading.
    case file(AbsolutePath)

    /// Reads `null`, `pipe`, `inherit` or `file:PATH`.
    package init(parsing text: String) throws(ValueError) {
        var cursor = ByteCursor(text)
        if cursor.take("file:") {
            self = .file(try AbsolutePath(parsing: String(cut: cursor.rest)))
        } else if text.isExactly("null") {
            self = .null
        } else if text.isExactly("pipe") {
            self = .pipe
        } else if text.isExactly("inherit") {
            self = .inherit
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What an input looks like.
    package static var expectation: String { "null, pipe, inherit or file:PATH" }
    /// Paths take them.
    package static var takesSpecifiers: Bool { true }
}

/// Where a worker's output goes.
package enum StandardOutput: Hashable, Sendable, PlainValue {
    /// The journal; where there is none, the supervisor's own.
    case journal
    /// The supervisor's own; for standard error, the same as standard output.
    case inherit
    /// Nowhere.
    case null
    /// A file, written from its beginning, not truncated.
    case file(AbsolutePath)
    /// A file, written at its end.
    case append(AbsolutePath)
    /// A file, emptied first.
    case truncate(AbsolutePath)

    /// Reads `journal`, `inherit`, `null`, or `file:`, `append:` or `truncate:` with a path.
    package init(parsing text: String) throws(ValueError) {
        var cursor = ByteCursor(text)
        if cursor.take("file:") {
            self = .file(try AbsolutePath(parsing: String(cut: cursor.rest)))
        } else if cursor.take("append:") {
            self = .append(try AbsolutePath(parsing: String(cut: cursor.rest)))
        } else if cursor.take("truncate:") {
            self = .truncate(try AbsolutePath(parsing: String(cut: cursor.rest)))
        } else if text.isExactly("journal") {
            self = .journal
        } else if text.isExactly("inherit") {
            self = .inherit
        } else if text.isExactly("null") {
            self = .null
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What an output looks like.
    package static var expectation: String {
        "journal, inherit, null, file:PATH, append:PATH or truncate:PATH"
    }
    /// Paths take them.
    package static var takesSpecifiers: Bool { true }
}
