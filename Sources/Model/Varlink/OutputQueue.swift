/// Encoded messages that the peer has not taken yet, as one run of bytes.
struct OutputQueue: Sendable {
    private var bytes: [UInt8] = []
    private var taken = 0
    /// So much room is kept for what comes next.
    private static let keptRoom = 4096
    /// Whether the first byte to send is the first of a message.
    private var isAtBoundary: Bool { taken == 0 || bytes[taken - 1] == 0 }

    /// How many bytes wait.
    var count: Int { bytes.count - taken }

    var isEmpty: Bool { count == 0 }

    /// What waits.
    var waiting: [UInt8] { Array(bytes[taken...]) }

    mutating func append(_ message: [UInt8]) {
        Self.append(message, to: &bytes)
    }

    /// Appends a message; a long one takes the place of the room that is empty, since copying it would take longer than all else.
    static func append(_ message: [UInt8], to bytes: inout [UInt8]) {
        if bytes.isEmpty, message.count > keptRoom { bytes = message } else { bytes += message }
    }

    /// Appends what `write` does.
    mutating func append(writing write: (inout [UInt8]) -> Void) {
        write(&bytes)
    }

    /// Hands what waits to `write`, which answers how many bytes of it the peer took.
    mutating func send<Failure: Error>(
        _ write: (Span<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        let sent = try write(bytes.span.extracting(taken...))
        consume(min(max(sent, 0), count))
    }

    /// Takes at most `limit` bytes.
    mutating func take(_ limit: Int) -> [UInt8] {
        let amount = min(max(limit, 0), count)
        let head = Array(bytes[taken..<taken + amount])
        consume(amount)
        return head
    }

    /// Drops every message of which nothing was sent yet; the rest of one that was begun stays, since the peer could not tell the
    /// next one from it.
    mutating func dropUnbegun() {
        guard !isAtBoundary, let end = bytes[taken...].firstIndex(of: 0) else {
            bytes = []
            taken = 0
            return
        }
        bytes = Array(bytes[taken - 1...end])
        taken = 1
    }

    /// Forgets everything.
    mutating func removeAll() {
        self = OutputQueue()
    }

    /// Moves on; what was sent is dropped when it is the bigger half, so that a byte is moved once at most on average.
    private mutating func consume(_ amount: Int) {
        taken += amount
        if isEmpty {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptRoom)
            taken = 0
        } else if taken > bytes.count / 2 && taken > 1 {
            bytes.removeFirst(taken - 1)
            taken = 1
        }
    }
}
