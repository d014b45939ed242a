/// A descriptor that whole lines are written to without ever waiting for the reader.
package struct LineOutput: ~Copyable, Sendable {
    /// The longest line that is written whole or not at all: PIPE_BUF of pipe(7), its newline counted.
    package static let lengthLimit = 4096

    /// The first of these lines that can be written whole, all at once; a longer one is cut.
    package static func chunk(of lines: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let most = lines.prefix(lengthLimit)
        guard most.count < lines.count, let end = most.lastIndex(of: UInt8(ascii: "\n")) else { return most }
        return most[...end]
    }

    private let stream: SharedStream

    /// Writes to `descriptor`, which stays the caller's and open.
    package init(_ descriptor: Int32) { stream = SharedStream(descriptor, for: .writing) }

    /// Writes `line`; false when it would have had to wait, or there is no reader.
    package func write(_ line: [UInt8]) -> Bool { stream.write(line[...]) == .moved(line.count) }
}
