/// The client side of a connection: calls in, bytes out; bytes in, replies out.
///
/// It uses no socket and no clock. Calls may be pipelined; replies arrive in the order of the calls.
public struct ClientConnection: Sendable {
    /// The id of a call, unique within its connection.
    public struct CallID: Hashable, Sendable {
        let sequence: UInt64
    }

    /// An event from the server.
    public enum Event: Hashable, Sendable {
        /// A reply; the last one to its call unless `continues`.
        case reply(CallID, JSON.Object, continues: Bool)
        /// The call failed; no further reply follows.
        case failed(CallID, MethodError)
        /// The connection ended; carries the unanswered calls, in order.
        case closed(CloseReason, unanswered: [CallID])
    }

    /// Why a connection ended.
    public enum CloseReason: Hashable, Sendable {
        /// The server closed it between two messages.
        case ended
        /// The server closed it in the middle of a message.
        case truncatedMessage
        /// A message that is not valid JSON.
        case brokenMessage(JSON.ParseError)
        /// A message that is not a reply; carries the invalid field.
        case notAReply(field: String)
        /// A message longer than the limit.
        case messageTooLong(limit: Int)
        /// A reply to no call.
        case unexpectedReply
        /// An error without a call: the server rejected the connection.
        case refused(MethodError)
    }

    private struct Pending: Sendable {
        let id: CallID
        let isMore: Bool
    }

    private var frames: FrameReader
    private var output = OutputQueue()
    private var pending: [Pending] = []
    private var front = 0
    private var nextSequence: UInt64 = 0
    /// Why the connection ended; `nil` while it is open.
    public private(set) var closeReason: CloseReason?

    /// Creates a new connection; no reply may be longer than `limit` bytes.
    public init(limit: Int = 64 << 20) {
        frames = FrameReader(limit: limit)
    }

    /// Queues a call of `method`; a oneway call has no event.
    @discardableResult
    public mutating func call(
        _ method: String, _ parameters: JSON.Object = [:], mode: CallMode = .once
    ) -> CallID {
        let id = CallID(sequence: nextSequence)
        nextSequence += 1
        guard closeReason == nil else { return id }
        output.append(EncodedMessage(call: method, parameters, mode).bytes)
        if mode != .oneway { pending.append(Pending(id: id, isMore: mode == .more)) }
        return id
    }

    /// Queues a call of `method` with the fields of `value`.
    ///
    /// - Throws: ``JSON/Mismatch`` if `value` does not encode itself as an object.
    @discardableResult
    public mutating func call(
        _ method: String, encoding value: some Encodable, mode: CallMode = .once
    ) throws(JSON.Mismatch) -> CallID {
        guard case .object(let parameters) = try JSON(encoding: value) else {
            throw JSON.Mismatch(path: "", expected: "an object")
        }
        return call(method, parameters, mode: mode)
    }

    /// Processes bytes from the server and returns the events, in order.
    public mutating func receive(_ chunk: Span<UInt8>) -> [Event] {
        guard closeReason == nil else { return [] }
        let outcome = frames.receive(chunk) { message in
            Result { () throws(JSON.ParseError) in try JSON(parsing: message) }
        }
        var events: [Event] = []
        for message in outcome.messages where closeReason == nil {
            switch message {
            case .success(let json): events.append(event(json))
            case .failure(let error): events.append(close(.brokenMessage(error)))
            }
        }
        if closeReason == nil, case .tooLong(let limit) = outcome.failure {
            events.append(close(.messageTooLong(limit: limit)))
        }
        return events
    }

    /// Ends the input (end of file, or an error of the socket).
    public mutating func inputEnded() -> [Event] {
        guard closeReason == nil else { return [] }
        return [close(frames.isInsideMessage ? .truncatedMessage : .ended)]
    }

    private mutating func event(_ message: JSON) -> Event {
        let reply: Reply
        do {
            reply = try Reply(message)
        } catch {
            return close(.notAReply(field: error.field))
        }
        guard front < pending.count else {
            return close(reply.error.map { .refused($0) } ?? .unexpectedReply)
        }
        let call = pending[front]
        guard call.isMore || !reply.continues else { return close(.notAReply(field: "continues")) }
        if !reply.continues { answeredFront() }
        if let error = reply.error { return .failed(call.id, error) }
        return .reply(call.id, reply.parameters, continues: reply.continues)
    }

    private mutating func answeredFront() {
        front += 1
        if front == pending.count || front > pending.count / 2 {
            pending.removeFirst(front)
            front = 0
        }
    }

    private mutating func close(_ reason: CloseReason) -> Event {
        closeReason = reason
        let unanswered = pending[front...].map(\.id)
        pending = []
        front = 0
        output.removeAll()
        return .closed(reason, unanswered: unanswered)
    }
}

extension ClientConnection {
    /// The number of bytes to send.
    public var outputPending: Int { output.count }

    /// The number of calls without their last reply.
    public var callsPending: Int { pending.count - front }

    /// Removes and returns at most `limit` bytes; the caller must send all of them.
    public mutating func takeOutput(_ limit: Int = .max) -> [UInt8] { output.take(limit) }

    /// Passes all unsent bytes to `write`, which returns how many bytes the socket accepted.
    ///
    /// - Throws: errors of `write`; nothing counts as sent then.
    public mutating func sendOutput<Failure: Error>(
        _ write: (Span<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        try output.send(write)
    }
}
