// The fuzz target for what workers and hooks print: cut into lines, and searched for the pattern of ReadyWhen=. One module with the sources
// that do it.

import ConfigurationSyntax

/// One input: how long the pattern is, how long a piece is, the pattern, and what is printed.
///
/// However it comes in pieces, its lines are the same, and what is found in it whole is found in pieces too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOutput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count >= 2 else { return 0 }
    let length = min(Int(bytes[0] % 64), bytes.count - 2)
    let piece = Int(bytes[1]) + 1
    let printed = bytes[(2 + length)...]
    cut(printed, piece)
    if let pattern = try? OutputPattern(parsing: String(decoding: bytes[2..<(2 + length)], as: UTF8.self)) {
        search(printed, piece, pattern)
    }
    return 0
}

/// The input in pieces of at most `length` bytes.
private func pieces(_ bytes: ArraySlice<UInt8>, _ length: Int) -> [ArraySlice<UInt8>] {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: length).map {
        bytes[$0..<min($0 + length, bytes.endIndex)]
    }
}

private func cut(_ printed: ArraySlice<UInt8>, _ length: Int) {
    func lines(_ pieces: [ArraySlice<UInt8>]) -> [[UInt8]] {
        var (cutter, lines) = (LineCutter(longest: 64), [[UInt8]]())
        for piece in pieces {
            cutter.take(piece) { lines.append($0) }
            precondition(cutter.partial.count <= 64, "more is kept than may be")
        }
        return lines + (cutter.finish().map { [$0] } ?? [])
    }
    let whole = lines([printed])
    precondition(whole == lines(pieces(printed, length)), "other lines, in pieces")
    for line in whole { precondition(line.count <= 64 + 3 && !line.contains(0x0a), "no line") }
    var told = PrintedLines()
    let count = pieces(printed, length).reduce(0) { $0 + told.take($1).count }
    precondition(count <= PrintedLines.most, "more lines than are told")
    precondition(told.finish().count <= 2)
}

private func search(_ printed: ArraySlice<UInt8>, _ length: Int, _ pattern: OutputPattern) {
    var watch = OutputWatch(for: pattern)
    let turn = watch.bytesPerTurn
    var isFound = false
    for piece in pieces(printed, min(length, turn)) where watch.hears(piece, from: 0) { isFound = true }
    guard printed.count <= turn else { return }
    var atOnce = OutputWatch(for: pattern)
    let isThere = atOnce.hears(printed, from: 1)
    precondition(!isThere || isFound, "not found in pieces")
    // What matches a line by itself, where the line is text and no longer than what is looked at.
    guard let text = String(validating: printed, as: UTF8.self) else { return }
    var lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false)
    let last = lines.removeLast()
    guard (lines + [last]).allSatisfy({ $0.count <= OutputWatch.longest }), last.last != 0x0d else { return }
    let whole = lines.map { $0.last == 0x0d ? $0.dropLast() : $0 } + (last.isEmpty ? [] : [last])
    precondition(isThere == whole.contains { pattern.matches(String($0) ?? "") }, "found otherwise")
}
