package import ConfigurationSyntax
package import Lifecycle

/// One line of the table of directives: a key, what it takes, what it is for, and where its value goes.
///
/// Everything that knows directives is made of the table: reading, `verify`, completion and the manual.
package struct Directive<Root: DirectiveTable>: Sendable {
    /// The section it belongs to.
    package let section: String
    /// Its key.
    package let key: String
    /// What it is for, as one line.
    package let summary: String
    /// What it takes, as a clause.
    package let expectation: String
    /// Whether every assignment adds to those before it; an empty one always takes them back.
    package let isList: Bool
    /// Whether ` #` in a value can only be a comment in the wrong place.
    let isClosed: Bool
    let assign: @Sendable (inout Root, String, SpecifierContext) throws(ValueError) -> Void
    let reset: @Sendable (inout Root) -> Void
    let isSame: @Sendable (Root, Root) -> Bool
}

/// A definition that is read by a table of directives.
package protocol DirectiveTable: Hashable, Sendable {
    /// Nothing but defaults.
    init()
    /// All directives, in the order of the manual.
    static var directives: [Directive<Self>] { get }
    /// The same by section and key.
    static var index: [String: Directive<Self>] { get }
    /// Takes an assignment that no directive is found for; false when it is unknown here too.
    mutating func assignOpen(_ assignment: Assignment, in context: SpecifierContext) throws(ValueError)
        -> Bool
    /// The keys, as `Section.Key`, that `assignOpen` took and whose values differ.
    func changedOpenKeys(from old: Self) -> [String]
    /// What is wrong with the whole although every value is right.
    var contradictions: [Contradiction] { get }
}

/// Directives that do not go together.
package struct Contradiction: Hashable, Sendable {
    /// Whether the definition can be used nevertheless.
    package let severity: Diagnostic.Severity
    /// The key that is to be changed or added.
    package let key: String
    /// What is wrong, and what was expected.
    package let error: ValueError

    /// A contradiction that is mended at `key`.
    package init(_ severity: Diagnostic.Severity = .error, key: String, problem: String, expected: String) {
        self.severity = severity
        self.key = key
        error = ValueError(problem, expected: expected)
    }
}

extension DirectiveTable {
    /// Takes nothing, unless a table has more than its directives.
    package mutating func assignOpen(
        _ assignment: Assignment, in context: SpecifierContext
    ) throws(ValueError) -> Bool { false }

    /// None, likewise.
    package func changedOpenKeys(from old: Self) -> [String] { [] }

    /// None, unless values can contradict each other.
    package var contradictions: [Contradiction] { [] }

    /// The names of the sections.
    package static var sections: [String] {
        directives.reduce(into: []) { names, directive in
            if !names.contains(directive.section) { names.append(directive.section) }
        }
    }

    /// The keys, as `Section.Key`, of all directives whose values differ.
    package func changedKeys(from old: Self) -> [String] {
        Self.directives.filter { !$0.isSame(old, self) }.map { "\($0.section).\($0.key)" }
            + changedOpenKeys(from: old)
    }

