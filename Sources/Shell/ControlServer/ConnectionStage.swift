/// How much is left of a client's connection: no stage leads back to one before it.
///
/// Pure. Closing by the client and the end of its input come in either order.
enum ConnectionStage: Hashable, CaseIterable {
    /// The client sends and reads.
    case open
    /// The client sends nothing more, or nothing more is wanted of it; it reads.
    case inputOver
    /// The client reads nothing more; what it had sent is still to be read and carried out.
    case leftBehind
    /// The client reads nothing more, and all that it had sent has been read.
    case drained
    /// No call is left that could have an answer; what is due is still sent.
    case ending
    /// The server has closed the socket.
    case closed

    /// Whether nothing more is read from the socket.
    var isInputOver: Bool {
        switch self {
        case .open, .leftBehind: false
        case .inputOver, .drained, .ending, .closed: true
        }
    }

    /// Whether the client reads nothing of what is sent.
    var isPeerGone: Bool {
        switch self {
        case .leftBehind, .drained: true
        case .open, .inputOver, .ending, .closed: false
        }
    }

    /// Whether calls can still have an answer that reaches the client.
    var takesAnswers: Bool {
        switch self {
        case .open, .inputOver: true
        case .leftBehind, .drained, .ending, .closed: false
        }
    }

    /// Whether calls that wait are still carried out.
    var takesCalls: Bool {
        switch self {
        case .open, .inputOver, .leftBehind, .drained: true
        case .ending, .closed: false
        }
    }

    /// The input has ended, or is not wanted any more.
    mutating func inputEnds() {
        switch self {
        case .open: self = .inputOver
        case .leftBehind: self = .drained
        case .inputOver, .drained, .ending, .closed: break
        }
    }

    /// The client has closed its side, or its socket has failed.
    mutating func peerCloses() {
        switch self {
        case .open: self = .leftBehind
        case .inputOver, .ending: self = .drained
        case .leftBehind, .drained, .closed: break
        }
    }
}
