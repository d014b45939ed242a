package import ConfigurationSyntax
internal import WorkerFile

/// Waits for a line that matches, in what a worker prints from now on.
///
/// Each byte costs as many steps as the pattern is long, once; so many bytes are looked at in one turn of the loop as a bounded number of
/// steps allows, and no more are read in one (``bytesPerTurn``).
package struct OutputWatch {
    /// The most bytes of a line that are looked at.
    package static let longest = 4096
    /// How many steps a turn may cost: a millisecond, about.
    private static let stepsPerTurn = 100_000
    /// So many bytes are read in one turn, however long the pattern is.
    private static let fewest = 32

    private let pattern: OutputPattern
    private var channels: [Channel] = []

    /// What has come through one channel.
    fileprivate struct Channel {
        var search: OutputPattern.Search
        /// Bytes of a character whose end has not come.
        var begun: [UInt8] = []
        /// How many bytes of the line were looked at.
        var count = 0
    }

    package init(for pattern: OutputPattern) {
        self.pattern = pattern
    }

    /// How many bytes may be read at once for it.
    package var bytesPerTurn: Int { Self.bytesPerTurn(forPatternOf: pattern.length) }

    package static func bytesPerTurn(forPatternOf length: Int) -> Int {
        max(Self.fewest, min(PipeReader.turn, Self.stepsPerTurn / max(length, 1)))
    }

    /// Whether a line matches, with the next piece of what came through `channel`; a line whose end has not come counts too,
    /// since a prompt has none.
    ///
    /// Of a piece that is longer than what is read in one turn, as a process that has ended may leave it, only so much is looked at.
    package mutating func hears(_ piece: ArraySlice<UInt8>, from channel: Int) -> Bool {
        while channels.count <= channel { channels.append(Channel(search: pattern.search)) }
        var rest = piece.prefix(bytesPerTurn)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            channels[channel].take(rest[..<end])
            if channels[channel].endLine() { return true }
            rest = rest[(end + 1)...]
        }
        channels[channel].take(rest)
        return channels[channel].count > 0 && channels[channel].search.occurs(atEnd: true)
    }
}

extension OutputWatch.Channel {
    /// Looks at a piece of a line, but not at what is beyond the longest one.
    mutating func take(_ piece: ArraySlice<UInt8>) {
        let room = max(OutputWatch.longest - count, 0)
        begun += piece.prefix(room)
        count += min(piece.count, room)
        // A carriage return may belong to the end of the line, and half a character to what comes.
        look(keeping: begun.incompleteTail)
    }

    /// Whether the line that ends here matches; the next begins.
    mutating func endLine() -> Bool {
        if begun.last == UInt8(ascii: "\r") { begun.removeLast() }
        look(keeping: 0)
        defer {
            search.beginLine()
            count = 0
        }
        return search.occurs(atEnd: true)
    }

    private mutating func look(keeping tail: Int) {
        for scalar in String(decoding: begun.dropLast(tail), as: UTF8.self).unicodeScalars {
            search.take(scalar)
        }
        begun.removeFirst(begun.count - tail)
    }
}

extension [UInt8] {
    /// How many bytes at the end may belong to what comes: a character that has begun, or a carriage return.
    fileprivate var incompleteTail: Int {
        if last == UInt8(ascii: "\r") { return 1 }
        for back in 1...3 where back <= count {
            let byte = self[count - back]
            // A byte that goes on with a character: its beginning is further back.
            if byte & 0xc0 == 0x80 { continue }
            let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
            return length > back ? back : 0
        }
        return 0
    }
}
