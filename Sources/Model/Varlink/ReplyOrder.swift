/// The calls of one connection that wait for an answer, in the order in which the answers must leave.
///
/// An answer to a later call is held until all earlier calls have had their last one.
struct ReplyOrder: Sendable {
    /// A call that waits, with what is held of its answers.
    struct Pending: Sendable {
        let isMore: Bool
        var isFinished = false
        var held: [UInt8] = []
    }

    private struct Place: Sendable {
        let isMore: Bool
        var isFinished = false
    }

    private var calls: [Place] = []
    private var front = 0
    private var frontSequence: UInt64 = 0
    /// Answers that cannot leave yet, by the numbers of their calls: apart, since most leave at once.
    private var held: [UInt64: [UInt8]] = [:]
    /// Calls that wait, those included whose answer is held.
    var count: Int { calls.count - front }
    /// Calls with `more` that have not had their last answer.
    private(set) var subscriptions = 0
    /// Bytes of answers that cannot leave yet.
    private(set) var heldBytes = 0

    init() {}

    /// The order of another connection, as it stood.
    init(restoring pending: [Pending]) {
        calls = pending.map { Place(isMore: $0.isMore, isFinished: $0.isFinished) }
        for (index, call) in pending.enumerated() where !call.held.isEmpty { held[UInt64(index)] = call.held }
        subscriptions = calls.count { $0.isMore && !$0.isFinished }
        heldBytes = pending.reduce(0) { $0 + $1.held.count }
    }

    /// The calls that wait, in order.
    var pending: [Pending] {
        calls[front...].enumerated().map { index, call in
            Pending(
                isMore: call.isMore, isFinished: call.isFinished,
                held: held[frontSequence + UInt64(index)] ?? [])
        }
    }

    /// The place of a call in ``pending``; nil when it does not wait any more.
    func place(of sequence: UInt64) -> Int? {
        guard sequence >= frontSequence, sequence - frontSequence < count else { return nil }
        return Int(sequence - frontSequence)
    }

    /// Enters a call, and returns its place in the order.
    mutating func add(isMore: Bool) -> UInt64 {
        calls.append(Place(isMore: isMore))
        if isMore { subscriptions += 1 }
        return frontSequence + UInt64(count - 1)
    }

    /// Passes the message that `write` appends on to `output`, and with it what it held up, or holds it.
    mutating func reply(
        to sequence: UInt64, continues: Bool, into output: inout OutputQueue,
        _ write: (inout [UInt8]) -> Void
    ) throws(ReplyError) {
        guard let place = place(of: sequence) else { throw .notPending }
        let index = front + place
        guard !calls[index].isFinished else { throw .notPending }
        guard calls[index].isMore || !continues else { throw .notMore }
        if !continues {
            calls[index].isFinished = true
            if calls[index].isMore { subscriptions -= 1 }
        }
        if index == front {
            output.append(writing: write)
            releaseFinished(into: &output)
        } else {
            let before = held[sequence]?.count ?? 0
            write(&held[sequence, default: []])
            heldBytes += (held[sequence]?.count ?? 0) - before
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
            guard !held.isEmpty, let bytes = held.removeValue(forKey: frontSequence) else { continue }
            output.append(bytes)
            heldBytes -= bytes.count
        }
        if front == calls.count {
            calls.removeAll(keepingCapacity: calls.capacity <= 4096)
            front = 0
        } else if front > calls.count / 2, front > 64 {
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
