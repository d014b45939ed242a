// The fuzz target for what a terminal sends to the live screen, and for texts of workers that are shown on it.

/// One input: bytes of keys, in pieces that their first byte decides, and the same as a text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScreen(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let piece = Int(bytes.first ?? 0) % 7 + 1
    var (whole, parts) = (KeyReader(), KeyReader())
    let keys = whole.read(bytes)
    var other: [Key] = []
    for begin in stride(from: 0, to: bytes.count, by: piece) {
        other += parts.read(bytes[begin..<min(begin + piece, bytes.count)])
    }
    precondition(keys == other && keys.count <= bytes.count)
    precondition(whole.expire() == parts.expire() && !whole.isWaiting)
    for key in keys {
        // What is pasted or typed steers nothing when it is shown.
        if case .character(let scalar) = key { precondition(scalar.value >= 0x20 && scalar.value != 0x7f) }
        if case .pasted(let text) = key { precondition(text.utf8.count <= 4096) }
    }

    let text = String(decoding: bytes, as: UTF8.self)
    let width = piece * 3
    let lines = TopPager.wrapped(text, to: width)
    precondition(lines.allSatisfy { $0.cells <= width || $0.unicodeScalars.count == 1 })
    for isUnicode in [true, false] {
        var grid = Grid(columns: width, rows: 2)
        grid.put(text, at: 0, 0, isUnicode: isUnicode)
        grid.put(text, endingAt: width, 1, limit: width, isUnicode: isUnicode)
        for line in grid.lines {
            precondition(line.cells <= width)
            let isPlain = line.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) && (isUnicode || $0.value < 0x7f)
            }
            precondition(isPlain)
        }
        var painter = GridPainter(isColoured: true)
        _ = painter.paint(grid)
        precondition(painter.paint(grid).isEmpty)
    }
    return 0
}
