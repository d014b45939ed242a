import Screen
import TestSupport
import Testing

/// As much of a terminal as a painter needs: it refuses what it does not know.
struct Terminal {
    let columns: Int
    let rows: Int
    private(set) var cells: [Cell]
    private var (row, column) = (0, 0)
    private var ink = Ink.plain
    private(set) var problems: [String] = []
    private(set) var written = 0

    init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        cells = Array(repeating: Cell("?", .bad), count: columns * rows)
    }

    mutating func show(_ bytes: [UInt8]) {
        var rest = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\u{1b}" else {
                put(scalar)
                continue
            }
            guard rest.popFirst() == "[" else { return problems.append("an escape without [") }
            let text = rest.prefix { !("@"..."~").contains($0) }
            rest = rest.dropFirst(text.count)
            let numbers = String(String.UnicodeScalarView(text)).split(separator: ";").compactMap { Int($0) }
            switch rest.popFirst() {
            case "H": (row, column) = ((numbers.first ?? 1) - 1, (numbers.dropFirst().first ?? 1) - 1)
            case "J": cells = Array(repeating: .blank, count: columns * rows)
            case "m": render(numbers)
            case let other: problems.append("unknown \(String(describing: other))")
            }
        }
    }

    private mutating func render(_ numbers: [Int]) {
        let colours: [Int: Ink.Colour] = [
            32: .good, 31: .bad, 33: .attention, 34: .asleep, 90: .faint,
        ]
        for number in numbers {
            switch number {
            case 0: ink = .plain
            case 1: ink.isBold = true
            case 4: ink.isUnderlined = true
            case 7: ink.isReversed = true
            default:
                if let colour = colours[number] { ink.colour = colour } else { problems.append("m\(number)") }
            }
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        written += 1
        let isWide = scalar.value >= 0x4e00 && scalar.value < 0xa000
        guard (0..<rows).contains(row), (0..<columns).contains(column + (isWide ? 1 : 0)) else {
            return problems.append("outside, at \(column), \(row)")
        }
        let index = row * columns + column
        // What is overwritten by half is gone.
        if cells[index].scalar.value == 0 { cells[index - 1] = .blank }
        cells[index] = Cell(scalar, ink)
        if isWide { cells[index + 1] = Cell("\u{0}", ink) }
        column += isWide ? 2 : 1
        if column < columns, cells[row * columns + column].scalar.value == 0 {
            cells[row * columns + column] = .blank
        }
    }

    func shows(_ grid: Grid) -> Bool {
        (0..<rows).allSatisfy { row in
            (0..<columns).allSatisfy { cells[row * columns + $0] == grid[$0, row] }
        }
    }
}

@Suite struct `A grid` {
    @Test func `holds nothing that steers a terminal`() {
        var grid = Grid(columns: 20, rows: 2)
        grid.put("a\u{1b}[2J\u{9b}\u{202e}\n\u{7f}b", at: 0, 0)
        #expect(grid.lines == ["a\u{fffd}[2J\u{fffd}\u{fffd}\u{fffd}\u{fffd}b", ""])
        grid.put("é\u{1b}中b", at: 0, 1, isUnicode: false)
        #expect(grid.lines[1] == "???b")
    }

    @Test func `cuts what does not fit, and no character in half`() {
        var grid = Grid(columns: 6, rows: 4)
        grid.put("abcdefgh", at: 0, 0)
        grid.put("abcdefgh", at: 0, 1, limit: 4, isUnicode: false)
        grid.put("ab中中中", at: 0, 2)
        grid.put("12345", endingAt: 5, 3, limit: 3)
        #expect(grid.lines == ["abcde…", "abc~", "ab中 …", "  12…"])
        #expect(grid.put("x", at: 9, 0) == 9 && grid.put("x", at: 0, 9) == 0)
        #expect("ab中e\u{301}".cells == 5)
    }

    @Test func `is painted whole once, then by its changes`() {
        var painter = GridPainter(isColoured: true)
        var terminal = Terminal(columns: 40, rows: 5)
        var grid = Grid(columns: 40, rows: 5)
        grid.put("hello world", at: 3, 2, .attention)
        terminal.show(painter.paint(grid))
        #expect(terminal.shows(grid) && painter.paint(grid).isEmpty)
        grid.put("W", at: 9, 2, .attention)
        let change = painter.paint(grid)
        #expect(String(decoding: change, as: UTF8.self) == "\u{1b}[3;10H\u{1b}[0;1;33mW\u{1b}[0m")
        terminal.show(change)
        #expect(terminal.shows(grid))
        painter.forget()
        #expect(painter.paint(grid).count > 20)
    }

    @Test func `has no colours where none are wanted`() {
        var painter = GridPainter(isColoured: false)
        var grid = Grid(columns: 10, rows: 1)
        grid.put("x", at: 0, 0, .bad)
        let text = String(decoding: painter.paint(grid), as: UTF8.self)
        #expect(!text.contains("31m") && text.contains("\u{1b}[0;1mx"))
    }

    @Test(arguments: 0..<30) func `is what a terminal shows, whatever changes`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let (columns, rows) = (Int.random(in: 1...30, using: &random), Int.random(in: 1...6, using: &random))
        var painter = GridPainter(isColoured: true)
        var terminal = Terminal(columns: columns, rows: rows)
        let inks: [Ink] = [.plain, .bold, .bad, .attention, .faint, Ink(.good).chosen]
        let texts = ["a", "hello", "中", "a中b中", " ", "      ", "…x"]
        var grid = Grid(columns: columns, rows: rows)
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                grid.put(
                    texts.randomElement(using: &random) ?? "",
                    at: Int.random(in: 0..<columns, using: &random),
                    Int.random(in: 0..<rows, using: &random), inks.randomElement(using: &random) ?? .plain)
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                grid.clear(row: Int.random(in: 0..<rows, using: &random))
            }
            terminal.show(painter.paint(grid))
            let isShown = terminal.shows(grid)
            try #require(isShown, "seed \(seed)")
            #expect(terminal.problems.isEmpty, "seed \(seed): \(terminal.problems)")
        }
    }
}
