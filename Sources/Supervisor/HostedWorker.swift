internal import Lifecycle
internal import Linux
internal import Systemd

/// What the real host keeps of a worker while a process of it, or anything that such a process left, exists.
final class HostedWorker {
    /// What froze it, if it is frozen or asked to be.
    enum Freeze: Hashable {
        case none
        /// We asked, and have not seen it confirmed yet.
        case asked(since: Instant)
        /// We asked, and it is.
        case ours
        /// Somebody else did.
        case outside
    }

    /// The main process has ended; what it left is being cleared away.
    struct Burial {
        let status: ExitStatus
        let oomKilled: Bool
        /// When SIGKILL follows SIGTERM.
        let killsAt: Instant
        var killed = false
    }

    let id: WorkerID
    let blueprint: Blueprint
    let group: Cgroup?
    var main: Int32 = 0
    /// The session or process group that the main process leads.
    var leader: Int32 = 0
    var freeze = Freeze.none
    /// A thaw was asked for and is not confirmed yet.
    var isThawing = false
    /// Its main process is stopped, as far as waitid(2) has told.
    var isStopped = false
    /// We have continued it ourselves: the next WCONTINUED is no news.
    var expectsContinue = false
    var burial: Burial?
    var notify: NotifyEndpoint?
    let eventsWatch = SourceBox<InotifySource>()

    init(_ id: WorkerID, _ blueprint: Blueprint, group: Cgroup?) {
        self.id = id
        self.blueprint = blueprint
        self.group = group
    }
}

/// A place for a handle that comes later than its owner.
final class SourceBox<Handle: ~Copyable> {
    var handle: Handle?

    init() {
        handle = nil
    }
}

/// The notify socket of one worker and the source that watches it.
final class NotifyEndpoint {
    let socket: NotifySocket
    private let source = SourceBox<IOSource>()

    init(
        at address: UnixSocketAddress, mode: UInt32, on loop: EventLoop, handler: @escaping () -> Void
    ) throws {
        socket = try NotifySocket(at: address, mode: mode)
        source.handle = try IOSource(
            on: loop, descriptor: socket.descriptor, events: .readable, priority: .notifications
        ) { _ in handler() }
    }
}
