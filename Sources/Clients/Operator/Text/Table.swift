/// Rows under a header, in columns as wide as they need to be.
package struct Table {
    /// What one column shows.
    package struct Column {
        let title: String
        let isNumber: Bool

        /// A column under `title`, its cells to the right where they are numbers.
        package init(title: String, isNumber: Bool = false) {
            (self.title, self.isNumber) = (title, isNumber)
        }
    }

    /// One cell.
    package struct Cell {
        let text: String
        var tint: Tint?

        /// A cell with `text`, which may come from anywhere.
        package init(_ text: String, _ tint: Tint? = nil) {
            self.text = text.printable
            self.tint = tint
        }

        package static let none = Cell("-")
    }

    package let columns: [Column]
    private var rows: [[Cell]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    package mutating func append(_ row: [Cell]) {
        rows.append(row)
    }

    /// The whole as lines; only the last column is cut where the terminal is too narrow, since names must stay whole.
    package func rendered(_ style: Style) -> String {
        let header = columns.map { Cell($0.title, .header) }
        var widths = columns.map { style.hasLegend ? $0.title.utf8.count : 0 }
        var cellWidths: [[Int]] = []
        cellWidths.reserveCapacity(rows.count)
        for row in rows {
            let own = row.map(\.text.columns)
            for (index, width) in own.enumerated() where width > widths[index] { widths[index] = width }
            cellWidths.append(own)
        }
        var text = ""
        text.reserveCapacity((rows.count + 1) * (widths.reduce(0, +) + 2 * widths.count))
        if style.hasLegend {
            append(header, header.map(\.text.utf8.count), to: &text, widths, style)
        }
        for (row, own) in zip(rows, cellWidths) { append(row, own, to: &text, widths, style) }
        return text
    }

    private func append(
        _ row: [Cell], _ own: [Int], to text: inout String, _ widths: [Int], _ style: Style
    ) {
        var used = 0
        for (index, cell) in row.enumerated() {
            let padding = widths[index] - own[index]
            let isLast = index == row.count - 1
            if index > 0 { text += " " }
            if columns[index].isNumber { text.append(contentsOf: Self.blanks(padding)) }
            if isLast {
                text += style.paint(fitted(cell.text, own[index], after: used, style), cell.tint)
            } else {
                text += style.paint(cell.text, cell.tint)
                if !columns[index].isNumber { text.append(contentsOf: Self.blanks(padding)) }
            }
            used += widths[index] + 1
        }
        text += "\n"
    }

    /// The last cell, in what is left of the line.
    private func fitted(_ text: String, _ columns: Int, after used: Int, _ style: Style) -> String {
        guard let width = style.width, used + columns > width else { return text }
        // A terminal that is too narrow for anything gets the line whole rather than nothing.
        return text.ellipsized(to: max(width - used, 8), unicode: style.isUnicode)
    }

    private static let spaces = String(repeating: " ", count: 256)

    private static func blanks(_ count: Int) -> Substring { spaces.prefix(max(count, 0)) }
}
