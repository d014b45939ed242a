internal import Glibc
public import Linux
public import Systemd

// Unchecked: all of it is on the thread of its loop; what is read elsewhere comes back by `EventLoop.call`.

/// Tells when what a path leads to has changed, however that was done: written in place, replaced, removed, made, moved
/// with its directory, or by a link on the way that points elsewhere now.
///
/// Several changes within `quiet` are one, at the latest after ten times that; what comes out as it was is none. All paths
/// share one inotify descriptor, and nothing wakes us while nobody touches them. Files are read on a thread of their own.
public final class PathWatcher: @unchecked Sendable {
    /// What a path led to before, and what it leads to now.
    public struct Change: Hashable, Sendable {
        /// As it was asked for.
        public let path: String
        /// What was known of it before.
        public let before: FileFingerprint
        /// What is known of it now.
        public let now: FileFingerprint
    }

    private final class Watched {
        var chain: PathChain?
        var watches: Set<Inotify.Watch> = []
        /// Nil until it has been looked at once.
        var fingerprint: FileFingerprint?
        var isBeingLookedAt = false
        var mustLookAgain = false
    }

    private let loop: EventLoop
    private let quiet: Int64
    private let report: (String) -> Void
    private let changed: (Change) -> Void
    /// Who is told of each look at a path, changed or not.
    var looked: (String) -> Void = { _ in }
    private let disk = JobThread()
    private var watched: [String: Watched] = [:]
    private var touched: Set<String> = []
    private var firstTouch: Int64?
    private let timer = SourceBox<TimeSource>()
    private var inotify: Watches?
    private var hasReported = false

    /// The one descriptor, its source, and which steps of which paths each watch stands for.
    private final class Watches {
        let inotify: Inotify
        let source = SourceBox<IOSource>()
        var steps: [Inotify.Watch: [String: Set<PathChain.Role>]] = [:]

        init(_ inotify: consuming Inotify) { self.inotify = inotify }

        // Before its descriptor is closed.
        deinit { source.handle = nil }
    }

    /// Watches nothing yet; `report` is told once, in a sentence, that something cannot be watched.
    public init(
        on loop: EventLoop, quietMicroseconds quiet: Int64 = 100_000, report: @escaping (String) -> Void,
        changed: @escaping (Change) -> Void
    ) {
        self.loop = loop
        self.quiet = quiet
        self.report = report
        self.changed = changed
    }

    /// Whether anything is open for it.
    public var isIdle: Bool { watched.isEmpty }

    /// What is known of `path`; nil before it has been looked at, and for one that is not watched.
    public func present(of path: String) -> FileFingerprint? { watched[path]?.fingerprint }

    /// Watches these from now on, and no others.
    public func watch(_ paths: Set<String>) {
        for (path, entry) in watched where !paths.contains(path) {
            leave(entry.watches, of: path)
            watched[path] = nil
            touched.remove(path)
        }
        for path in paths.sorted() where watched[path] == nil {
            let new = Watched()
            watched[path] = new
            follow(path, new)
            look(path, new)
        }
        guard watched.isEmpty else { return }
        timer.handle = nil
        inotify = nil
    }

    /// Has a path looked at though nothing was heard of it: what a mount covers tells nothing.
    public func touch(_ path: String) {
        if watched[path] != nil { isTouched(path) }
    }

    // MARK: following

    /// Watches every step of a path; those of before go only when the new ones are there.
    private func follow(_ path: String, _ entry: Watched) {
        guard let inotify = inotify ?? open() else { return }
        self.inotify = inotify
        // What changes between looking and watching is seen by looking again.
        for _ in 0..<8 {
            let chain = PathChain(path) { PathEntry(at: $0) }
            if chain == entry.chain { return }
            let before = entry.watches
            leave(before, of: path, stays: true)
            entry.watches = Set(chain.steps.compactMap { watch($0, of: path, inotify) })
            leave(before.subtracting(entry.watches), of: path)
            entry.chain = chain
        }
        // It does not come to rest: on to the next look.
        isTouched(path)
    }

    private func open() -> Watches? {
        do {
            let watches = Watches(try Inotify())
            let read: (IOEvents) -> Void = { [unowned self, unowned watches] _ in
                for event in watches.inotify.read() { heard(event, watches) }
            }
            watches.source.handle = try IOSource(
                on: loop, descriptor: watches.inotify.rawValue, events: .readable, priority: .clients,
                handler: read)
            return watches
        } catch {
            complain("files cannot be watched: \(error)")
            return nil
        }
    }

