public import Varlink

/// Carries out the calls that a control server lets through: methods of its interfaces, with parameters that fit
/// their descriptions, from peers that may make them.
public protocol ControlHandler: AnyObject {
    /// Does what `call` asks for and answers by `responder`, now or later; on the loop's thread.
    func perform(_ call: Call, by peer: Peer, _ responder: Responder)
}
