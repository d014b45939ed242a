/// Lines of `Label: text`, the labels to the right, as systemctl status has them.
package struct Fields {
    private var fields: [(label: String, lines: [String])] = []

    /// Adds a field whose text was made here or is printable already; without lines it is left out.
    package mutating func add(_ label: String, _ lines: String?...) {
        add(label, lines.compactMap { $0 })
    }

    package mutating func add(_ label: String, _ lines: [String]) {
        if !lines.isEmpty { fields.append((label, lines)) }
    }

    package func rendered(_ style: Style) -> String {
        let width = fields.reduce(11) { max($0, $1.label.columns) }
        var text = ""
        for (label, lines) in fields {
            for (index, line) in lines.enumerated() {
                if index == 0 {
                    text += String(repeating: " ", count: width - label.columns) + label + ": "
                } else {
                    text += String(repeating: " ", count: width + 2)
                }
                text += line + "\n"
            }
        }
        return text
    }
}