    private func watch(_ step: PathChain.Step, of path: String, _ watches: Watches) -> Inotify.Watch? {
        do throws(LinuxError) {
            let watch = try watches.inotify.add(step.path, step.role.events)
            watches.steps[watch, default: [:]][path, default: []].insert(step.role)
            return watch
        } catch {
            // Gone since we looked: the next look sees it.
            guard ![ENOENT, ENOTDIR].contains(error.errno) else { return nil }
            complain("\(step.path) cannot be watched: \(error)")
            return nil
        }
    }

    /// Forgets what these watches mean for a path; those that mean nothing to anybody end, unless they stay for now.
    private func leave(_ gone: Set<Inotify.Watch>, of path: String, stays: Bool = false) {
        guard let watches = inotify else { return }
        for watch in gone {
            watches.steps[watch]?[path] = nil
            if !stays, watches.steps[watch]?.isEmpty ?? false {
                watches.steps[watch] = nil
                watches.inotify.remove(watch)
            }
        }
    }

    private func heard(_ event: InotifyEvent, _ watches: Watches) {
        guard let watch = event.watch else {
            // The kernel lost count: any may have changed.
            for path in watched.keys { isTouched(path) }
            return
        }
        for (path, roles) in watches.steps[watch] ?? [:] where roles.contains(where: { $0.concerns(event) }) {
            isTouched(path)
        }
        if event.events.contains(.ignored) { watches.steps[watch] = nil }
    }

    private func complain(_ sentence: String) {
        if !hasReported { report(sentence) }
        hasReported = true
    }

    // MARK: looking

    private func isTouched(_ path: String) {
        touched.insert(path)
        let now = EventLoop.clock
        let first = firstTouch ?? now
        firstTouch = first
        if timer.handle == nil {
            let settle: (Int64) -> Void = { [unowned self] _ in self.settle() }
            timer.handle = try? TimeSource(on: loop, accuracy: 1000, priority: .clients, handler: settle)
        }
        timer.handle?.arm(at: min(now + quiet, first + 10 * quiet))
    }

    private func settle() {
        let paths = touched
        touched = []
        firstTouch = nil
        for path in paths.sorted() {
            guard let entry = watched[path] else { continue }
            entry.chain = nil
            follow(path, entry)
            look(path, entry)
        }
    }

    private func look(_ path: String, _ entry: Watched) {
        guard !entry.isBeingLookedAt else {
            entry.mustLookAgain = true
            return
        }
        entry.isBeingLookedAt = true
        let (loop, asker) = (loop, Asker(self))
        let job: @Sendable () -> Void = {
            let fingerprint = FileFingerprint(of: path)
            let answer: @Sendable () -> Void = { asker.watcher?.looked(path, fingerprint) }
            loop.call(answer)
        }
        disk.perform(job)
    }

    // Unchecked: only the loop's thread asks it for the watcher.
    private final class Asker: @unchecked Sendable {
        weak var watcher: PathWatcher?

        init(_ watcher: PathWatcher) { self.watcher = watcher }
    }

    private func looked(_ path: String, _ fingerprint: FileFingerprint) {
        guard let entry = watched[path], entry.isBeingLookedAt else { return }
        entry.isBeingLookedAt = false
        if entry.mustLookAgain {
            entry.mustLookAgain = false
            look(path, entry)
        }
        let before = entry.fingerprint
        entry.fingerprint = fingerprint
        looked(path)
        guard let before, before != fingerprint else { return }
        changed(Change(path: path, before: before, now: fingerprint))
    }
}

extension PathChain.Role {
    /// What is watched.
    fileprivate var events: InotifyEvents {
        switch self {
        case .passed: [.attributes, .deletedSelf, .movedSelf, .dontFollow]
        case .awaits: [.created, .movedTo, .deletedSelf, .movedSelf, .onlyDirectory]
        case .loses: [.deleted, .movedFrom, .onlyDirectory]
        case .file: [.closedAfterWriting, .modified, .attributes, .deletedSelf, .movedSelf, .dontFollow]
        case .directory:
            [
                .created, .movedTo, .movedFrom, .deleted, .closedAfterWriting, .attributes, .deletedSelf,
                .movedSelf, .onlyDirectory,
            ]
        }
    }

    /// Whether it is about us: in a directory others' names come and go too.
    fileprivate func concerns(_ event: InotifyEvent) -> Bool {
        // Others may watch the same place for more.
        let ends: InotifyEvents = [.ignored, .unmounted]
        guard !event.events.isDisjoint(with: events.union(ends)) else { return false }
        return switch self {
        case .awaits(let name), .loses(let name): event.name.isEmpty || event.name == name
        case .passed, .file, .directory: true
        }
    }
}
