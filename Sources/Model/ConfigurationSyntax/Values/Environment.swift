/// One variable of a worker's environment.
package struct EnvironmentVariable: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// Its name.
    package let name: String
    /// Its value.
    package let value: String

    /// The variable `name` with `value`.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Reads `NAME=VALUE`, unquoted already.
    package init(parsing text: String) throws(ValueError) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")),
            VariableName.isValid(text[..<equals].utf8)
        else { throw ValueError(text, isNot: Self.expectation) }
        name = String(text[..<equals])
        value = String(text[text.utf8.index(after: equals)...])
    }

    /// What a variable looks like.
    package static var expectation: String { "NAME=VALUE, quoted as a whole if VALUE contains spaces" }
    /// Values may hold specifiers.
    package static var takesSpecifiers: Bool { true }
    /// As execve(2) wants it.
    package var description: String { name + "=" + value }
}

/// The name of an environment variable.
package struct VariableName: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The name.
    package let text: String

    /// Reads letters, digits and `_`, no digit first.
    package init(parsing text: String) throws(ValueError) {
        guard Self.isValid(text.utf8) else { throw ValueError(text, isNot: Self.expectation) }
        self.text = text
    }

    static func isValid(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first, !first.isDigit else { return false }
        return name.allSatisfy(\.isWord)
    }

    /// What a name looks like.
    package static var expectation: String {
        "a name of ASCII letters, digits and “_”, not beginning with a digit"
    }
    /// `%i` may be part of it.
    package static var takesSpecifiers: Bool { true }
    /// The name.
    package var description: String { text }
}

/// `UnsetEnvironment=`: a name, or a whole assignment that is removed only when the value is that one.
package struct UnsetVariable: Hashable, Sendable, PlainValue {
    /// The variable's name.
    package let name: String
    /// The value it must have; nil for any.
    package let value: String?

    /// Reads `NAME` or `NAME=VALUE`.
    package init(parsing text: String) throws(ValueError) {
        if let variable = try? EnvironmentVariable(parsing: text) {
            (name, value) = (variable.name, variable.value)
        } else {
            (name, value) = (try VariableName(parsing: text).text, nil)
        }
    }

    /// What it looks like.
    package static var expectation: String { "NAME or NAME=VALUE" }
    /// Both parts may hold specifiers.
    package static var takesSpecifiers: Bool { true }

    /// Whether `variable` is removed.
    package func removes(_ variable: EnvironmentVariable) -> Bool {
        name.isExactly(variable.name) && value.map(variable.value.isExactly) ?? true
    }
}

/// `EnvironmentFile=`: a file of variables, read at every launch.
package struct EnvironmentFileReference: Hashable, Sendable, PlainValue {
    /// The file, or a pattern for several.
    package let pattern: PathGlob
    /// Whether a missing file is no error.
    package let mayBeMissing: Bool

    /// Reads an absolute path or glob, after an optional `-`.
    package init(parsing text: String) throws(ValueError) {
        mayBeMissing = text.utf8.first == .dash
        guard let glob = try? PathGlob(parsing: mayBeMissing ? String(cut: text.utf8.dropFirst()) : text)
        else {
            throw ValueError(text, isNot: Self.expectation)
        }
        pattern = glob
    }

    /// What it looks like.
    package static var expectation: String { PathGlob.expectation + ", after an optional “-”" }
    /// `%E/%n.env` is common.
    package static var takesSpecifiers: Bool { true }
}