    package static func indexed(_ directives: [Directive<Self>]) -> [String: Directive<Self>] {
        Dictionary(
            directives.map { ("\($0.section).\($0.key)", $0) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Makes the lines of one section.
package struct DirectiveSection<Root: DirectiveTable> {
    let name: String

    package init(name: String) {
        self.name = name
    }

    /// A directive whose value replaces the one before.
    package func one<Value: DirectiveValue>(
        _ key: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ summary: String
    ) -> Directive<Root> {
        custom(key, path, expectation: Value.expectation, isClosed: Value.isClosed, summary) {
            value, text, context throws(ValueError) in
            value = try Value(parsing: text, in: context)
        }
    }

    /// A directive whose value replaces the one before, and that has none at first.
    package func one<Value: DirectiveValue>(
        _ key: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ summary: String
    ) -> Directive<Root> {
        custom(key, path, expectation: Value.expectation, isClosed: Value.isClosed, summary) {
            value, text, context throws(ValueError) in
            value = try Value(parsing: text, in: context)
        }
    }

    /// A directive that takes a deadline; none at first, and zero means infinity.
    package func timeout(
        _ key: String, _ path: any WritableKeyPath<Root, TimeLimit?> & Sendable, _ summary: String
    ) -> Directive<Root> {
        custom(key, path, expectation: TimeLimit.expectation, isClosed: true, summary) {
            value, text, _ throws(ValueError) in
            value = try TimeLimit(parsing: text).withZeroAsInfinity
        }
    }

    /// A directive that takes words, quoted or not, each of them a value of a list.
    package func many<Value: DirectiveValue>(
        _ key: String, _ path: any WritableKeyPath<Root, [Value]> & Sendable, _ summary: String
    ) -> Directive<Root> {
        list(key, path, expectation: "words, each \(Value.expectation)", summary) {
            text, context throws(ValueError) in
            var values: [Value] = []
            for word in try Words.split(text) { values.append(try Value(parsing: word, in: context)) }
            return values
        }
    }

    /// A directive that takes one value of a list per assignment, blanks and quotes being part of it.
    package func lines<Value: DirectiveValue>(
        _ key: String, _ path: any WritableKeyPath<Root, [Value]> & Sendable, _ summary: String
    ) -> Directive<Root> {
        list(key, path, expectation: Value.expectation, summary) { text, context throws(ValueError) in
            [try Value(parsing: text, in: context)]
        }
    }

    /// A directive of which each assignment adds some values to a list, in place: there may be as many as a file has lines.
    private func list<Value: DirectiveValue>(
        _ key: String, _ path: any WritableKeyPath<Root, [Value]> & Sendable, expectation: String,
        _ summary: String, parse: @escaping @Sendable (String, SpecifierContext) throws(ValueError) -> [Value]
    ) -> Directive<Root> {
        Directive(
            section: name, key: key, summary: summary, expectation: expectation, isList: true,
            isClosed: Value.isClosed,
            assign: { root, text, context throws(ValueError) in
                root[keyPath: path] += try parse(text, context)
            },
            reset: { $0[keyPath: path] = [] }, isSame: { $0[keyPath: path] == $1[keyPath: path] })
    }

    /// A directive that takes words, each a member of a set.
    package func set<Value: Keyword & Hashable>(
        _ key: String, _ path: any WritableKeyPath<Root, Set<Value>> & Sendable, _ summary: String
    ) -> Directive<Root> {
        custom(
            key, path, expectation: "words out of " + Value.expectation, isList: true, isClosed: true, summary
        ) {
            values, text, _ throws(ValueError) in
            for word in try Words.split(text) { values.insert(try Value(parsing: word)) }
        }
    }

    /// A directive that takes an integer of `range`.
    package func number(
        _ key: String, _ path: any WritableKeyPath<Root, Int> & Sendable, _ range: ClosedRange<Int>,
        _ summary: String
    ) -> Directive<Root> {
        integer(key, path, range, summary) { $0 }
    }

    /// A directive that takes an integer of `range`, and that has none at first.
    package func number(
        _ key: String, _ path: any WritableKeyPath<Root, Int?> & Sendable, _ range: ClosedRange<Int>,
        _ summary: String
    ) -> Directive<Root> {
        integer(key, path, range, summary) { $0 }
    }

    /// A directive that takes a size from `range`, so that it fits what is done with it.
    package func size(
        _ key: String, _ path: any WritableKeyPath<Root, ByteSize> & Sendable, _ range: ClosedRange<ByteSize>,
        _ summary: String
    ) -> Directive<Root> {
        let expectation = "a size from \(range.lowerBound.spelling) to \(range.upperBound.spelling)"
        return custom(key, path, expectation: expectation, isClosed: true, summary) {
            value, text, _ throws(ValueError) in
            let size = try ByteSize(parsing: text)
            guard range.contains(size) else { throw ValueError(text, isNot: expectation) }
            value = size
        }
    }

    /// A directive that takes a time span from `range`.
    package func span(
        _ key: String, _ path: any WritableKeyPath<Root, TimeSpan> & Sendable, _ range: ClosedRange<TimeSpan>,
        _ summary: String
    ) -> Directive<Root> {
        let expectation = "a time span from \(range.lowerBound.written()) to \(range.upperBound.written())"
        return custom(key, path, expectation: expectation, isClosed: true, summary) {
            value, text, _ throws(ValueError) in
            let span = try TimeSpan(parsing: text)
            guard range.contains(span) else { throw ValueError(text, isNot: expectation) }
            value = span
        }
    }

    /// A directive with a parser of its own.
    package func custom<Value: Equatable & Sendable>(
        _ key: String, _ path: any WritableKeyPath<Root, Value> & Sendable, expectation: String,
        isList: Bool = false,
        isClosed: Bool = false, _ summary: String,
        parse: @escaping @Sendable (inout Value, String, SpecifierContext) throws(ValueError) -> Void
    ) -> Directive<Root> {
        Directive(
            section: name, key: key, summary: summary, expectation: expectation, isList: isList,
            isClosed: isClosed,
            assign: { root, text, context throws(ValueError) in
                // On a copy: a value that is bad in its middle must leave nothing behind.
                var value = root[keyPath: path]
                try parse(&value, text, context)
                root[keyPath: path] = value
            },
            reset: { $0[keyPath: path] = Root()[keyPath: path] },
            isSame: { $0[keyPath: path] == $1[keyPath: path] })
    }

    private func integer<Value: Equatable & Sendable>(
        _ key: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ range: ClosedRange<Int>,
        _ summary: String, as make: @escaping @Sendable (Int) -> Value
    ) -> Directive<Root> {
        let expectation = "an integer from \(range.lowerBound) to \(range.upperBound)"
        return custom(key, path, expectation: expectation, isClosed: true, summary) {
            value, text, _ throws(ValueError) in
            guard let number = Int(systemd: text), range.contains(number) else {
                throw ValueError(text, isNot: expectation)
            }
            value = make(number)
        }
    }
}
