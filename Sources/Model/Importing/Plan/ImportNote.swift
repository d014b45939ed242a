internal import ConfigurationSyntax

/// A setting as it stands in a foreign file.
package struct ForeignLine: Hashable, Sendable {
    /// The file's path.
    package let file: String
    /// The line, from 1; 0 where the whole file is meant.
    package let line: Int
    /// The setting as it is written, on one line and at most 200 characters long; empty where the whole file is meant.
    package let text: String

    /// The setting `text` in `line` of `file`.
    package init(file: String, line: Int = 0, text: String = "") {
        self.file = file
        self.line = line
        self.text = text.onOneLine
    }

    /// Where it stands: `FILE:LINE`.
    package var place: String { line > 0 ? "\(file):\(line)".onOneLine : file.onOneLine }
}

/// What was not taken over, and why.
package struct ImportNote: Hashable, Sendable, CustomStringConvertible {
    /// The setting.
    package let subject: ForeignLine
    /// Why it was not taken over, as a clause.
    package let reason: String

    /// `subject` was not taken over because of `reason`.
    package init(_ subject: ForeignLine, _ reason: String) {
        self.subject = subject
        self.reason = reason.onOneLine
    }

    /// `FILE:LINE: SETTING: reason`, always one line.
    package var description: String {
        "\(subject.place): " + (subject.text.isEmpty ? reason : "\(subject.text): \(reason)")
    }
}

extension String {
    /// The text on one line, at most 200 characters long.
    var onOneLine: String {
        var result = String.UnicodeScalarView()
        var length = 0
        for scalar in unicodeScalars {
            guard length < 200 else {
                result.append("…")
                break
            }
            length += 1
            let category = scalar.properties.generalCategory
            let breaks = category == .control || category == .lineSeparator || category == .paragraphSeparator
            result.append(breaks || category == .format ? " " : scalar)
        }
        return String(result).trimmed
    }
}
