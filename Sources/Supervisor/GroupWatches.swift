internal import Linux
internal import Systemd

/// Watches of what the groups of all workers say of themselves, behind one source of the loop.
///
/// The kernel tells at most every 10 ms: what we change ourselves is looked at at once, this is for what others do.
final class GroupWatches {
    private let watches: FileWatches
    private var workers: [FileWatches.Watch: WorkerID] = [:]
    private let source = SourceBox<IOSource>()

    /// No watches yet; `handler` is told whose group has changed.
    ///
    /// `inherited` is the descriptor of a predecessor in this process, with its watches.
    init(
        on loop: EventLoop, inheriting inherited: Int32? = nil, handler: @escaping (WorkerID) -> Void
    ) throws {
        if let inherited {
            watches = FileWatches(inheriting: inherited)
        } else {
            watches = try FileWatches()
        }
        source.handle = try IOSource(
            on: loop, descriptor: watches.rawValue, events: .readable, priority: .exits
        ) { [unowned self] _ in
            switch watches.read() {
            case .changed(let changed): for watch in changed { if let id = workers[watch] { handler(id) } }
            case .lost: for id in workers.values { handler(id) }
            }
        }
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    /// Watches the group of `worker`; nil when it cannot be watched.
    func add(_ group: Cgroup, of worker: WorkerID) -> FileWatches.Watch? {
        guard let watch = try? watches.add(group.eventsPath) else { return nil }
        workers[watch] = worker
        return watch
    }

    /// The descriptor behind which they are, borrowed.
    var descriptor: Int32 { watches.rawValue }

    /// Goes on with a watch of a predecessor.
    func take(_ watch: FileWatches.Watch, of worker: WorkerID) { workers[watch] = worker }

    /// Ends a watch.
    func remove(_ watch: FileWatches.Watch) {
        watches.remove(watch)
        workers[watch] = nil
    }
}
