internal import Linux
internal import Notifications
internal import Systemd

/// Tells when protected paths come and go: by a mount or its end, by being unlocked or removed.
///
/// A mount that covers a watched path is not reported by the watch of that path: the table of mounts is watched too.
final class ProtectedPathWatch {
    private let mounts: MountWatch
    private let source = SourceBox<IOSource>()
    private let watcher: PathWatcher
    private var data = ProtectedData()
    private var table = MountTable("")
    private var paths: Set<String> = []
    private let changed: (Set<String>) -> Void
    private let known: () -> Void

    /// Watches no path yet; `changed` is told which stand otherwise now, and `known` that some have been looked at.
    init(
        on loop: EventLoop, _ places: SystemPlaces, report: @escaping (String) -> Void,
        changed: @escaping (Set<String>) -> Void, known: @escaping () -> Void
    ) throws {
        self.changed = changed
        self.known = known
        mounts = try MountWatch(places.mounts)
        let box = LookBox()
        watcher = PathWatcher(
            on: loop, quietMicroseconds: places.quiet, report: report, changed: { _ in box.changed() })
        // Known at first sight too, not only when they change.
        watcher.looked = { _ in box.changed() }
        source.handle = try IOSource(
            on: loop, descriptor: mounts.rawValue, events: .urgent, priority: .clients
        ) { [unowned self] _ in mountsChanged() }
        box.changed = { [unowned self] in look() }
        table = MountTable(try mounts.read())
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    /// A place for what is called once we are there.
    private final class LookBox {
        var changed: () -> Void = {}
    }

    /// Watches these from now on.
    func watch(_ paths: Set<String>) {
        self.paths = paths
        data.keep(paths)
        watcher.watch(paths)
    }

    /// Whether all of these are there.
    func hasAll(_ paths: Set<String>) -> Bool { data.hasAll(paths) }

    /// Whether all of these were there before `changed` changed.
    func hadAll(_ paths: Set<String>, before changed: Set<String>) -> Bool {
        paths.allSatisfy { data.hasAll([$0]) != changed.contains($0) }
    }

    /// Whether all of these have been looked at.
    func knows(_ paths: Set<String>) -> Bool { paths.allSatisfy { data.isThere[$0] != nil } }

    private func mountsChanged() {
        // Ignoring a failure: the kernel writes this file at any time; the next change reads it again.
        guard let text = try? mounts.read() else { return }
        let now = MountTable(text)
        guard now != table else { return }
        table = now
        for path in paths { watcher.touch(path) }
    }

    private func look() {
        var others: Set<String> = []
        for path in paths {
            guard let found = watcher.present(of: path) else { continue }
            let counts = ProtectedData.counts(
                exists: found.exists, isEmptyDirectory: found.isEmptyDirectory,
                isMountPoint: table.points.contains(path))
            if data.take(path, isThere: counts) { others.insert(path) }
        }
        if !others.isEmpty { changed(others) }
        known()
    }
}
