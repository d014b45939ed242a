package import ConfigurationSyntax
internal import Lifecycle
internal import Linux
package import SupervisorPorts
package import Systemd

/// Tells when a device is opened that a worker must not have open in the background (`ReleaseInBackground=…:always`).
///
/// All devices share one inotify descriptor, which stays open, since closing one waits for the kernel; nothing wakes the supervisor while
/// none of them is opened. The kernel does not say by which process one is: that is looked at a moment later, once for many openings.
package final class DeviceOpenings {
    private let loop: EventLoop
    private let inotify: Inotify
    private let source = SourceBox<IOSource>()
    private let timer = SourceBox<TimeSource>()
    private var watches: [Inotify.Watch: Set<WorkerID>] = [:]
    private var due: Set<WorkerID> = []
    private let opened: (WorkerID) -> Void

    /// How long after the first of many openings a worker is looked at.
    private static let delay = TimeSpan.milliseconds(200)
    /// How many devices of one worker are watched.
    private static let most = 256

    /// Watches none yet; `opened` is told of workers one of whose devices has been opened by some process.
    package init(on loop: EventLoop, opened: @escaping (WorkerID) -> Void) throws {
        self.loop = loop
        self.opened = opened
        inotify = try Inotify()
        source.handle = try IOSource(
            on: loop, descriptor: inotify.rawValue, events: .readable, priority: .clients
        ) { [unowned self] _ in read() }
        timer.handle = try TimeSource(on: loop, accuracy: Self.delay.microseconds, priority: .clients) {
            [unowned self] _ in look()
        }
    }

    // Before its descriptor is closed.
    deinit { source.handle = nil }

    /// Watches the devices that are there now and match `devices`, for a worker that runs in the background.
    package func watch(_ worker: WorkerID, _ devices: [PathGlob]) {
        let paths = devices.flatMap(Self.paths).prefix(Self.most)
        for path in paths {
            // Ignoring a failure: it has gone, or this user may not read it; it is still looked for at each end of work.
            guard let watch = try? inotify.add(path, .opened) else { continue }
            watches[watch, default: []].insert(worker)
        }
    }

    /// Watches nothing for a worker any more: it sleeps, or has ended.
    package func forget(_ worker: WorkerID) {
        due.remove(worker)
        for (watch, workers) in watches where workers.contains(worker) {
            watches[watch]?.remove(worker)
            guard watches[watch]?.isEmpty ?? false else { continue }
            watches[watch] = nil
            inotify.remove(watch)
        }
    }

    private func read() {
        let isFirst = due.isEmpty
        for event in inotify.read() {
            // Where events were lost any device may have been opened.
            let concerned =
                event.watch.map { watches[$0] ?? [] } ?? watches.values.reduce(into: []) { $0.formUnion($1) }
            due.formUnion(concerned)
        }
        guard isFirst, !due.isEmpty else { return }
        timer.handle?.arm(at: KernelClock.monotonic + Self.delay.microseconds)
    }

    private func look() {
        let workers = due.sorted()
        due = []
        for worker in workers { opened(worker) }
    }

    /// The paths that are there and match: of a pattern without `*`, `?` and `[` itself.
    static func paths(of glob: PathGlob) -> [String] {
        var found = [""]
        for part in glob.pattern.split(separator: "/") {
            guard part.utf8.contains(where: { "*?[".utf8.contains($0) }) else {
                found = found.map { "\($0)/\(part)" }
                continue
            }
            guard let names = try? PathGlob(parsing: "/\(part)") else { return [] }
            found = found.flatMap { directory in
                ((try? Directory.names(in: directory.isEmpty ? "/" : directory, limit: 10_000)) ?? [])
                    .filter { names.matches("/\($0)") }.sorted().map { "\(directory)/\($0)" }
            }
        }
        return found
    }
}
