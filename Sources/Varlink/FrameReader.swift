/// Cuts a byte stream into messages, each of which ends with a NUL byte (varlink.org, "Method Call").
///
/// Every byte is looked at once. A message that lies whole in a chunk is never copied; of one that does not, no more than the bound is
/// ever kept.
public struct FrameReader: Sendable {
    /// Why no further message can be cut.
    public enum Failure: Error, Hashable, Sendable {
        /// A message is longer than the bound. The stream cannot be picked up again: close it.
        case tooLong(limit: Int)
    }

    /// The longest message in bytes, its NUL not counted.
    public let limit: Int
    var partial: [UInt8] = []
    private var isBroken = false

    /// A reader at the start of a stream.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Whether the stream stands in the middle of a message: if it ends here, that message is lost.
    public var isInsideMessage: Bool { !partial.isEmpty }

    /// What became of one chunk: the messages in order, and the failure behind the last of them.
    public struct Outcome<Message> {
        /// What was made of each complete message.
        public let messages: [Message]
        /// Set when the stream broke; later chunks are ignored.
        public let failure: Failure?
    }

    /// Takes the next `chunk` of the stream and hands each message that it completes to `read`.
    ///
    /// `read` gets the message without its NUL, and it may be empty; the span is gone when it returns.
    public mutating func receive<Message>(
        _ chunk: Span<UInt8>, read: (Span<UInt8>) -> Message
    ) -> Outcome<Message> {
        var messages: [Message] = []
        var start = 0
        for index in chunk.indices where chunk[index] == 0 && !isBroken {
            let piece = chunk.extracting(start..<index)
            start = index + 1
            guard partial.count + piece.count <= limit else { return fail(messages) }
            if partial.isEmpty {
                messages.append(read(piece))
            } else {
                keep(piece)
                messages.append(read(partial.span))
                forgetPartial()
            }
        }
        let rest = chunk.extracting(start...)
        guard !isBroken else { return Outcome(messages: [], failure: .tooLong(limit: limit)) }
        guard partial.count + rest.count <= limit else { return fail(messages) }
        keep(rest)
        return Outcome(messages: messages, failure: nil)
    }

    private mutating func fail<Message>(_ messages: [Message]) -> Outcome<Message> {
        partial = []
        isBroken = true
        return Outcome(messages: messages, failure: .tooLong(limit: limit))
    }

    private mutating func keep(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
    }

    /// Empties the buffer; a big one is given back, so that an idle connection costs little.
    private mutating func forgetPartial() {
        partial.removeAll(keepingCapacity: partial.capacity <= 4096)
    }
}
