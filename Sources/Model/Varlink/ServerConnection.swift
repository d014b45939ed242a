/// The server side of a connection: bytes in, calls out; replies in, bytes out.
///
/// It uses no socket and no clock. Calls are delivered as they arrive, including pipelined ones, and may be answered in any order: the replies are
/// sent in the order of the calls. A call after a running `more` call is therefore carried out at once, but its reply waits until that call ends; a
/// client with a subscription sends such calls `oneway` or over a second connection.
///
/// Errors of the client are handled as follows:
/// - JSON that is broken, an empty message, a message beyond the bound: the connection is closed without an error, since none is
///   defined and nothing tells which call it would answer;
/// - a message that is JSON but no call (no `method`, flags that are no booleans, `oneway` with `more`): `InvalidParameter` with the field's name
///   where no earlier answer is due, then closed;
/// - `upgrade`: `MethodNotImplemented`, and the connection goes on;
/// - a client that does not read: past ``Limits/backlog`` the unsent messages are dropped, the error given at creation follows, closed;
/// - more calls or subscriptions at once than allowed: closed.
public struct ServerConnection: Sendable {
    /// The memory that one client may use.
    public struct Limits: Hashable, Sendable {
        /// The longest message in bytes.
        public var message = 1 << 20
        /// The longest message in bytes without its ``verbatim`` parameters; nil is the same as ``message``.
        public var plainMessage: Int?
        /// Values of one message, those in ``verbatim`` parameters not counted: what is read of a value takes far more memory than its text.
        public var values = 1 << 18
        /// Parameters that are passed on and never looked into: where they are objects they stay as they were written
        /// (``JSON/written(_:)``).
        public var verbatim: [String] = []
        /// Calls that wait for an answer; one chunk of 64 KiB cannot hold half as many.
        ///
        /// From half of it on ``ServerConnection/wantsInput`` is false, so that a client that writes faster than it is answered
        /// is slowed down, not cut off.
        public var calls = 16_384
        /// Calls with `more` at the same time.
        public var subscriptions = 16
        /// Bytes of answers not taken; one answer may exceed it when nothing else waits.
        public var backlog = 4 << 20

        /// The defaults.
        public init() {}
    }

    /// Why a connection ends.
    public enum CloseReason: Hashable, Sendable {
        /// A message that is not valid JSON.
        case brokenMessage(JSON.ParseError)
        /// A message that is not a call; carries the invalid field.
        case notACall(field: String)
        /// A message longer than the limit.
        case messageTooLong(limit: Int)
        /// End of the stream within a message.
        case truncatedMessage
        /// More unanswered calls than allowed.
        case tooManyCalls(limit: Int)
        /// More subscriptions than allowed.
        case tooManySubscriptions(limit: Int)
        /// More unread bytes than allowed.
        case slowReader(limit: Int)
        /// We turned the client away, with an error.
        case refused(MethodError)
        /// The client is done, and has all its answers.
        case finished
    }

    enum State: Hashable {
        case open
        /// The client sends no more, but answers are due.
        case inputEnded
        case closing(CloseReason)
    }

    /// The bounds in force.
    public let limits: Limits
    private let slowReader: MethodError
    var state = State.open
    var frames: FrameReader
    var replies = ReplyOrder()
    var output = OutputQueue()
    private var onewayCount: UInt64 = 0

    /// A connection that was just accepted; `slowReader` is the error that a client that does not read gets at its end.
    public init(limits: Limits = Limits(), slowReader: MethodError) {
        self.limits = limits
        self.slowReader = slowReader
        frames = FrameReader(limit: limits.message)
    }

    /// Takes what the client sent, and returns the calls that it completes, in order.
    ///
    /// Afterwards ask ``closeReason`` and ``outputPending``: a message may close the connection or be answered here.
    public mutating func receive(_ chunk: Span<UInt8>) -> [Call] {
        var calls: [Call] = []
        var position = 0
        while true {
            switch next(in: chunk, from: &position) {
            case .message(let range): if let call = accept(chunk.extracting(range)) { calls.append(call) }
            case .call(let call): calls.append(call)
            case .end: return calls
            }
        }
    }

