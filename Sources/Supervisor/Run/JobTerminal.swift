internal import Glibc
internal import Linux

// Unchecked: all of it is on the thread of the loop.

/// The terminal of a session that we share with the child, whose process group is another: its foreground goes to the child
/// and back to us.
final class JobTerminal: @unchecked Sendable {
    private let terminal: Terminal
    /// The process group that the child leads; 0 before it does.
    var childGroup: Int32 = 0

    /// Nil where standard input is no terminal, or not our session's.
    init?() {
        guard let terminal = Terminal(descriptor: 0), (try? terminal.foregroundGroup()) != nil else {
            return nil
        }
        self.terminal = terminal
    }

    /// The descriptor whose foreground the child takes; nil in the background, where it is somebody else's.
    var toHandOver: Int32? { isOurs ? terminal.descriptor : nil }

    /// Whether a shell controls us as a job, and can continue us.
    var isJob: Bool { ThisProcess.session != ThisProcess.pid }

    private var isOurs: Bool { (try? terminal.foregroundGroup()) == ThisProcess.group }

    /// Whoever brings us to the foreground means the child.
    func handOver() {
        guard childGroup > 0, isOurs else { return }
        // Ignoring a failure: the child has gone, and we are next.
        try? terminal.setForegroundGroup(childGroup)
    }

    /// Takes the foreground back from the child's group, or from one of which nobody is left.
    func takeBack() {
        guard childGroup > 0, let group = try? terminal.foregroundGroup(), group != ThisProcess.group,
            group == childGroup || (kill(-group, 0) != 0 && errno == ESRCH)
        else { return }
        // Ignoring a failure: the terminal has been hung up.
        try? terminal.setForegroundGroup(ThisProcess.group)
    }
}
