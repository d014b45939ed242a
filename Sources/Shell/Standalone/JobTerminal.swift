internal import Glibc
internal import Linux
internal import Processes
internal import Synchronization

/// The terminal of a session that `torpor run` shares with the child, whose process group is another: its foreground goes to the child
/// and back to `torpor run`.
///
/// Where standard input is the terminal the child has the foreground from the start. In a pipeline it gets it when it asks for
/// the terminal, as a pager does: until then it belongs to the other commands of the pipeline.
final class JobTerminal: Sendable {
    private let terminal: Terminal
    /// The terminal, where it is not our standard input.
    private let opened: OwnedDescriptor?
    /// Whether the child has the foreground whenever we are brought to it; a launch's thread asks too.
    private let lent: Atomic<Bool>
    private let child = Atomic<Int32>(0)

    /// Nil where our session has no terminal.
    init?() {
        if let terminal = Terminal(descriptor: 0), (try? terminal.foregroundGroup()) != nil {
            self.terminal = terminal
            opened = nil
            lent = Atomic(true)
            return
        }
        let number = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let descriptor = OwnedDescriptor(adopting: number)
        guard let terminal = Terminal(descriptor: number), (try? terminal.foregroundGroup()) != nil else {
            return nil
        }
        self.terminal = terminal
        opened = consume descriptor
        lent = Atomic(false)
    }

    private var isLent: Bool { lent.load(ordering: .relaxed) }

    /// The process group that the child leads; 0 before it does.
    var childGroup: Int32 {
        get { child.load(ordering: .relaxed) }
        set { child.store(newValue, ordering: .relaxed) }
    }

    /// The descriptor whose foreground the child takes; nil in the background, where it is another job's, and where the child
    /// has not asked for it.
    var toHandOver: Int32? { isLent && isOurs ? terminal.descriptor : nil }

    /// Whether a shell controls `torpor run` as a job, and can continue it: its process group is not orphaned, as setpgid(2) says.
    var isJob: Bool {
        var pid = ThisProcess.pid
        let (group, session) = (ThisProcess.group, ThisProcess.session)
        while let parent = ProcessStat.read(pid: pid)?.parent, let above = ProcessStat.read(pid: parent) {
            if above.processGroup != group { return above.session == session }
            pid = parent
        }
        return false
    }

    private var isOurs: Bool { (try? terminal.foregroundGroup()) == ThisProcess.group }

    /// Whether the child has the foreground.
    var isChilds: Bool { childGroup > 0 && (try? terminal.foregroundGroup()) == childGroup }

    /// Gives the child the foreground that it has asked for; false where `torpor run` may not give it.
    func lend() -> Bool {
        guard childGroup > 0, isOurs else { return false }
        lent.store(true, ordering: .relaxed)
        handOver()
        return isChilds
    }

    /// A shell that brings `torpor run` to the foreground means the child.
    func handOver() {
        guard isLent, childGroup > 0, isOurs else { return }
        // Ignoring a failure: the child has gone, and we are next.
        try? terminal.setForegroundGroup(childGroup)
    }

    /// Takes the foreground back from the child's group, or from one without any process left.
    func takeBack() {
        guard childGroup > 0, let group = try? terminal.foregroundGroup(), group != ThisProcess.group,
            group == childGroup || (kill(-group, 0) != 0 && errno == ESRCH)
        else { return }
        // Ignoring a failure: the terminal has been hung up.
        try? terminal.setForegroundGroup(ThisProcess.group)
    }
}
