package import Varlink

/// What `--json` asks for.
package enum JSONStyle: String, CaseIterable, Hashable, Sendable {
    /// On many lines, for people.
    case pretty
    /// On one line, for programs.
    case short
    /// No JSON.
    case off
}

extension JSON {
    /// The value as one document that ends with a line feed.
    ///
    /// Both styles interval out every control character, those beyond ASCII too, since a terminal may be the reader.
    package func document(_ style: JSONStyle) -> String {
        var text = ""
        write(into: &text, indentation: style == .pretty ? 0 : nil)
        return text + "\n"
    }

    /// The value on one line, without a line feed, spelled out alike.
    package var line: String {
        var text = ""
        write(into: &text, indentation: nil)
        return text
    }

    private func write(into text: inout String, indentation: Int?) {
        switch self {
        case .null, .bool, .int, .double, .written: text += self.text
        case .string(let string): Self.write(string: string, into: &text)
        case .array(let elements):
            Self.write(elements, between: ("[", "]"), into: &text, indentation) { element, text, inner in
                element.write(into: &text, indentation: inner)
            }
        case .object(let object):
            Self.write(object.members, between: ("{", "}"), into: &text, indentation) { member, text, inner in
                Self.write(string: member.key, into: &text)
                text += inner == nil ? ":" : " : "
                member.value.write(into: &text, indentation: inner)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between brackets: (String, String), into text: inout String,
        _ indentation: Int?,
        _ write: (Element, inout String, Int?) -> Void
    ) {
        text += brackets.0
        let inner = indentation.map { $0 + 1 }
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: "\t", count: inner) }
            write(element, &text, inner)
        }
        if let indentation, !elements.isEmpty { text += "\n" + String(repeating: "\t", count: indentation) }
        text += brackets.1
    }

    private static func write(string: String, into text: inout String) {
        text += "\""
        let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }
        if isPlain {
            text += string
        } else {
            for scalar in string.unicodeScalars { write(scalar, into: &text) }
        }
        text += "\""
    }

    private static func write(_ scalar: Unicode.Scalar, into text: inout String) {
        switch scalar {
        case "\"", "\\": text += "\\" + String(scalar)
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        case _ where scalar.steersTerminal:
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        default: text.unicodeScalars.append(scalar)
        }
    }
}
