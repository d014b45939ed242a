package import Linux
package import Systemd
package import Varlink

/// What a control server has to report: each is one line in a log.
package enum ControlEvent: Sendable {
    /// A client was turned away: too many connections, with the bound that it met.
    case turnedAway(Peer, ConnectionBound)
    /// A process that does not belong to the worker connected to its socket, and was turned away.
    case stranger(Peer)
    /// A call was denied.
    case denied(Peer, method: String)
    /// A client was cut off, or sent what cannot be answered.
    case cutOff(Peer, ServerConnection.CloseReason)
    /// A connection could not be accepted; the next attempt is made a little later.
    case acceptFailed(LinuxError)
    /// The event loop did not take a connection, which is closed.
    case watchFailed(SystemdError)
    /// A handler's mistake: an answer that does not fit its call, or none at all.
    case badAnswer(method: String, why: String)
    /// Events of that user, or of several where it is nil, of which there were too many to report each.
    case omitted(uid: UInt32?, count: Int)

    /// The user that caused it; nil where none is known.
    var uid: UInt32? {
        switch self {
        case .turnedAway(let peer, _), .stranger(let peer), .denied(let peer, method: _),
            .cutOff(let peer, _):
            peer.uid
        case .acceptFailed, .watchFailed, .badAnswer: nil
        case .omitted(let uid, count: _): uid
        }
    }
}

extension ControlEvent: CustomStringConvertible {
    /// One sentence.
    package var description: String {
        switch self {
        case .turnedAway(let peer, let bound): "\(peer): connection rejected: \(bound)"
        case .stranger(let peer): "\(peer): not a process of the worker that owns this socket"
        case .denied(let peer, let method): "\(peer): permission denied for \(method)"
        case .cutOff(let peer, let reason): "\(peer): disconnected: \(Self.text(reason))"
        case .acceptFailed(let error): "cannot accept a control connection: \(error)"
        case .watchFailed(let error): "cannot serve a control connection: \(error)"
        case .badAnswer(let method, let why): "invalid reply to \(method): \(why)"
        case .omitted(let uid?, let count): "\(count) more messages about uid \(uid) were not logged"
        case .omitted(nil, let count): "\(count) more messages about other users were not logged"
        }
    }

    private static func text(_ reason: ServerConnection.CloseReason) -> String {
        switch reason {
        case .brokenMessage(let error): "a message that is not JSON: \(error)"
        case .notACall(let field): "a message that is not a call: \(field.isEmpty ? "not an object" : field)"
        case .messageTooLong(let limit): "a message of more than \(limit) bytes"
        case .truncatedMessage: "the stream ended within a message"
        case .tooManyCalls(let limit): "more than \(limit) calls at once"
        case .tooManySubscriptions(let limit): "more than \(limit) subscriptions"
        case .slowReader(let limit): "more than \(limit) bytes not read"
        case .refused(let error): "\(error.name)"
        case .finished: "done"
        }
    }
}
