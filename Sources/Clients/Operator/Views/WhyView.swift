package import ControlAPI

/// What `torpor why` shows.
package struct WhyView {
    private let reply: SupervisorInterface.Why.Reply

    /// A view of `reply`.
    package init(_ reply: SupervisorInterface.Why.Reply) {
        self.reply = reply
    }

    /// The sentence, which names the worker.
    package func rendered(_ style: Style) -> String {
        // A sentence, and what the worker itself had to say.
        style.users.naming(reply.sentence.printable) + "\n"
            + (reply.lastOutput ?? []).map { style.paint("  | \($0.printable)", .faint) + "\n" }.joined()
    }
}
