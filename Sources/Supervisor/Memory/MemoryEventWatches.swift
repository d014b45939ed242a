internal import Linux
internal import Systemd

/// Watches of the `memory.events` of all workers, behind one source of the loop.
///
/// A worker at its limit changes them a hundred times a second: whoever has been told is told again after a pause.
final class MemoryEventWatches {
    private static let pause: Int64 = 100_000
    private let watches: FileWatches
    private var workers: [FileWatches.Watch: WorkerID] = [:]
    private let source = SourceBox<IOSource>()
    private let timer = SourceBox<TimeSource>()

    /// No watches yet; `handler` is told whose counts have changed.
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
        timer.handle = try TimeSource(on: loop, accuracy: Self.pause) { [unowned self] _ in
            try? source.handle?.setEnabled(.on)
        }
        source.handle = try IOSource(
            on: loop, descriptor: watches.rawValue, events: .readable, priority: .exits
        ) { [unowned self] _ in
            var changed: Set<WorkerID> = []
            switch watches.read() {
            case .changed(let news): for watch in news { if let id = workers[watch] { changed.insert(id) } }
            case .lost: changed.formUnion(workers.values)
            }
            // One that cannot be silenced is told each time, which is no harm but work.
            if (try? source.handle?.setEnabled(.off)) != nil {
                timer.handle?.arm(at: EventLoop.clock + Self.pause)
            }
            for id in changed.sorted() { handler(id) }
        }
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    /// Watches the group of `worker`; nil where there is nothing to watch.
    func add(_ group: Cgroup, of worker: WorkerID) -> FileWatches.Watch? {
        guard let watch = try? watches.add(group.memoryEventsPath) else { return nil }
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
