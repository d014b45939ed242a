/// An interface: its description, verbatim and parsed.
public struct InterfaceDefinition: Hashable, Sendable {
    /// A method: its parameters and its reply.
    public struct Method: Hashable, Sendable {
        /// The parameters of a call.
        public let input: [InterfaceField]
        /// The parameters of a reply.
        public let output: [InterfaceField]
    }

    /// The kind of a member of the interface.
    public enum Member: Hashable, Sendable {
        /// A type.
        case type(InterfaceType)
        /// A method.
        case method(Method)
        /// An error and its parameters.
        case error([InterfaceField])
    }

    /// A member of the interface.
    public struct Entry: Hashable, Sendable {
        /// The name without that of the interface.
        public let name: String
        /// The kind of the member.
        public let member: Member
        /// The comment above it; empty if there is none.
        public let documentation: String
    }

    /// The full name, such as `io.torpor.Supervisor`.
    public let name: String
    /// The comment above it; empty if there is none.
    public let documentation: String
    /// The source text, unchanged.
    public let description: String
    /// All types, methods and errors, in the order of the text.
    public let entries: [Entry]
    private let members: [String: Member]

    /// Parses the interface defined by `description`.
    ///
    /// - Throws: ``Fault`` at the first thing that is no such definition, at a name that is used twice, or at the
    ///   name of a type that is not defined.
    public init(description: String) throws(Fault) {
        var parser = InterfaceParser(description)
        let parsed = try parser.interface()
        self.description = description
        name = parsed.name
        documentation = parsed.documentation
        entries = parsed.entries
        members = Dictionary(parsed.entries.map { ($0.name, $0.member) }) { first, _ in first }
    }

    /// The interface that a text of the program's own defines, which a test reads too: one that is none ends the program.
    public init(builtIn text: String) {
        do throws(Fault) {
            try self.init(description: text)
        } catch {
            // Impossible: the text does not change, and has been read.
            fatalError("an interface of our own: \(error)")
        }
    }

    /// An error in a description.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line, from 1.
        public let line: Int
        /// The problem.
        public let message: String

        /// Creates a fault in `line`.
        public init(line: Int, message: String) {
            self.line = line
            self.message = message
        }

        /// One sentence for a log line.
        public var description: String { "line \(line): \(message)" }
    }

    /// The method called `name`, without the interface's name.
    public func method(_ name: String) -> Method? {
        if case .method(let method) = members[name] { method } else { nil }
    }

    /// The type called `name`.
    public func type(_ name: String) -> InterfaceType? {
        if case .type(let type) = members[name] { type } else { nil }
    }

    /// The parameters of the error called `name`, without the interface's name.
    public func error(_ name: String) -> [InterfaceField]? {
        if case .error(let fields) = members[name] { fields } else { nil }
    }

    /// The names of all methods, in the order of the text.
    public var methods: [String] { entries.map(\.name).filter { method($0) != nil } }

    /// The names of all errors, in the order of the text.
    public var errors: [String] { entries.map(\.name).filter { error($0) != nil } }
}
