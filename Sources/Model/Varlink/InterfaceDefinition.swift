/// An interface: its description word for word, and what that says.
public struct InterfaceDefinition: Hashable, Sendable {
    /// A method: what goes in and what comes out.
    public struct Method: Hashable, Sendable {
        /// The parameters of a call.
        public let input: [InterfaceField]
        /// The parameters of a reply.
        public let output: [InterfaceField]
    }

    /// What a name of the interface stands for.
    public enum Member: Hashable, Sendable {
        /// A type.
        case type(InterfaceType)
        /// A method.
        case method(Method)
        /// An error and its parameters.
        case error([InterfaceField])
    }

    /// A name of the interface.
    public struct Entry: Hashable, Sendable {
        /// The name without the interface's.
        public let name: String
        /// What it stands for.
        public let member: Member
        /// The comment above it; empty without one.
        public let documentation: String
    }

    /// The full name, as `io.torpor.Supervisor`.
    public let name: String
    /// The comment above it; empty without one.
    public let documentation: String
    /// The text that this was read from, unchanged.
    public let description: String
    /// All types, methods and errors, as they follow each other in the text.
    public let entries: [Entry]
    private let members: [String: Member]

    /// The interface that `description` defines.
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

    /// Why a description is none, and where.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line, from 1.
        public let line: Int
        /// What is wrong there.
        public let message: String

        /// A fault in `line`.
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
