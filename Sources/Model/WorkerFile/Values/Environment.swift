/// One variable of a worker's environment.
public struct EnvironmentVariable: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// Its name.
    public let name: String
    /// Its value.
    public let value: String

    /// The variable `name` with `value`.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Reads `NAME=VALUE`, unquoted already.
    public init(parsing text: String) throws(ValueError) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")),
            VariableName.isValid(text[..<equals].utf8)
        else { throw ValueError(text, isNot: Self.expectation) }
        name = String(text[..<equals])
        value = String(text[text.utf8.index(after: equals)...])
    }

    /// What a variable looks like.
    public static var expectation: String { "NAME=VALUE, quoted as a whole where VALUE has blanks" }
    /// Values may hold specifiers.
    public static var takesSpecifiers: Bool { true }
    /// As execve(2) wants it.
    public var description: String { name + "=" + value }
}

/// The name of an environment variable.
public struct VariableName: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The name.
    public let text: String

    /// Reads letters, digits and `_`, no digit first.
    public init(parsing text: String) throws(ValueError) {
        guard Self.isValid(text.utf8) else { throw ValueError(text, isNot: Self.expectation) }
        self.text = text
    }

    static func isValid(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first, !first.isDigit else { return false }
        return name.allSatisfy(\.isWord)
    }

    /// What a name looks like.
    public static var expectation: String { "a name of ASCII letters, digits and “_”, no digit first" }
    /// `%i` may be part of it.
    public static var takesSpecifiers: Bool { true }
    /// The name.
    public var description: String { text }
}

/// `UnsetEnvironment=`: a name, or a whole assignment that is removed only when the value is that one.
public struct UnsetVariable: Hashable, Sendable, PlainValue {
    /// The variable's name.
    public let name: String
    /// The value it must have; nil for any.
    public let value: String?

    /// Reads `NAME` or `NAME=VALUE`.
    public init(parsing text: String) throws(ValueError) {
        if let variable = try? EnvironmentVariable(parsing: text) {
            (name, value) = (variable.name, variable.value)
        } else {
            (name, value) = (try VariableName(parsing: text).text, nil)
        }
    }

    /// What it looks like.
    public static var expectation: String { "NAME or NAME=VALUE" }
    /// Both parts may hold specifiers.
    public static var takesSpecifiers: Bool { true }

    /// Whether `variable` is removed.
    public func removes(_ variable: EnvironmentVariable) -> Bool {
        name.isExactly(variable.name) && value.map(variable.value.isExactly) ?? true
    }
}

/// `EnvironmentFile=`: a file of variables, read at every launch.
public struct EnvironmentFileReference: Hashable, Sendable, PlainValue {
    /// The file, or a pattern for several.
    public let pattern: PathGlob
    /// Whether a missing file is no error.
    public let mayBeMissing: Bool

    /// Reads an absolute path or glob, after an optional `-`.
    public init(parsing text: String) throws(ValueError) {
        mayBeMissing = text.utf8.first == .dash
        guard let glob = try? PathGlob(parsing: mayBeMissing ? String(cut: text.utf8.dropFirst()) : text)
        else {
            throw ValueError(text, isNot: Self.expectation)
        }
        pattern = glob
    }

    /// What it looks like.
    public static var expectation: String { PathGlob.expectation + ", after an optional “-”" }
    /// `%E/%n.env` is common.
    public static var takesSpecifiers: Bool { true }
}
