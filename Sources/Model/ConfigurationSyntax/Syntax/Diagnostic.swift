/// What is wrong with a line of a configuration file, and what was expected there.
package struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
    /// How much a diagnostic matters.
    package enum Severity: String, Hashable, Sendable {
        /// The line is right, and nothing comes of it here; `verify` says it, and counts it as no error.
        case advice
        /// The line is ignored, or understood with some good will; the file still counts (an error in `verify`).
        case warning
        /// The file does not count: its worker stays as it was.
        case error
    }

    /// How much it matters.
    package let severity: Severity
    /// The file's path.
    package let file: String
    /// The line, from 1; 0 where the whole file is meant.
    package let line: Int
    /// The directive's key; empty where no directive is meant.
    package let key: String
    /// What is wrong, as a clause.
    package let problem: String
    /// What would have been right, as a clause; empty where `problem` says it all.
    package let expected: String

    /// A diagnostic for `line` of `file`.
    package init(
        _ severity: Severity, file: String, line: Int = 0, key: String = "", problem: String,
        expected: String = ""
    ) {
        self.severity = severity
        self.file = file
        self.line = line
        self.key = key
        self.problem = problem
        self.expected = expected
    }

    /// `FILE:LINE: KEY=: problem; expected …`, always one line.
    package var description: String {
        var text = file
        if line > 0 { text += ":\(line)" }
        text += ": "
        if !key.isEmpty { text += key + "=: " }
        text += problem
        if !expected.isEmpty { text += "; expected " + expected }
        return text.withoutControls
    }
}

extension [Diagnostic] {
    /// Whether one of them is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }
}

extension String {
    /// The text with control characters replaced, so that a name from outside cannot break a line of a log.
    fileprivate var withoutControls: String {
        guard utf8.contains(where: \.isControl) else { return self }
        return String(cut: utf8.map { $0.isControl ? UInt8(ascii: "?") : $0 })
    }
}
