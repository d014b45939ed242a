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
        // As bytes: of a thousand rows, text that grows by pieces was a third of what 'torpor list' took for showing them.
        var bytes: [UInt8] = []
        bytes.reserveCapacity((rows.count + 1) * (widths.reduce(0, +) + 2 * widths.count))
        if style.hasLegend {
            append(header, header.map(\.text.utf8.count), to: &bytes, widths, style)
        }
        for (row, own) in zip(rows, cellWidths) { append(row, own, to: &bytes, widths, style) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(
        _ row: [Cell], _ own: [Int], to bytes: inout [UInt8], _ widths: [Int], _ style: Style
    ) {
        var used = 0
        for (index, cell) in row.enumerated() {
            let padding = max(widths[index] - own[index], 0)
            let isLast = index == row.count - 1
            let blanks = repeatElement(UInt8(ascii: " "), count: padding)
            if index > 0 { bytes.append(UInt8(ascii: " ")) }
            if columns[index].isNumber { bytes.append(contentsOf: blanks) }
            if isLast {
                let text = fitted(cell.text, own[index], after: used, style)
                bytes.append(contentsOf: style.paint(text, cell.tint).utf8)
            } else {
                bytes.append(contentsOf: style.paint(cell.text, cell.tint).utf8)
                if !columns[index].isNumber { bytes.append(contentsOf: blanks) }
            }
            used += widths[index] + 1
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The last cell, in what is left of the line.
    private func fitted(_ text: String, _ columns: Int, after used: Int, _ style: Style) -> String {
        guard let width = style.width, used + columns > width else { return text }
        // A terminal that is too narrow for anything gets the line whole rather than nothing.
        return text.ellipsized(to: max(width - used, 8), unicode: style.isUnicode)
    }
}
