/// Reads the Varlink interface definition language (varlink.org, "Interface Definition").
struct InterfaceParser {
    typealias Fault = InterfaceDefinition.Fault

    struct Parsed {
        let name: String
        let documentation: String
        let entries: [InterfaceDefinition.Entry]
    }

    private static let maximumDepth = 32
    private let text: String
    /// The names of types that are used, and where first.
    private var uses: [(name: String, line: Int)] = []

    init(_ text: String) {
        self.text = text
    }

    mutating func interface() throws(Fault) -> Parsed {
        var scanner = try InterfaceScanner(text)
        let documentation = scanner.comments.joined(separator: "\n")
        try expect(.word("interface"), &scanner)
        let name = try word(&scanner, "the name of an interface", InterfaceName.isInterface)
        var entries: [InterfaceDefinition.Entry] = []
        var names: Set<String> = []
        var types: Set<String> = []
        while scanner.token != .end {
            let line = scanner.line
            let entry = try entry(&scanner)
            guard names.insert(entry.name).inserted else {
                throw Fault(line: line, message: "\(entry.name) is defined twice")
            }
            if case .type = entry.member { types.insert(entry.name) }
            entries.append(entry)
        }
        for use in uses where !types.contains(use.name) {
            throw Fault(line: use.line, message: "\(use.name) is not a type of this interface")
        }
        return Parsed(name: name, documentation: documentation, entries: entries)
    }

    private mutating func entry(_ scanner: inout InterfaceScanner) throws(Fault) -> InterfaceDefinition.Entry
    {
        let documentation = scanner.comments.joined(separator: "\n")
        guard case .word(let keyword) = scanner.token, ["type", "method", "error"].contains(keyword) else {
            throw scanner.fault("expected type, method or error")
        }
        try scanner.advance()
        let name = try word(&scanner, "a name that begins with a capital", InterfaceName.isMember)
        let member: InterfaceDefinition.Member
        switch keyword {
        case "type": member = .type(try compound(&scanner, depth: 0))
        case "method":
            let input = try fields(&scanner)
            try expect(.sign("->"), &scanner)
            member = .method(.init(input: input, output: try fields(&scanner)))
        default: member = .error(try fields(&scanner))
        }
        return InterfaceDefinition.Entry(name: name, member: member, documentation: documentation)
    }

    private mutating func type(
        _ scanner: inout InterfaceScanner, depth: Int, mayBeNull: Bool = true
    ) throws(Fault) -> InterfaceType {
        guard depth < InterfaceParser.maximumDepth else { throw scanner.fault("nested too deeply") }
        switch scanner.token {
        case .sign("?"):
            guard mayBeNull else { throw scanner.fault("duplicate ?") }
            try scanner.advance()
            return .nullable(try type(&scanner, depth: depth + 1, mayBeNull: false))
        case .sign("["):
            try scanner.advance()
            let isDictionary = scanner.token == .word("string")
            if isDictionary { try scanner.advance() }
            try expect(.sign("]"), &scanner)
            let element = try type(&scanner, depth: depth + 1)
            return isDictionary ? .dictionary(element) : .array(element)
        case .sign("("): return try compound(&scanner, depth: depth)
        case .word(let name):
            let line = scanner.line
            try scanner.advance()
            return try simple(name, line: line)
        case .sign, .end: throw scanner.fault("expected a type")
        }
    }

    private mutating func simple(_ name: String, line: Int) throws(Fault) -> InterfaceType {
        switch name {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        case "any": return .any
        default:
            guard InterfaceName.isMember(name) else {
                throw Fault(line: line, message: "\(name) is not a type")
            }
            uses.append((name, line))
            return .named(name)
        }
    }

    /// A structure or an enumeration: the first name decides, by the colon behind it.
    private mutating func compound(
        _ scanner: inout InterfaceScanner, depth: Int
    ) throws(Fault) -> InterfaceType {
        try expect(.sign("("), &scanner)
        var fields: [InterfaceField] = []
        var values: [InterfaceValue] = []
        while scanner.token != .sign(")") {
            let documentation = scanner.comments.joined(separator: "\n")
            let name = try word(&scanner, "a name that begins with a letter", InterfaceName.isField)
            guard !values.contains(where: { $0.name == name }), !fields.contains(where: { $0.name == name })
            else {
                throw scanner.fault("\(name) occurs twice")
            }
            if scanner.token == .sign(":"), values.isEmpty {
                try scanner.advance()
                let type = try type(&scanner, depth: depth + 1)
                fields.append(InterfaceField(name: name, type: type, documentation: documentation))
            } else if fields.isEmpty {
                values.append(InterfaceValue(name: name, documentation: documentation))
            } else {
                throw scanner.fault("expected a colon and a type after \(name)")
            }
            guard scanner.token == .sign(",") else { break }
            try scanner.advance()
            guard scanner.token != .sign(")") else { throw scanner.fault("expected a name after the comma") }
        }
        try expect(.sign(")"), &scanner)
        return values.isEmpty ? .structure(fields) : .enumeration(values)
    }

    private mutating func fields(_ scanner: inout InterfaceScanner) throws(Fault) -> [InterfaceField] {
        guard case .structure(let fields) = try compound(&scanner, depth: 0) else {
            throw scanner.fault("expected fields with types, not an enumeration")
        }
        return fields
    }

    private func word(
        _ scanner: inout InterfaceScanner, _ expected: String, _ isRight: (String) -> Bool
    ) throws(Fault) -> String {
        guard case .word(let word) = scanner.token, isRight(word) else {
            throw scanner.fault("expected \(expected)")
        }
        try scanner.advance()
        return word
    }

    private func expect(
        _ token: InterfaceScanner.Token, _ scanner: inout InterfaceScanner
    ) throws(Fault) {
        guard scanner.token == token else {
            switch token {
            case .word(let text), .sign(let text): throw scanner.fault("expected \(text)")
            case .end: throw scanner.fault("expected the end")
            }
        }
        try scanner.advance()
    }
}