    /// What comes next in a chunk.
    package enum Arrival {
        /// A message that lies here in it: for ``accept(_:)``, or for ``admit(_:)`` where it was read by other code.
        case message(Range<Int>)
        /// A call that has begun in an earlier chunk.
        case call(Call)
        /// Nothing more: the chunk is used up, or the connection closes.
        case end
    }

    /// Goes on in a chunk from `position` to behind the next message: for a caller that carries out one call before the next is read.
    ///
    /// The chunk is to be gone through to its end before the next one.
    package mutating func next(in chunk: Span<UInt8>, from position: inout Int) -> Arrival {
        while case .open = state {
            switch frames.next(in: chunk, from: &position) {
            case .whole(let range): return .message(range)
            case .joined(let message): if let call = accept(message.span) { return .call(call) }
            case .end: return .end
            case .tooLong: close(.messageTooLong(limit: limits.message))
            }
        }
        return .end
    }

    /// Reads a message by the rules for all; nil where it closes the connection or is answered here.
    package mutating func accept(_ message: Span<UInt8>) -> Call? {
        do throws(JSON.ParseError) {
            var reader = JSONReader(values: limits.values, verbatim: limits.verbatim)
            let json = try reader.document(message)
            if let limit = limits.plainMessage, message.count - reader.verbatimBytes > limit {
                close(.messageTooLong(limit: limit))
                return nil
            }
            return accept(json)
        } catch {
            close(.brokenMessage(error))
            return nil
        }
    }

    /// The client will send nothing more (end of file); what is due to it is still sent.
    public mutating func inputEnded() {
        guard case .open = state else { return }
        if frames.isInsideMessage {
            close(.truncatedMessage)
        } else {
            state = .inputEnded
        }
    }

    /// Queues a reply; one to a oneway call is ignored, and so is any once the connection is closing: the peer would not read it.
    ///
    /// - Throws: ``ReplyError`` when the call has no answer due.
    public mutating func reply(to id: Call.ID, _ message: EncodedMessage) throws(ReplyError) {
        try reply(to: id, continues: message.continues) { OutputQueue.append(message.bytes, to: &$0) }
    }

    /// Queues a last reply, which `write` appends, as one whole message with its NUL.
    ///
    /// - Throws: ``ReplyError`` when the call has no answer due.
    package mutating func reply(
        to id: Call.ID, writing write: (inout [UInt8]) -> Void
    ) throws(ReplyError) {
        try reply(to: id, continues: false, write)
    }

    private mutating func reply(
        to id: Call.ID, continues: Bool, _ write: (inout [UInt8]) -> Void
    ) throws(ReplyError) {
        if case .closing = state { return }
        guard !id.isOneway else { return }
        let waiting = output.count + replies.heldBytes
        try replies.reply(to: id.sequence, continues: continues, into: &output, write)
        // What waited before, not what waits now: a single big answer is no sign of a slow reader.
        if waiting > limits.backlog { cutOff(slowReader, because: .slowReader(limit: limits.backlog)) }
    }

    /// Queues a last reply with `parameters`.
    ///
    /// - Throws: ``ReplyError`` when the call has no answer due.
    public mutating func reply(to id: Call.ID, _ parameters: JSON.Object) throws(ReplyError) {
        try reply(to: id, EncodedMessage(reply: parameters))
    }

    /// Queues an error as the last reply.
    ///
    /// - Throws: ``ReplyError`` when the call has no answer due.
    public mutating func fail(_ id: Call.ID, _ error: MethodError) throws(ReplyError) {
        try reply(to: id, EncodedMessage(error: error))
    }

