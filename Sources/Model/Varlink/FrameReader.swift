/// Splits a byte stream into messages, each terminated by a NUL byte (varlink.org, "Method Call").
///
/// Every byte is read once. A message contained in one chunk is never copied; of a message across chunks, at most the limit is
/// kept.
public struct FrameReader: Sendable {
    /// Why the stream cannot be read any further.
    public enum Failure: Error, Hashable, Sendable {
        /// A message is longer than the limit. The stream cannot be resynchronised: close it.
        case tooLong(limit: Int)
    }

    /// The longest message in bytes, its NUL not counted.
    public let limit: Int
    var partial: [UInt8] = []
    private var isBroken = false

    /// Creates a reader at the start of a stream.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Whether the stream is within a message: if it ends here, that message is lost.
    public var isInsideMessage: Bool { !partial.isEmpty }

    /// The result of one chunk: the messages in order, and the failure after the last one.
    public struct Outcome<Message> {
        /// What was made of each complete message.
        public let messages: [Message]
        /// Set when the stream broke; later chunks are ignored.
        public let failure: Failure?
    }

    /// Processes the next `chunk` of the stream and passes each completed message to `read`.
    ///
    /// `read` receives the message without its NUL; it may be empty, and the span is valid only during the call.
    public mutating func receive<Message>(
        _ chunk: Span<UInt8>, read: (Span<UInt8>) -> Message
    ) -> Outcome<Message> {
        var messages: [Message] = []
        var position = 0
        while true {
            switch next(in: chunk, from: &position) {
            case .whole(let range): messages.append(read(chunk.extracting(range)))
            case .joined(let message): messages.append(read(message.span))
            case .end: return Outcome(messages: messages, failure: nil)
            case .tooLong: return Outcome(messages: messages, failure: .tooLong(limit: limit))
            }
        }
    }

    /// What comes next in a chunk.
    enum Cut {
        /// A message that lies whole in the chunk, here.
        case whole(Range<Int>)
        /// The message that has begun in an earlier chunk.
        case joined([UInt8])
        /// No message ends in the rest of the chunk, which is kept.
        case end
        /// The stream broke.
        case tooLong
    }

    /// Goes on in a chunk from `position` to behind the next message.
    mutating func next(in chunk: Span<UInt8>, from position: inout Int) -> Cut {
        guard !isBroken else { return .tooLong }
        let start = position
        let end = chunk.firstZero(from: start)
        guard partial.count + (end ?? chunk.count) - start <= limit else {
            partial = []
            isBroken = true
            return .tooLong
        }
        guard let end else {
            position = chunk.count
            keep(chunk.extracting(start...))
            return .end
        }
        position = end + 1
        if partial.isEmpty { return .whole(start..<end) }
        keep(chunk.extracting(start..<end))
        var message: [UInt8] = []
        swap(&message, &partial)
        return .joined(message)
    }

    private mutating func keep(_ bytes: Span<UInt8>) {
        // What grows by doubling may be twice as large as it needs to be: never larger than a message may be.
        let needed = partial.count + bytes.count
        if needed > partial.capacity {
            partial.reserveCapacity(min(max(2 * needed, 256), max(limit, needed)))
        }
        bytes.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    /// The place of the first zero from `start` on; nil without one.
    func firstZero(from start: Int) -> Int? {
        withUnsafeBytes { bytes in
            var index = start
            // Eight at a time: most bytes of a stream are looked at for nothing else. One less borrows from the bit above only
            // where a byte is zero.
            let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
            while index + 8 <= bytes.count {
                let eight = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if (eight &- ones) & ~eight & highs != 0 { break }
                index += 8
            }
            while index < bytes.count {
                if bytes[index] == 0 { return index }
                index += 1
            }
            return nil
        }
    }
}
