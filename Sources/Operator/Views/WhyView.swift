public import ControlAPI

/// What `torpor why` shows.
public struct WhyView {
    private let reply: SupervisorInterface.Why.Reply

    /// A view of `reply`.
    public init(_ reply: SupervisorInterface.Why.Reply) {
        self.reply = reply
    }

    /// The sentence, which names the worker.
    public func rendered(_ style: Style) -> String { reply.sentence.printable + "\n" }
}
