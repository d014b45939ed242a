/// The calls of one connection that wait for an answer, in the order in which the answers must leave.
///
/// An answer to a later call is held until all earlier calls have had their last one.
struct ReplyOrder: Sendable {
    struct Pending: Sendable {
        let isMore: Bool
        var isFinished = false
        var held: [UInt8] = []
    }

    private var calls: [Pending] = []
    private var front = 0
    private var frontSequence: UInt64 = 0
    /// Calls that wait, those included whose answer is held.
    var count: Int { calls.count - front }
    /// Calls with `more` that have not had their last answer.
    private(set) var subscriptions = 0
    /// Bytes of answers that cannot leave yet.
    private(set) var heldBytes = 0

    init() {}

    /// The order of another connection, as it stood.
    init(restoring calls: [Pending]) {
        self.calls = calls
        subscriptions = calls.count { $0.isMore && !$0.isFinished }
        heldBytes = calls.reduce(0) { $0 + $1.held.count }
    }

    /// The calls that wait, in order.
    var pending: ArraySlice<Pending> { calls[front...] }

    /// The place of a call in ``pending``; nil when it does not wait any more.
    func place(of sequence: UInt64) -> Int? {
        guard sequence >= frontSequence, sequence - frontSequence < count else { return nil }
        return Int(sequence - frontSequence)
    }

    /// Enters a call, and returns its place in the order.
    mutating func add(isMore: Bool) -> UInt64 {
        calls.append(Pending(isMore: isMore))
        if isMore { subscriptions += 1 }
        return frontSequence + UInt64(count - 1)
    }

    /// Passes `message` on to `output`, and with it what it held up, or holds it.
    mutating func reply(
        to sequence: UInt64, _ message: EncodedMessage, into output: inout OutputQueue
    ) throws(ReplyError) {
        guard sequence >= frontSequence, sequence - frontSequence < count else { throw .notPending }
        let index = front + Int(sequence - frontSequence)
        guard !calls[index].isFinished else { throw .notPending }
        guard calls[index].isMore || !message.continues else { throw .notMore }
        if !message.continues {
            calls[index].isFinished = true
            if calls[index].isMore { subscriptions -= 1 }
        }
        if index == front {
            output.append(message.bytes)
            releaseFinished(into: &output)
        } else {
            calls[index].held += message.bytes
            heldBytes += message.bytes.count
        }
    }

    /// Forgets all calls and what was held.
    mutating func removeAll() {
        let next = frontSequence + UInt64(count)
        self = ReplyOrder()
        frontSequence = next
    }

    /// Steps over answered calls; whatever comes to the front thereby sends what it held.
    private mutating func releaseFinished(into output: inout OutputQueue) {
        while front < calls.count, calls[front].isFinished {
            front += 1
            frontSequence += 1
            guard front < calls.count else { break }
            output.append(calls[front].held)
            heldBytes -= calls[front].held.count
            calls[front].held = []
        }
        if front == calls.count {
            calls.removeAll(keepingCapacity: calls.capacity <= 64)
            front = 0
        } else if front > calls.count / 2 {
            calls.removeFirst(front)
            front = 0
        }
    }
}

/// A reply that its connection cannot send: a mistake of the service, not of the client.
public enum ReplyError: Error, Hashable, Sendable {
    /// The call was answered for good already, or never made on this connection.
    case notPending
    /// `continues`, but the client did not ask for more.
    case notMore
}
