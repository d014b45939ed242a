/// One direction of a relayed connection: what comes at one end goes out at the other, byte for byte, and so does the end.
///
/// Bytes are under way in a pipe, and nothing is read while they are: a receiver that is slow slows the sender down.
package struct RelayFlow: Hashable, Sendable {
    /// How far it is.
    package enum State: UInt8, Hashable, Sendable, CaseIterable {
        /// Bytes may come.
        case open
        /// The sender has ended; the receiver is told when the bytes are through.
        case ending
        /// The sender's end is broken; the connection is given up when the bytes are through.
        case failing
        /// The receiver knows of the end.
        case done
        /// The receiver takes nothing any more.
        case unwanted
        /// The sender's end is broken, and the bytes are through.
        case failed
    }

    /// What to do next.
    package enum Step: Hashable, Sendable {
        /// Move bytes from the sender into the pipe.
        case read
        /// Move bytes from the pipe to the receiver.
        case write
        /// Tell the receiver that nothing more comes (shutdown(2)).
        case end
        /// Nothing any more.
        case rest
    }

    /// What came of it.
    package enum Outcome: Hashable, Sendable {
        /// So many bytes were moved, one at least.
        case moved(UInt32)
        /// There is nothing to read, or no room to write.
        case wouldWait
        /// The sender has ended.
        case ended
        /// The socket is broken.
        case failed
    }

    /// How far it is.
    package private(set) var state = State.open
    /// How many bytes are in the pipe.
    package private(set) var held: UInt32 = 0

    /// A direction in which nothing has come.
    package init() {}

    /// What to do next.
    package var next: Step {
        if held > 0 { return .write }
        switch state {
        case .open: return .read
        case .ending: return .end
        case .failing, .done, .unwanted, .failed: return .rest
        }
    }

    /// Whether nothing more happens in this direction.
    package var isOver: Bool {
        switch state {
        case .open, .ending, .failing: false
        case .done, .unwanted, .failed: true
        }
    }

    /// Bytes that are there before any has come, such as a header.
    package mutating func hold(_ count: UInt32) { held += count }

    /// ``Step/read`` was tried.
    package mutating func read(_ outcome: Outcome) {
        guard state == .open else { return }
        switch outcome {
        case .moved(let count): held += count
        case .wouldWait: break
        case .ended: state = .ending
        case .failed: state = held > 0 ? .failing : .failed
        }
    }

    /// ``Step/write`` was tried.
    package mutating func wrote(_ outcome: Outcome) {
        switch outcome {
        case .moved(let count):
            held -= min(count, held)
            if held == 0, state == .failing { state = .failed }
        case .wouldWait: break
        case .ended, .failed: refuse()
        }
    }

    /// ``Step/end`` was tried.
    package mutating func ended(_ outcome: Outcome) {
        guard state == .ending, held == 0 else { return }
        state = outcome == .failed ? .unwanted : .done
    }

    /// The receiver takes nothing any more: what is under way is lost.
    package mutating func refuse() {
        guard !isOver else { return }
        held = 0
        state = state == .failing ? .failed : .unwanted
    }
}

/// Both directions of a relayed connection.
package struct RelayedPair: Hashable, Sendable {
    /// One end of it.
    package enum Side: UInt8, Hashable, Sendable, CaseIterable {
        case client
        case server

        /// The other end.
        package var other: Side { self == .client ? .server : .client }
    }

    /// What to wait for at one end.
    package struct Interest: Hashable, Sendable {
        package var input = false
        package var output = false

        /// What to wait for.
        package init(input: Bool = false, output: Bool = false) {
            (self.input, self.output) = (input, output)
        }
    }

    /// What becomes of the connection.
    package enum Verdict: Hashable, Sendable {
        /// It goes on.
        case goesOn
        /// Both directions have come to their ends: what was written is still sent.
        case close
        /// One end was broken, and so is the other one now (RST): a receiver must not take half an answer for a whole one.
        case reset
    }

    /// What the client sends.
    package var request = RelayFlow()
    /// What the server sends.
    package var response = RelayFlow()

    /// A connection through which nothing has passed.
    package init() {}

    /// The direction whose sender is `side`.
    package subscript(from side: Side) -> RelayFlow {
        get { side == .client ? request : response }
        set { if side == .client { request = newValue } else { response = newValue } }
    }

    /// What to wait for at `side`.
    package func interest(_ side: Side) -> Interest {
        Interest(input: self[from: side].next == .read, output: self[from: side.other].next == .write)
    }

    /// `side` is gone: it sends nothing and takes nothing (EPOLLHUP, EPOLLERR), and what it has sent was read.
    package mutating func gone(_ side: Side) {
        self[from: side.other].refuse()
    }

    /// What becomes of it.
    package var verdict: Verdict {
        if request.state == .failed || response.state == .failed { return .reset }
        return request.isOver && response.isOver ? .close : .goesOn
    }
}
