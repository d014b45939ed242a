/// The last lines that a worker printed, of its standard output and standard error as they came.
///
/// It holds a bounded number of bytes, whatever is printed; they become lines when they are asked for.
package struct OutputTail {
    /// The most lines that it tells.
    package static let mostLines = 64
    /// The most bytes of one of them.
    package static let longest = 1024
    private static let mostBytes = 16 << 10

    private var bytes: [UInt8] = []
    /// What has come of a line whose end has not, for each channel.
    private var partials: [LineCutter] = []

    /// Nothing yet.
    package init() {}

    /// Takes whole lines, as ``lines`` has them.
    package mutating func take(_ lines: [String]) {
        for line in lines { take(Array((line + "\n").utf8)[...], from: 0) }
    }

    /// Takes the next piece of what came through `channel`, and returns the lines that it ends, each with a newline.
    @discardableResult
    package mutating func take(_ piece: ArraySlice<UInt8>, from channel: Int) -> [UInt8] {
        while partials.count <= channel { partials.append(LineCutter(longest: Self.longest)) }
        var added: [UInt8] = []
        // What is further back than this is not kept anyway.
        partials[channel].take(piece.suffix(Self.mostBytes)) { line in
            added += line
            added.append(UInt8(ascii: "\n"))
        }
        bytes += added.suffix(Self.mostBytes)
        if bytes.count > 2 * Self.mostBytes { bytes.removeFirst(bytes.count - Self.mostBytes) }
        return added
    }

    /// Takes a whole line that came through no channel of the worker's own.
    package mutating func add(_ line: String) {
        var cutter = LineCutter(longest: Self.longest)
        cutter.take(Array((line + "\n").utf8)[...]) { bytes += $0 + [UInt8(ascii: "\n")] }
        if bytes.count > 2 * Self.mostBytes { bytes.removeFirst(bytes.count - Self.mostBytes) }
    }

    /// The lines, oldest first; the last may be one that has no end yet.
    package var lines: [String] { lines(atMost: Self.mostLines) }

    /// The last so many of the lines that are kept, oldest first; the last may be one that has no end yet.
    package func lines(atMost count: Int) -> [String] {
        if bytes.isEmpty, partials.allSatisfy({ $0.partial.isEmpty }) { return [] }
        var lines = bytes.suffix(Self.mostBytes).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // Behind the last end there is nothing; before the first one, where something was given up, half a line.
        _ = lines.popLast()
        if bytes.count >= Self.mostBytes, !lines.isEmpty { lines.removeFirst() }
        let texts = lines.map { String(decoding: $0, as: UTF8.self) }
        let begun = partials.map(\.partial).filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
        return Array((texts + begun).suffix(max(0, count)))
    }
}
