/// A type of the Varlink interface definition language (varlink.org, "Interface Definition").
public indirect enum InterfaceType: Hashable, Sendable {
    /// `bool`
    case bool
    /// `int`: 64 bits with a sign.
    case int
    /// `float`: a number with or without a fraction.
    case float
    /// `string`
    case string
    /// `object`: any JSON object.
    case object
    /// `any`: any JSON value. Older clients do not know the word; our own interfaces do without.
    case any
    /// `[]T`
    case array(InterfaceType)
    /// `[string]T`; `[string]()` is a set of strings.
    case dictionary(InterfaceType)
    /// `?T`: may be `null` or missing.
    case nullable(InterfaceType)
    /// `(name: T, …)`
    case structure([InterfaceField])
    /// `(one, two)`
    case enumeration([InterfaceValue])
    /// A type that is defined under this name in the same interface.
    case named(String)
}

/// A named and typed part of a structure, of parameters or of an error.
public struct InterfaceField: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The type.
    public let type: InterfaceType
    /// The comment above it, lines separated by newlines; empty without one.
    public let documentation: String

    /// A field called `name`.
    public init(name: String, type: InterfaceType, documentation: String = "") {
        self.name = name
        self.type = type
        self.documentation = documentation
    }
}

/// A value of an enumeration.
public struct InterfaceValue: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name, which is also the string that stands for the value in a message.
    public let name: String
    /// The comment above it, lines separated by newlines; empty without one.
    public let documentation: String

    /// A value called `name`.
    public init(name: String, documentation: String = "") {
        self.name = name
        self.documentation = documentation
    }

    /// A value without a comment.
    public init(stringLiteral name: String) {
        self.init(name: name)
    }
}
