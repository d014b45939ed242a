public import Varlink

/// Carries out the calls that a control server lets through: methods of its interfaces, with parameters that fit
/// their descriptions, from peers that may make them.
public protocol ControlHandler: AnyObject {
    /// Does what `call` asks for and answers by `responder`, now or later; on the loop's thread.
    func perform(_ call: Call, by peer: Peer, _ responder: Responder)
    /// Goes on with a call that a predecessor has begun, and of which it left this note; the client has had all answers so far.
    func resume(_ call: Call, with note: JSON.Object, by peer: Peer, _ responder: Responder)
}

extension ControlHandler {
    /// Begins it anew, unless it says otherwise.
    public func resume(_ call: Call, with note: JSON.Object, by peer: Peer, _ responder: Responder) {
        perform(call, by: peer, responder)
    }
}

/// Takes posts that were read by themselves, since they come by the thousands.
protocol PostHandler: AnyObject {
    /// Carries one out, of an operator, and answers it by the connection; false where it is to be carried out as all calls are.
    func perform(_ post: PlainPost, _ id: Call.ID, on connection: ControlConnection) -> Bool
}
