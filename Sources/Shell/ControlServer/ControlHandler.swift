package import Varlink

/// Carries out the calls that a control server lets through: methods of its interfaces, with parameters that fit
/// their descriptions, from peers that may make them.
package protocol ControlHandler: AnyObject {
    /// Does what `call` asks for and answers by `responder`, now or later; on the loop's thread.
    func perform(_ call: Call, by peer: Peer, _ responder: Responder)
    /// Goes on with a call that a predecessor has begun, and of which it left this note; the client has had all answers so far.
    func resume(_ call: Call, with note: JSON.Object, by peer: Peer, _ responder: Responder)
}

extension ControlHandler {
    /// Begins it anew, unless it says otherwise.
    package func resume(_ call: Call, with note: JSON.Object, by peer: Peer, _ responder: Responder) {
        perform(call, by: peer, responder)
    }
}

/// Reads messages before they are read as calls: for methods that are called by the thousands.
package protocol MessageHandler: AnyObject {
    /// Carries out the call of an operator that a message makes, where it is one that is read by itself.
    ///
    /// It is admitted by ``ControlConnection/admit()``, and answered by the connection.
    func perform(_ message: Span<UInt8>, on connection: ControlConnection) -> MessageOutcome
}

/// What has become of a message that was looked at before it is read as a call.
package enum MessageOutcome {
    /// It is read as all calls are.
    case unread
    /// It is done, or will be answered.
    case done
    /// It is an admitted call, which is carried out as all calls are.
    case call(Call)
}

/// Calls of one connection that one commit answers, in a row; each kind of handler has its own.
package protocol AnswerBatch: AnyObject {
    /// The commit.
    var commit: UInt64 { get }
    /// The calls with what a successor needs to know to go on with them, in their order.
    var openCalls: [(call: Call, note: JSON.Object)] { get }
}
