/// Turns grids into what a terminal is to be sent (ECMA-48): the whole first, then only the cells that differ.
package struct GridPainter: Sendable {
    /// Whether colours are wanted.
    package let isColoured: Bool
    private var shown: Grid?

    /// A terminal of which nothing is known.
    package init(isColoured: Bool) { self.isColoured = isColoured }

    /// What the terminal shows is not known any more: the next grid is sent whole.
    package mutating func forget() { shown = nil }

    /// The bytes that make a terminal that shows the grid of before show `grid`; none where they are equal.
    package mutating func paint(_ grid: Grid) -> [UInt8] {
        var out: [UInt8] = []
        let old = shown.flatMap { $0.columns == grid.columns && $0.rows == grid.rows ? $0 : nil }
        shown = grid
        guard old?.cells != grid.cells else { return out }
        // An emptied screen is blank, so that blanks need not be sent.
        if old == nil { out += "\u{1b}[0m\u{1b}[H\u{1b}[2J".utf8 }
        let before = old ?? Grid(columns: grid.columns, rows: grid.rows)
        var ink: Ink?
        for row in 0..<grid.rows { paint(row, of: grid, over: before, &ink, into: &out) }
        if ink != nil, ink != .plain { out += "\u{1b}[0m".utf8 }
        return out
    }

    /// A gap of so few cells is cheaper to write than to jump over.
    private static let gap = 4

    private func paint(
        _ row: Int, of grid: Grid, over old: Grid, _ ink: inout Ink?, into out: inout [UInt8]
    ) {
        let start = row * grid.columns
        var column = 0
        // Where the terminal writes next; nil where that is not in this row.
        var position: Int?
        while column < grid.columns {
            guard differs(at: start + column, grid, old) else {
                column += 1
                continue
            }
            // Half of a wide character is never written: it begins before.
            while column > 0, grid.cells[start + column].scalar == Cell.rest { column -= 1 }
            if let known = position, known <= column, column - known <= Self.gap {
                for index in known..<column { write(grid.cells[start + index], &ink, into: &out) }
            } else {
                out += "\u{1b}[\(row + 1);\(column + 1)H".utf8
            }
            repeat {
                write(grid.cells[start + column], &ink, into: &out)
                column += 1
            } while column < grid.columns
                && (differs(at: start + column, grid, old) || grid.cells[start + column].scalar == Cell.rest)
            position = column
        }
    }

    /// Whether a cell is to be written: also where a wide character stood or stands that reaches into it.
    private func differs(at index: Int, _ grid: Grid, _ old: Grid) -> Bool {
        if grid.cells[index] != old.cells[index] { return true }
        let next = index + 1
        guard next < grid.cells.count, next % grid.columns != 0 else { return false }
        let wasWide = old.cells[next].scalar == Cell.rest
        return wasWide != (grid.cells[next].scalar == Cell.rest)
    }

    private func write(_ cell: Cell, _ ink: inout Ink?, into out: inout [UInt8]) {
        guard cell.scalar != Cell.rest else { return }
        if ink != cell.ink {
            if !(ink == nil && cell.ink == .plain) { out += cell.ink.rendition(isColoured: isColoured).utf8 }
            ink = cell.ink
        }
        UTF8.encode(cell.scalar).map { out.append(contentsOf: $0) }
    }
}
