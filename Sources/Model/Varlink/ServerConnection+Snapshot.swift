extension ServerConnection {
    /// A connection as it stands between two chunks, so that another server goes on with it on the same socket.
    public struct Snapshot: Hashable, Sendable {
        /// A call that waits for its last answer, or whose answer waits for those before it.
        public struct Answer: Hashable, Sendable {
            /// Whether the client wants as many answers as there are.
            public var isMore: Bool
            /// Whether it has been answered for good.
            public var isFinished: Bool
            /// Answers that cannot leave yet.
            public var held: [UInt8]

            /// An answer, by its parts.
            public init(isMore: Bool, isFinished: Bool, held: [UInt8]) {
                self.isMore = isMore
                self.isFinished = isFinished
                self.held = held
            }
        }

        /// What has come of a message whose end has not.
        public var partial: [UInt8]
        /// What the client has not taken yet.
        public var output: [UInt8]
        /// The calls that wait, in the order of their answers.
        public var answers: [Answer]
        /// Whether the client sends nothing more.
        public var isInputOver: Bool

        /// A snapshot, by its parts.
        public init(partial: [UInt8], output: [UInt8], answers: [Answer], isInputOver: Bool) {
            self.partial = partial
            self.output = output
            self.answers = answers
            self.isInputOver = isInputOver
        }
    }

    /// How it stands; nil when it is about to end.
    public var snapshot: Snapshot? {
        if case .closing = state { return nil }
        return Snapshot(
            partial: frames.partial, output: output.waiting,
            answers: replies.pending.map {
                Snapshot.Answer(isMore: $0.isMore, isFinished: $0.isFinished, held: $0.held)
            }, isInputOver: state == .inputEnded)
    }

    /// Goes on where another one stood.
    public init(
        limits: Limits = Limits(), slowReader: MethodError, from snapshot: Snapshot
    ) {
        self.init(limits: limits, slowReader: slowReader)
        frames.partial = snapshot.partial
        output.append(snapshot.output)
        replies = ReplyOrder(
            restoring: snapshot.answers.map {
                ReplyOrder.Pending(isMore: $0.isMore, isFinished: $0.isFinished, held: $0.held)
            })
        if snapshot.isInputOver { state = .inputEnded }
    }

    /// The place of a call among the answers of a ``snapshot``; nil where none is due.
    public func place(of id: Call.ID) -> Int? { id.isOneway ? nil : replies.place(of: id.sequence) }

    /// The id of the call at a place, in a connection that has gone on from a snapshot and taken nothing in since.
    ///
    /// Nil is a call that has no answer due.
    public static func id(at place: Int?) -> Call.ID {
        Call.ID(sequence: UInt64(place ?? 0), isOneway: place == nil)
    }
}
