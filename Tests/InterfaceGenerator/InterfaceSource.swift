package import Varlink

/// The Swift source of an interface: a namespace with its types, methods and errors.
///
/// The comments of the description become those of the source, and the order of the members is the description's: so they are
/// encoded in this order.
package struct InterfaceSource {
    /// A part of a description that has no Swift type.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// `SupervisorInterface` for `io.torpor.Supervisor`.
    package let name: String
    private let definition: InterfaceDefinition
    private let earlier: [InterfaceSource]

    /// The source of `definition`; enumerations that one of `earlier` has too are taken from there.
    package init(_ definition: InterfaceDefinition, after earlier: [InterfaceSource] = []) {
        name = (definition.name.split(separator: ".").last.map(String.init) ?? "") + "Interface"
        self.definition = definition
        self.earlier = earlier
    }

    /// The text of the file.
    package func text() throws(Fault) -> String {
        var swift = SwiftText()
        swift.line(
            "// Generated from \(definition.name).varlink by `make generate`: change that file instead of this one."
        )
        swift.line()
        swift.line("public import Varlink")
        swift.line()
        writeNamespace(&swift)
        for kind in [writeTypes, writeMethods, writeErrors] {
            swift.line()
            try swift.block("extension \(name)") { (swift) throws(Fault) in try kind(&swift) }
        }
        return swift.text
    }

    // MARK: the namespace

    private func writeNamespace(_ swift: inout SwiftText) {
        swift.documentation("The interface `\(definition.name)`. \(definition.documentation)")
        swift.block("public enum \(name)") { swift in
            swift.documentation("A method: its name, and the types of its parameters and of its reply.")
            swift.block("public protocol Method: Sendable") { swift in
                swift.documentation("The parameters of a call.")
                swift.line("associatedtype Parameters: Codable & JSONConvertible & Hashable & Sendable")
                swift.documentation("The parameters of a reply.")
                swift.line("associatedtype Reply: Codable & JSONConvertible & Hashable & Sendable")
                swift.documentation("The name without that of the interface.")
                swift.line("static var member: String { get }")
            }
            swift.line()
            swift.documentation("All methods, in the order of the description.")
            swift.list(
                "public static let methods: [any Method.Type] = [", definition.methods.map { $0 + ".self" },
                "]",
                endsWithComma: true)
            for property in MethodProperty.allCases {
                let methods = methods(with: property)
                guard !methods.isEmpty else { continue }
                swift.line()
                swift.documentation(property.documentation)
                swift.list(
                    "public static let \(property.rawValue): Swift.Set<String> = [",
                    methods.map { $0 + ".name" },
                    "]",
                    endsWithComma: true)
            }
        }
        swift.line()
        swift.block("extension \(name).Method") { swift in
            swift.documentation("The full name, as `\(definition.name).\(definition.methods.first ?? "")`.")
            swift.line(#"public static var name: String { "\#(definition.name)." + member }"#)
        }
    }

    /// The methods whose comment has the sentence of `property`, in the order of the description.
    private func methods(with property: MethodProperty) -> [String] {
        definition.entries.compactMap { entry in
            guard case .method = entry.member else { return nil }
            return entry.documentation.hasSentence(property.sentence) ? entry.name : nil
        }
    }

    // MARK: types

    private func writeTypes(_ swift: inout SwiftText) throws(Fault) {
        var isFirst = true
        for entry in definition.entries {
            guard case .type(let type) = entry.member else { continue }
            if !isFirst { swift.line() }
            isFirst = false
            swift.documentation(entry.documentation)
            switch type {
            case .enumeration(let values):
                if let owner = earlier.first(where: { $0.hasEnumeration(entry.name, values) }) {
                    swift.line("public typealias \(entry.name) = \(owner.name).\(entry.name)")
                } else {
                    writeEnumeration(entry.name, values, &swift)
                }
            case .structure(let fields): try writeStructure(entry.name, fields, &swift)
            default: throw Fault(description: "\(entry.name) is neither a structure nor an enumeration")
            }
        }
        guard hasEmptyParameters else { return }
        if !isFirst { swift.line() }
        swift.documentation("No parameters.")
        try writeStructure("Nothing", [], &swift)
    }

    private func hasEnumeration(_ name: String, _ values: [InterfaceValue]) -> Bool {
        guard case .enumeration(let own) = definition.type(name) else { return false }
        return own.map(\.name) == values.map(\.name)
    }

    private func writeEnumeration(_ name: String, _ values: [InterfaceValue], _ swift: inout SwiftText) {
        swift.block("public enum \(name): String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable")
        { swift in
            for value in values {
                swift.documentation(value.documentation)
                swift.line("case \(value.name.asIdentifier)")
            }
        }
    }

    private func writeStructure(_ name: String, _ fields: [InterfaceField], _ swift: inout SwiftText)
        throws(Fault)
    {
        try swift.block("public struct \(name): Codable, JSONConvertible, Hashable, Sendable") {
            (swift) throws(Fault) in
            for field in fields {
                swift.documentation(field.documentation)
                swift.line("public var \(field.name.asIdentifier): \(try self.type(of: field))")
            }
            guard !fields.isEmpty else {
                swift.documentation("The only value.")
                swift.line("public init() {}")
                return writeConversions([], &swift)
            }
            swift.line()
            swift.documentation(
                "A value of these members; one that may be missing is `nil` unless it is given.")
            swift.list("public init(", try parameters(fields), ") {")
            swift.body(fields.map { "self.\($0.name) = \($0.name.asIdentifier)" })
            self.writeConversions(fields, &swift)
        }
    }

    /// How a structure is made from JSON and into it.
    private func writeConversions(_ fields: [InterfaceField], _ swift: inout SwiftText) {
        swift.line()
        swift.documentation("The value that `json` says, an object.")
        swift.block("public init(json: JSON) throws(JSON.Mismatch)") { swift in
            guard !fields.isEmpty else { return }
            swift.line("var members = try JSONMembers(json)")
            for field in fields {
                let kind = if case .nullable = field.type { "optional" } else { "required" }
                swift.line("\(field.name.asOwnMember) = try members.\(kind)(\"\(field.name)\")")
            }
        }
        swift.line()
        swift.documentation("The value as JSON, an object with its members in their order.")
        swift.block("public var asJSON: JSON") { swift in
            guard !fields.isEmpty else { return swift.line("[:]") }
            swift.line("var members = JSONMembersMade(capacity: \(fields.count))")
            for field in fields {
                let label = if case .nullable = field.type { "ifThere: " } else { "" }
                swift.line("members.add(\"\(field.name)\", \(label)\(field.name.asOwnMember))")
            }
            swift.line("return members.json")
        }
    }

    /// The fields as parameters of a function.
    private func parameters(_ fields: [InterfaceField]) throws(Fault) -> [String] {
        var parameters: [String] = []
        for field in fields {
            let isOptional = if case .nullable = field.type { true } else { false }
            parameters.append(
                "\(field.name.asIdentifier): \(try type(of: field))\(isOptional ? " = nil" : "")")
        }
        return parameters
    }

    private func type(of field: InterfaceField) throws(Fault) -> String {
        try swiftType(field.type, of: field)
    }

    private func swiftType(_ type: InterfaceType, of field: InterfaceField) throws(Fault) -> String {
        switch type {
        case .bool: "Bool"
        case .int: "Int64"
        case .float: "Double"
        case .string: "String"
        case .object, .any: "JSON"
        case .array(let element): "[\(try swiftType(element, of: field))]"
        case .dictionary(let value): "[String: \(try swiftType(value, of: field))]"
        case .nullable(let type): try swiftType(type, of: field) + "?"
        case .named(let name): name
        case .structure, .enumeration:
            throw Fault(description: "the type of the field \(field.name) has no name: define it as a type")
        }
    }

    // MARK: methods

    /// The methods by what goes in, and by what comes out: what is described in the same words is one type, that of the first
    /// of them.
    private struct Shared {
        var input: [[InterfaceField]: String] = [:]
        var output: [[InterfaceField]: String] = [:]
    }

    private var hasEmptyParameters: Bool {
        definition.methods.contains { name in
            definition.method(name).map { $0.input.isEmpty || $0.output.isEmpty } ?? false
        }
    }

    private func writeMethods(_ swift: inout SwiftText) throws(Fault) {
        var shared = Shared()
        var isFirst = true
        for entry in definition.entries {
            guard case .method(let method) = entry.member else { continue }
            if !isFirst { swift.line() }
            isFirst = false
            swift.documentation(entry.documentation)
            try swift.block("public enum \(entry.name): Method") { (swift) throws(Fault) in
                swift.documentation("The name, in full `\(definition.name).\(entry.name)`.")
                swift.line(#"public static let member = "\#(entry.name)""#)
                swift.line()
                swift.documentation("The parameters of a call.")
                try write("Parameters", method.input, of: entry.name, in: &shared.input, &swift)
                swift.line()
                swift.documentation("The parameters of a reply.")
                try write("Reply", method.output, of: entry.name, in: &shared.output, &swift)
            }
        }
    }

    private func write(
        _ role: String, _ fields: [InterfaceField], of method: String,
        in shared: inout [[InterfaceField]: String],
        _ swift: inout SwiftText
    ) throws(Fault) {
        guard !fields.isEmpty else { return swift.line("public typealias \(role) = Nothing") }
        let words = fields.map { field in
            let comment = field.documentation.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return InterfaceField(name: field.name, type: field.type, documentation: comment)
        }
        if let first = shared[words] { return swift.line("public typealias \(role) = \(first).\(role)") }
        shared[words] = method
        try writeStructure(role, fields, &swift)
    }

    // MARK: errors

    private func writeErrors(_ swift: inout SwiftText) throws(Fault) {
        swift.documentation("The full names of the errors.")
        swift.block("public enum ErrorName: String, CaseIterable, Hashable, Sendable") { swift in
            for entry in definition.entries {
                guard case .error = entry.member else { continue }
                swift.documentation(entry.documentation)
                swift.line(#"case \#(entry.name.asMember) = "\#(definition.name).\#(entry.name)""#)
            }
        }
        for entry in definition.entries {
            guard case .error(let fields) = entry.member else { continue }
            swift.line()
            swift.documentation(entry.documentation)
            try writeError(entry.name.asMember, fields, &swift)
        }
    }

    private func writeError(_ name: String, _ fields: [InterfaceField], _ swift: inout SwiftText)
        throws(Fault)
    {
        let errorName = "ErrorName.\(name).rawValue"
        guard !fields.isEmpty else {
            return swift.line("public static let \(name) = MethodError(\(errorName))")
        }
        swift.list("public static func \(name)(", try parameters(fields), ") -> MethodError {")
        var members: [String] = []
        var assignments: [String] = []
        for field in fields {
            let name = field.name.asIdentifier
            if case .nullable(let type) = field.type {
                let value = try json("$0", type, of: field)
                assignments.append(#"parameters["\#(field.name)"] = \#(name).map { \#(value) }"#)
            } else {
                let value = try json(name, field.type, of: field)
                members.append(#""\#(field.name)": \#(value)"#)
                assignments.append(#"parameters["\#(field.name)"] = \#(value)"#)
            }
        }
        let short = "    MethodError(\(errorName), [\(members.joined(separator: ", "))])"
        if members.count == fields.count, swift.fits(short) {
            swift.body([String(short.dropFirst(4))])
        } else {
            swift.body(
                ["var parameters: JSON.Object = [:]"] + assignments
                    + ["return MethodError(\(errorName), parameters)"])
        }
    }

    /// `value` as JSON.
    private func json(_ value: String, _ type: InterfaceType, of field: InterfaceField) throws(Fault)
        -> String
    {
        switch type {
        case .bool: return ".bool(\(value))"
        case .int: return ".int(\(value))"
        case .float: return ".double(\(value))"
        case .string: return ".string(\(value))"
        case .object, .any: return value
        case .array(let element): return ".array(\(value).map { \(try json("$0", element, of: field)) })"
        case .named(let name):
            if case .enumeration = definition.type(name) { return ".string(\(value).rawValue)" }
        case .dictionary, .nullable, .structure, .enumeration: break
        }
        throw Fault(description: "the field \(field.name) of an error is of a type that errors cannot have")
    }
}

extension String {
    /// The words of Swift that a name may only be between backticks.
    private static let reserved: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit",
        "do",
        "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import",
        "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol",
        "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch",
        "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// The name as that of a member of the value itself, which a local variable may hide.
    fileprivate var asOwnMember: String {
        self == "members" || self == "json" ? "self.\(self)" : asIdentifier
    }

    /// The name as an identifier.
    fileprivate var asIdentifier: String { Self.reserved.contains(self) ? "`\(self)`" : self }

    /// The name of a type or an error as that of a member, with a small letter at the beginning.
    fileprivate var asMember: String { (prefix(1).lowercased() + dropFirst()).asIdentifier }
}
