/// One place of a screen: what stands there, and how.
package struct Cell: Hashable, Sendable {
    /// What is shown; 0 where the cell before it is two columns wide.
    package var scalar: Unicode.Scalar
    package var ink: Ink

    package init(_ scalar: Unicode.Scalar = " ", _ ink: Ink = .plain) {
        (self.scalar, self.ink) = (scalar, ink)
    }

    package static let blank = Cell()
    /// What the second column of a wide character has.
    static let rest: Unicode.Scalar = "\u{0}"
}

/// What a terminal shows, cell by cell; nothing in it steers the terminal, whatever is written into it.
package struct Grid: Hashable, Sendable {
    package let columns: Int
    package let rows: Int
    private(set) var cells: [Cell]

    /// An empty grid; more than 1000 columns or rows are not drawn.
    package init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), 1000)
        self.rows = min(max(rows, 1), 1000)
        cells = Array(repeating: .blank, count: self.columns * self.rows)
    }

    /// The cell there; blank outside.
    package subscript(column: Int, row: Int) -> Cell {
        guard (0..<columns).contains(column), (0..<rows).contains(row) else { return .blank }
        return cells[row * columns + column]
    }

    /// Writes `text` from there on, within `limit` columns and the row; what does not fit ends with an ellipsis where `isUnicode`, else with `~`.
    ///
    /// Returns the column behind it.
    @discardableResult
    package mutating func put(
        _ text: String, at column: Int, _ row: Int, limit: Int = .max, _ ink: Ink = .plain,
        isUnicode: Bool = true
    ) -> Int {
        guard (0..<rows).contains(row), column >= 0, column < columns, limit > 0 else { return column }
        let end = column + min(limit, columns - column)
        var next = column
        for scalar in text.unicodeScalars {
            let shown = scalar.shown(isUnicode: isUnicode)
            let width = shown.columns
            // Combining marks have no cell of their own.
            guard width > 0 else { continue }
            guard next + width <= end else {
                set(Cell(isUnicode ? "…" : "~", ink), row, end - 1, width: 1)
                return end
            }
            set(Cell(shown, ink), row, next, width: width)
            next += width
        }
        return next
    }

    /// Sets one cell, or two; what was there by half is gone.
    private mutating func set(_ cell: Cell, _ row: Int, _ column: Int, width: Int) {
        let index = row * columns + column
        if column > 0, cells[index].scalar == Cell.rest { cells[index - 1] = Cell(" ", cells[index - 1].ink) }
        let isSplit = column + width < columns && cells[index + width].scalar == Cell.rest
        if isSplit { cells[index + width] = .blank }
        cells[index] = cell
        if width == 2 { cells[index + 1] = Cell(Cell.rest, cell.ink) }
    }

    /// Writes `text` so that it ends before `end`, within `limit` columns.
    package mutating func put(
        _ text: String, endingAt end: Int, _ row: Int, limit: Int, _ ink: Ink = .plain, isUnicode: Bool = true
    ) {
        let width = min(text.cells, limit)
        put(text, at: max(end - width, 0), row, limit: width, ink, isUnicode: isUnicode)
    }

    /// Draws all cells of a row anew.
    package mutating func ink(row: Int, _ change: (Ink) -> Ink) {
        guard (0..<rows).contains(row) else { return }
        for index in row * columns..<(row + 1) * columns { cells[index].ink = change(cells[index].ink) }
    }

    /// Empties a row.
    package mutating func clear(row: Int) {
        guard (0..<rows).contains(row) else { return }
        for index in row * columns..<(row + 1) * columns { cells[index] = .blank }
    }

    /// The text of each row, without blanks at its end.
    package var lines: [String] {
        (0..<rows).map { row in
            var line = ""
            for cell in cells[row * columns..<(row + 1) * columns] where cell.scalar != Cell.rest {
                line.unicodeScalars.append(cell.scalar)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

extension String {
    /// How many cells of a grid it takes.
    package var cells: Int {
        if utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return utf8.count }
        return unicodeScalars.reduce(0) { $0 + $1.shown(isUnicode: true).columns }
    }
}

extension Unicode.Scalar {
    /// What stands for it on a screen: itself, or a replacement where it would steer the terminal, or where that shows ASCII alone.
    func shown(isUnicode: Bool) -> Unicode.Scalar {
        switch value {
        case 0x20..<0x7f: self
        case 0..<0x20, 0x7f..<0xa0: isUnicode ? "\u{fffd}" : "?"
        // Marks of direction and of byte order, separators, and what is shown as nothing.
        case 0x061c, 0x180e, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff, 0xfff9...0xfffb,
            0xe0000..<0xe1000:
            isUnicode ? "\u{fffd}" : "?"
        default: isUnicode ? self : "?"
        }
    }

    /// How many columns it takes, close enough to wcwidth(3).
    var columns: Int {
        switch value {
        case 0..<0x300: 1
        case 0x300..<0x370, 0x483..<0x48a, 0x591..<0x5be, 0x610..<0x61b, 0x64b..<0x660, 0x1ab0..<0x1b00,
            0x1dc0..<0x1e00, 0x20d0..<0x2100, 0xfe00...0xfe0f, 0xfe20..<0xfe30:
            0
        case 0x1100..<0x1160, 0x2e80..<0xa4d0, 0xac00..<0xd7a4, 0xf900..<0xfb00, 0xfe30..<0xfe70,
            0xff00..<0xff61, 0xffe0..<0xffe7, 0x1f300..<0x1f650, 0x1f680..<0x1f700, 0x1f900..<0x1fa00,
            0x20000..<0x3fffe:
            2
        default: 1
        }
    }
}
