/// A value that its directive does not take.
package struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as a clause (`“5x” is no time span`).
    package let problem: String
    /// What the directive takes, as a clause; empty where `problem` says it all.
    package let expected: String

    /// An error that says what is wrong and what would be right.
    package init(_ problem: String, expected: String = "") {
        self.problem = problem
        self.expected = expected
    }

    /// The usual error: `text` is not what was expected.
    package init(_ text: String, isNot expected: String) {
        self.init("got \(text.quoted)", expected: expected)
    }

    /// As it is said of an option of a command line with the value `text`: `invalid --wake-on “x”; expected …`.
    package func said(of option: String, _ text: String) -> String {
        let start = "invalid \(option) \(text.quoted)"
        return problem == "got \(text.quoted)" && !expected.isEmpty
            ? "\(start); expected \(expected)" : "\(start): \(self)"
    }

    /// Both clauses as one.
    package var description: String {
        expected.isEmpty ? problem : problem + "; expected " + expected
    }
}