    /// Turns the client away: `error` is the last it hears.
    public mutating func refuse(_ error: MethodError) {
        if case .closing = state { return }
        cutOff(error, because: .refused(error))
    }

    private mutating func accept(_ json: JSON) -> Call? {
        let envelope: Envelope
        do {
            envelope = try Envelope(json)
        } catch {
            let isUnambiguous = replies.count == 0
            close(.notACall(field: error.parameters["parameter"]?.string ?? ""))
            if isUnambiguous { output.append(EncodedMessage(error: error).bytes) }
            return nil
        }
        guard let id = admit(envelope.mode) else { return nil }
        if envelope.isUpgrade {
            // Cannot fail: the call was admitted a line ago and no other code knows it.
            try? fail(id, .methodNotImplemented(envelope.method))
            return nil
        }
        return Call(
            id: id, method: envelope.method, parameters: envelope.parameters, mode: envelope.mode)
    }

    /// A place in the order for a call, unless there are too many.
    package mutating func admit(_ mode: CallMode) -> Call.ID? {
        if mode == .oneway {
            onewayCount += 1
            return Call.ID(sequence: onewayCount, isOneway: true)
        }
        guard replies.count < limits.calls else {
            close(.tooManyCalls(limit: limits.calls))
            return nil
        }
        guard mode != .more || replies.subscriptions < limits.subscriptions else {
            close(.tooManySubscriptions(limit: limits.subscriptions))
            return nil
        }
        return Call.ID(sequence: replies.add(isMore: mode == .more), isOneway: false)
    }

    /// Stops reading and answering; what is queued may still be sent.
    private mutating func close(_ reason: CloseReason) {
        state = .closing(reason)
        replies.removeAll()
        frames = FrameReader(limit: limits.message)
    }

    private mutating func cutOff(_ error: MethodError, because reason: CloseReason) {
        close(reason)
        output.dropUnbegun()
        output.append(EncodedMessage(error: error).bytes)
    }
}

extension ServerConnection {
    /// Why the connection must end; `nil` while it goes on.
    ///
    /// Write what is pending as far as the socket takes it without waiting, then close.
    public var closeReason: CloseReason? {
        switch state {
        case .open: nil
        case .inputEnded: replies.count == 0 && output.isEmpty ? .finished : nil
        case .closing(let reason): reason
        }
    }

    /// Whether more should be read now: no longer once it closes, and not while half the bound of calls or of the backlog is used.
    public var wantsInput: Bool {
        state == .open && replies.count < max(1, limits.calls / 2)
            && output.count + replies.heldBytes <= limits.backlog / 2
    }

    /// How many bytes wait to be sent.
    public var outputPending: Int { output.count }

    /// How many bytes of answers are kept: what waits to be sent, and what waits for answers to earlier calls.
    public var outputHeld: Int { output.count + replies.heldBytes }

    /// How many bytes are kept of a message whose end has not come.
    public var inputHeld: Int { frames.partial.count }

    /// Whether calls that have come are carried out now: not those that would wait with half of all that may wait, and not while
    /// half the bound of the backlog is used.
    ///
    /// Behind a subscription answers wait for ever: there the bounds end the connection.
    public var takesCalls: Bool {
        guard output.count <= limits.backlog / 2 else { return false }
        return replies.subscriptions > 0 || replies.count < max(1, limits.calls / 2)
    }

    /// How many calls wait for their last answer, subscriptions included.
    public var callsPending: Int { replies.count }

    /// Takes at most `limit` bytes to send; the caller must send them all.
    public mutating func takeOutput(_ limit: Int = .max) -> [UInt8] { output.take(limit) }

    /// Hands all that waits to `write`, which answers how many bytes the socket took.
    ///
    /// - Throws: whatever `write` throws; nothing counts as sent then.
    public mutating func sendOutput<Failure: Error>(
        _ write: (Span<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        try output.send(write)
    }
}
