/// A command line by the rules of systemd.service(5), "Command lines": cut into words, specifiers replaced, variables
/// marked for the launch.
package struct Command: Hashable, Sendable, DirectiveValue {
    /// One word as it is written; at launch it becomes one argument, or several.
    package enum Word: Hashable, Sendable {
        /// Pieces that become one argument together.
        case argument([Piece])
        /// `$NAME` as a word of its own: as many arguments as the variable has words, none when it is not set.
        case split(variable: String)
    }

    /// A piece of an argument.
    package enum Piece: Hashable, Sendable {
        /// As it stands.
        case text(String)
        /// `${NAME}`: the variable's value, nothing when it is not set.
        case variable(String)
        /// A marker of the specifier context, such as the `u` of `%u`.
        case marker(UInt8)
    }

    /// The program: an absolute path, or a name to be looked up in the usual directories.
    package let program: String
    /// `argv[0]`, where `@` sets it apart from the program.
    package let argumentZero: Word?
    /// The words behind the program.
    package let arguments: [Word]
    /// Whether `-` says that a failure counts as a success.
    package let ignoresFailure: Bool

    /// The command that runs `program` with `arguments` as they stand, nothing replaced.
    package init(program: String, arguments: [String]) {
        self.program = program
        argumentZero = nil
        self.arguments = arguments.map { .argument([.text($0)]) }
        ignoresFailure = false
    }

    /// Reads one command line: the prefixes `-`, `@` and `:`, the program, its arguments.
    package init(parsing text: String, in context: SpecifierContext) throws(ValueError) {
        var words = Words(text)
        guard let first = try words.next() else { throw ValueError(text, isNot: Self.expectation) }
        let prefixes = try Prefixes(first, of: text)
        program = try Self.program(prefixes.rest, context)
        ignoresFailure = prefixes.ignoresFailure
        var arguments: [Word] = []
        while !words.isAtEnd {
            if words.take(bare: ";") {
                throw ValueError(
                    "a second command after “;”", expected: "one command (\\; for a literal “;”)")
            }
            if words.take(bare: "\\;") {
                arguments.append(.argument([.text(";")]))
            } else if let word = try words.next() {
                arguments.append(try Self.word(word, context, substitutes: prefixes.substitutes))
            }
        }
        if prefixes.namesItself {
            guard !arguments.isEmpty else {
                throw ValueError(text, isNot: "argv[0] after a program with “@”")
            }
            argumentZero = arguments.removeFirst()
        } else {
            argumentZero = nil
        }
        self.arguments = arguments
    }

    /// What a command line looks like.
    package static var expectation: String { "a command line: a program and its arguments" }

    /// Whether `marker` stands anywhere in the arguments.
    package func contains(marker: UInt8) -> Bool {
        arguments.contains { word in
            guard case .argument(let pieces) = word else { return false }
            return pieces.contains(.marker(marker))
        }
    }

    /// The arguments for execve(2), `argv[0]` first.
    ///
    /// `variable` tells the value of a variable, `marker` what a marker stands for; nil stands for nothing.
    package func argumentVector(
        variable: (String) -> String? = { _ in nil }, marker: (UInt8) -> String? = { _ in nil }
    ) -> [String] {
        let zero = argumentZero.map { expand($0, variable, marker) } ?? []
        return (zero.isEmpty ? [program] : zero) + arguments.flatMap { expand($0, variable, marker) }
    }

    private func expand(
        _ word: Word, _ variable: (String) -> String?, _ marker: (UInt8) -> String?
    ) -> [String] {
        switch word {
        case .argument(let pieces):
            // A word of its own that stands for nothing is no argument, as in the desktop entries that `%u` comes from.
            if pieces.count == 1, case .marker(let letter) = pieces[0], marker(letter) == nil { return [] }
            return [
                pieces.map { piece in
                    switch piece {
                    case .text(let text): text
                    case .variable(let name): variable(name) ?? ""
                    case .marker(let letter): marker(letter) ?? ""
                    }
                }.joined()
            ]
        case .split(let name):
            var words = Words(variable(name) ?? "", escapes: false, relaxed: true)
            var result: [String] = []
            // Relaxed words without escapes do not fail.
            while let word = try? words.next() { result.append(word) }
            return result
        }
    }

    /// The signs before the program.
    private struct Prefixes {
        var ignoresFailure = false
        var namesItself = false
        var substitutes = true
        var rest: String

        init(_ word: String, of text: String) throws(ValueError) {
            var cursor = ByteCursor(word)
            prefixes: while let byte = cursor.peek() {
                switch byte {
                case .dash where !ignoresFailure: ignoresFailure = true
                case UInt8(ascii: "@") where !namesItself: namesItself = true
                case UInt8(ascii: ":") where substitutes: substitutes = false
                case UInt8(ascii: "+"), UInt8(ascii: "!"):
                    throw ValueError(
                        "the prefix “\(Character(Unicode.Scalar(byte)))” of \(text.quoted) is not supported",
                        expected: "“-”, “@” or “:” (a worker runs with the privileges of its User=)")
                default: break prefixes
                }
                _ = cursor.next()
            }
            rest = String(cut: cursor.rest)
        }
    }

    private static func program(_ text: String, _ context: SpecifierContext) throws(ValueError) -> String {
        let path = try context.expand(text)
        let bytes = path.utf8
        guard !bytes.isEmpty, bytes.count < 4096, bytes.last != UInt8(ascii: "/"),
            !bytes.contains(where: \.isControl)
        else { throw ValueError(path, isNot: "a program's absolute path or its name") }
        if bytes.first == UInt8(ascii: "/") {
            return "/"
                + bytes.split(separator: UInt8(ascii: "/")).map { String(cut: $0) }
                .filter { !$0.isExactly(".") }.joined(separator: "/")
        }
        guard !bytes.contains(UInt8(ascii: "/")), !path.isExactly("."), !path.isExactly(".."),
            bytes.count < 256
        else {
            throw ValueError(path, isNot: "a program's absolute path or its name")
        }
        return path
    }

    private static func word(
        _ text: String, _ context: SpecifierContext, substitutes: Bool
    ) throws(ValueError) -> Word {
        let pieces = try context.pieces(of: text)
        if substitutes, pieces.count == 1, case .text(let text) = pieces[0], text.utf8.first == .dollar {
            let name = text.utf8.dropFirst()
            if name.first != .dollar, name.first != UInt8(ascii: "{") {
                return .split(variable: String(cut: name))
            }
        }
        return .argument(
            pieces.flatMap { piece -> [Piece] in
                switch piece {
                case .marker(let letter): [.marker(letter)]
                case .text(let text): substitutes ? Self.variables(in: text) : [.text(text)]
                }
            })
    }

    /// Cuts `text` at every `${NAME}`, and makes `$$` a dollar.
    ///
    /// Any other dollar stays, and a name with a colon is none.
    private static func variables(in text: String) -> [Piece] {
        var cursor = ByteCursor(text)
        var pieces: [Piece] = []
        var pending: [UInt8] = []
        // Where the name that was begun last would have ended, had that been a brace: all that begin before it end there too.
        var noBrace = 0
        while let byte = cursor.next() {
            var ahead = cursor
            if byte == .dollar, cursor.take(.dollar) {
                pending.append(.dollar)
            } else if byte == .dollar, cursor.index >= noBrace, ahead.take("{") {
                let name = ahead.take { $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: ":") }
                guard ahead.take("}") else {
                    noBrace = ahead.index
                    pending.append(byte)
                    continue
                }
                if !pending.isEmpty { pieces.append(.text(String(cut: pending))) }
                pending = []
                pieces.append(.variable(String(cut: name)))
                cursor = ahead
            } else {
                pending.append(byte)
            }
        }
        if !pending.isEmpty || pieces.isEmpty { pieces.append(.text(String(cut: pending))) }
        return pieces
    }
}
