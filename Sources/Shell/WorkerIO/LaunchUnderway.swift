package import Launching
package import Lifecycle

/// A launch that a thread carries out, as the loop sees it: of a worker's main process, or of a hook's command.
package final class LaunchUnderway {
    package let number: UInt64
    package private(set) lazy var ticket = LaunchTicket()
    /// When it is ended; nil is never.
    package var deadline: Instant?
    /// The limit that the deadline comes of, where it is one of a command.
    package var limit: TimeSpan?
    /// When its child was sent SIGKILL.
    package var killedAt: Instant?
    /// What is done with it when it is given up: its thread may hang for ever.
    package var giveUp: (LaunchError) -> Void = { _ in }

    package init(_ number: UInt64, deadline: Instant?) {
        self.number = number
        self.deadline = deadline
    }

    /// Why it is given up.
    package var timeout: LaunchError { ticket.timeout }
}
