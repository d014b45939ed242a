package import Linux
package import SupervisorPorts
package import Systemd

/// Watches of a file of each worker's group, such as its `cgroup.events`, behind one source of the loop.
///
/// The kernel tells at most every 10 ms: what the supervisor changes itself is looked at at once, this is for changes by other processes.
/// Of a file that changes far more often, such as the `memory.events` of a worker at its limit, more is heard after a pause only.
package final class WorkerWatches {
    private let watches: FileWatches
    private var workers: [FileWatches.Watch: WorkerID] = [:]
    private let source = SourceBox<IOSource>()
    private let timer = SourceBox<TimeSource>()
    private let pause: Int64
    private var handler: (WorkerID) -> Void = { _ in }

    /// No watches yet; `handler` is told whose file has changed, each worker once for what is there to be read.
    ///
    /// `inherited` is the descriptor of a predecessor in this process, with its watches. `pause` is in microseconds; 0 is none.
    package init(
        on loop: EventLoop, inheriting inherited: Int32? = nil, pause: Int64 = 0,
        handler: @escaping (WorkerID) -> Void
    ) throws {
        if let inherited {
            watches = FileWatches(inheriting: inherited)
        } else {
            watches = try FileWatches()
        }
        self.pause = pause
        if pause > 0 {
            timer.handle = try TimeSource(on: loop, accuracy: pause) { [unowned self] _ in
                try? source.handle?.setEnabled(.on)
            }
        }
        source.handle = try IOSource(
            on: loop, descriptor: watches.rawValue, events: .readable, priority: .exits
        ) { [unowned self] _ in
            let changed = read()
            rest()
            for id in changed { handler(id) }
        }
        self.handler = handler
    }

    /// Has the handler told now of what the loop would have it told of.
    package func take() {
        // A read takes a few dozen; the rest of a flood is the loop's.
        for _ in 0..<32 {
            let changed = read()
            guard !changed.isEmpty else { return }
            for id in changed { handler(id) }
        }
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    /// Watches `path`, a file of `worker`; nil when it cannot be watched.
    package func add(_ path: String, of worker: WorkerID) -> FileWatches.Watch? {
        guard let watch = try? watches.add(path) else { return nil }
        workers[watch] = worker
        return watch
    }

    /// The descriptor behind which they are, borrowed.
    package var descriptor: Int32 { watches.rawValue }

    /// Goes on with a watch of a predecessor.
    package func take(_ watch: FileWatches.Watch, of worker: WorkerID) { workers[watch] = worker }

    /// Ends a watch.
    package func remove(_ watch: FileWatches.Watch) {
        watches.remove(watch)
        workers[watch] = nil
    }

    /// The workers whose files have changed, in the order of their numbers.
    private func read() -> [WorkerID] {
        switch watches.read() {
        case .changed(let changed) where changed.count == 1: changed.compactMap { workers[$0] }
        case .changed(let changed): Set(changed.compactMap { workers[$0] }).sorted()
        case .lost: workers.values.sorted()
        }
    }

    /// Hears nothing for a while; one that cannot be silenced is told each time, which is no harm but work.
    private func rest() {
        guard pause > 0, (try? source.handle?.setEnabled(.off)) != nil else { return }
        timer.handle?.arm(at: KernelClock.monotonic + pause)
    }
}
