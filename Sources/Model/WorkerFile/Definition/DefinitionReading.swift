package import ConfigurationSyntax

/// A definition as it was read: the value, unless there were errors, and all that is to be said about its files.
package struct DefinitionReading<Root: DirectiveTable>: Sendable {
    /// The definition; nil when there were errors.
    package let definition: Root?
    /// What is wrong, in the order of the files.
    package let diagnostics: [Diagnostic]

    /// Reads `files` one after the other; later assignments go over earlier ones.
    ///
    /// `name` stands for the whole in messages that belong to no line.
    package init(_ files: [ConfigurationFile], named name: String, context: SpecifierContext) {
        self.init(
            files.flatMap(\.assignments), after: files.flatMap(\.diagnostics), named: name,
            files: files.map(\.path), context: context)
    }

    /// Reads assignments that came another way than by files; `found` is what is known to be wrong already, and `files` are the paths
    /// in the order in which they are told of.
    package init(
        _ assignments: [Assignment], after found: [Diagnostic] = [], named name: String, files: [String] = [],
        context: SpecifierContext
    ) {
        var root = Root()
        var diagnostics = found
        var last: [String: Assignment] = [:]
        for assignment in assignments {
            do throws(ValueError) {
                try root.take(assignment, in: context, reporting: &diagnostics)
                last[assignment.key] = assignment
            } catch {
                diagnostics.append(assignment.diagnostic(.error, error.problem, error.expected))
            }
        }
        // What contradicts itself is worth saying only where each line is right.
        if !diagnostics.hasErrors {
            diagnostics += root.contradictions.map { found in
                Diagnostic(
                    found.severity, file: last[found.key]?.file ?? name, line: last[found.key]?.line ?? 0,
                    key: found.key, problem: found.error.problem, expected: found.error.expected)
            }
        }
        definition = diagnostics.hasErrors ? nil : root
        self.diagnostics = diagnostics.inOrder(of: files)
    }

    /// A reading that came to nothing.
    init(failure: Diagnostic) {
        definition = nil
        diagnostics = [failure]
    }
}

extension DirectiveTable {
    /// Takes one assignment over what it says already.
    package mutating func take(
        _ assignment: Assignment, in context: SpecifierContext, reporting diagnostics: inout [Diagnostic]
    ) throws(ValueError) {
        guard assignment.key.utf8.allSatisfy({ $0 < 0x80 }),
            let directive = Self.index["\(assignment.section).\(assignment.key)"]
        else {
            if try assignOpen(assignment, in: context) { return }
            if !assignment.key.utf8.starts(with: "X-".utf8) { diagnostics.append(Self.unknown(assignment)) }
            return
        }
        guard !assignment.value.isEmpty else { return directive.reset(&self) }
        var value = assignment.value
        if directive.isClosed, let comment = value.trailingComment {
            diagnostics.append(
                assignment.diagnostic(
                    .warning, "treating \(comment.text.quoted) as a comment", "comments on lines of their own"
                )
            )
            value = comment.before
        }
        try directive.assign(&self, value, context)
    }

    private static func unknown(_ assignment: Assignment) -> Diagnostic {
        let problem = "ignoring an unknown key in [\(assignment.section)]"
        let elsewhere = directives.filter { $0.key.isExactly(assignment.key) }.map { "[\($0.section)]" }
        guard elsewhere.isEmpty else {
            return assignment.diagnostic(.warning, problem, "it in \(elsewhere.joined(separator: " or "))")
        }
        let neighbours = directives.filter { $0.section == assignment.section }.map(\.key)
        if let key = Spelling.nearest(to: assignment.key, of: neighbours) {
            return assignment.diagnostic(.warning, "\(problem); did you mean \(key)=?", "")
        }
        if let key = Spelling.nearest(to: assignment.key, of: directives.map(\.key)),
            let section = directives.first(where: { $0.key == key })?.section
        {
            return assignment.diagnostic(.warning, "\(problem); did you mean \(key)= in [\(section)]?", "")
        }
        return assignment.diagnostic(.warning, problem, "")
    }
}

extension [Diagnostic] {
    /// The same by the lines of `files`, one file after the other; what belongs to no line comes last.
    fileprivate func inOrder(of files: [String]) -> [Diagnostic] {
        guard count > 1 else { return self }
        let places = Dictionary(
            zip(files, files.indices), uniquingKeysWith: { first, _ in first })
        func key(_ entry: (offset: Int, element: Diagnostic)) -> (Int, Int, Int) {
            let isWhole = entry.element.line == 0
            return (
                isWhole ? .max : places[entry.element.file] ?? files.count, entry.element.line, entry.offset
            )
        }
        return enumerated().sorted { key($0) < key($1) }.map(\.element)
    }
}

extension Assignment {
    fileprivate func diagnostic(
        _ severity: Diagnostic.Severity, _ problem: String, _ expected: String
    ) -> Diagnostic {
        Diagnostic(severity, file: file, line: line, key: key, problem: problem, expected: expected)
    }
}

extension String {
    /// What follows a blank and `#`, and what stands before.
    fileprivate var trailingComment: (before: String, text: String)? {
        let bytes = Array(utf8)
        guard
            let hash = bytes.indices.dropFirst().first(where: { bytes[$0] == 0x23 && bytes[$0 - 1].isBlank })
        else {
            return nil
        }
        let before = String(cut: bytes[..<hash]).trimmed
        return before.isEmpty ? nil : (before, String(cut: bytes[hash...]))
    }
}
