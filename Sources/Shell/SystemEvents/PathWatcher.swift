internal import Glibc
package import Linux
package import Systemd
internal import WorkerIO

/// Tells when what a path leads to has changed, however that was done: written in place, replaced, removed, made, moved
/// with its directory, or by a link on the way that points elsewhere now; apart from that, when its attributes have.
///
/// Several changes within `quiet` are one, at the latest after ten times that; what comes out as it was is none. All paths
/// share one inotify descriptor, and nothing wakes the supervisor while they are not touched. The loop itself asks no file system anything:
/// a path is followed, watched and read on threads of their own (``DiskQueue``), since it may lead into one that does not answer.
package final class PathWatcher {
    /// What a path led to before, and what it leads to now.
    package struct Change: Hashable, Sendable {
        /// As it was asked for.
        package let path: String
        /// What was known of it before.
        package let before: FileFingerprint
        /// What is known of it now.
        package let now: FileFingerprint
    }

    private final class Watched {
        /// Tells it from one of the same path that was watched before.
        let number: UInt64
        var watches: Set<Inotify.Watch> = []
        /// Nil until it has been looked at once.
        var fingerprint: FileFingerprint?
        var attributes: FileAttributes?
        var isBeingLookedAt = false
        var mustLookAgain = false
        /// Since when it is watched, by the clock of file systems: a busy machine looks at it some time later.
        let since = KernelClock.coarseWall

        init(_ number: UInt64) { self.number = number }
    }

    private let loop: EventLoop
    private let quiet: Int64
    private let report: (String) -> Void
    private let changed: (Change) -> Void
    /// Is called for each look at a path, changed or not.
    var looked: (String) -> Void = { _ in }
    /// Is told of a path that was written after it was to be watched and before it was looked at first: what it was like is not known.
    package var changedBeforeLook: (String) -> Void = { _ in }
    /// Is told of a path whose attributes or times have changed while its content is as it was.
    package var attributesChanged: (String) -> Void = { _ in }
    private let disk: DiskQueue
    private var watched: [String: Watched] = [:]
    private var lastNumber: UInt64 = 0
    private var touched: Set<String> = []
    private var firstTouch: Int64?
    private let timer = SourceBox<TimeSource>()
    private var inotify: Watches?
    /// What was told while paths are looked at: it may concern one whose watches are not known yet.
    private var strayed = StrayEvents()
    private var hasReported = false

    /// The one descriptor, its source, and which steps of which paths each watch stands for.
    private final class Watches {
        let kernel: Kernel
        let source = SourceBox<IOSource>()
        var steps: [Inotify.Watch: [String: Set<PathChain.Role>]] = [:]

        init(_ inotify: consuming Inotify) { kernel = Kernel(inotify) }

        // Before its descriptor is closed.
        deinit { source.handle = nil }

        // Sendable: an immutable descriptor, of which every use is one system call.
        /// The descriptor, for code that adds watches on other threads.
        final class Kernel: Sendable {
            let inotify: Inotify
            init(_ inotify: consuming Inotify) { self.inotify = inotify }
        }
    }

    /// What was found of a path, and the watches that stand for each step of it.
    private struct Finding: Sendable {
        let fingerprint: FileFingerprint
        let attributes: FileAttributes?
        var watches: [Inotify.Watch: Set<PathChain.Role>] = [:]
        /// Watches of steps that are no longer on its way.
        var left: Set<Inotify.Watch> = []
        /// Its way did not stay the same for one look.
        var isMoving = false
        var complaint: String?

        /// Follows the path and watches every step of it, then reads what it leads to; it may wait for a file system.
        init(_ path: String, _ kernel: Watches.Kernel?) {
            if let kernel { (watches, left, isMoving, complaint) = Self.follow(path, kernel) }
            fingerprint = FileFingerprint(of: path)
            attributes = FileAttributes(of: path)
        }

        private typealias Way = ([Inotify.Watch: Set<PathChain.Role>], Set<Inotify.Watch>, Bool, String?)

        private static func follow(_ path: String, _ kernel: Watches.Kernel) -> Way {
            var known: PathChain?
            var watches: [Inotify.Watch: Set<PathChain.Role>] = [:]
            var all: Set<Inotify.Watch> = []
            var complaint: String?
            // What changes between looking and watching is seen by looking again.
            for _ in 0..<8 {
                let chain = PathChain(path) { PathEntry(at: $0) }
                if chain == known { return (watches, all.subtracting(watches.keys), false, complaint) }
                known = chain
                watches = [:]
                for step in chain.steps {
                    do throws(LinuxError) {
                        let watch = try kernel.inotify.add(step.path, step.role.events)
                        watches[watch, default: []].insert(step.role)
                        all.insert(watch)
                    } catch {
                        // Gone since it was looked at: the next look sees it.
                        guard ![ENOENT, ENOTDIR].contains(error.errno) else { continue }
                        complaint = "cannot watch \(step.path): \(error)"
                    }
                }
            }
            return (watches, all.subtracting(watches.keys), true, complaint)
        }
    }

    /// Watches nothing yet; `report` is told once, in a sentence, that something cannot be watched.
    ///
    /// A path that is looked at for longer than `patience` holds up no other.
    package init(
        on loop: EventLoop, quietMicroseconds quiet: Int64 = 100_000,
        patienceMicroseconds patience: Int64 = 3_000_000, report: @escaping (String) -> Void,
        changed: @escaping (Change) -> Void
    ) {
        self.loop = loop
        self.quiet = quiet
        self.report = report
        self.changed = changed
        disk = DiskQueue(on: loop, patienceMicroseconds: patience)
    }

    /// Whether anything is open for it.
    package var isIdle: Bool { watched.isEmpty }

    /// Whether a path has not been looked at yet, so that a change of it may still be missed.
    package var isLooking: Bool { watched.values.contains { $0.fingerprint == nil } }

    /// What is known of `path`; nil before it has been looked at, and for one that is not watched.
    package func present(of path: String) -> FileFingerprint? { watched[path]?.fingerprint }

    /// Watches these from now on, and no others.
    package func watch(_ paths: Set<String>) {
        for (path, entry) in watched where !paths.contains(path) {
            leave(entry.watches, of: path)
            watched[path] = nil
            touched.remove(path)
        }
        for path in paths.sorted() where watched[path] == nil {
            lastNumber += 1
            let new = Watched(lastNumber)
            watched[path] = new
            look(path, new)
        }
        guard watched.isEmpty else { return }
        timer.handle = nil
        inotify = nil
        strayed.removeAll()
    }

    /// Has a path looked at though nothing was heard of it: what a mount covers tells nothing.
    package func touch(_ path: String) {
        if watched[path] != nil { isTouched(path) }
    }

    // MARK: watches

    private func open() -> Watches? {
        do {
            let watches = Watches(try Inotify())
            let read: (IOEvents) -> Void = { [unowned self, unowned watches] _ in
                for event in watches.kernel.inotify.read() { heard(event, watches) }
            }
            watches.source.handle = try IOSource(
                on: loop, descriptor: watches.kernel.inotify.rawValue, events: .readable, priority: .clients,
                handler: read)
            return watches
        } catch {
            complain("cannot watch files: \(error)")
            return nil
        }
    }

    /// Takes these watches for the steps of a path from now on, instead of those that it had.
    private func settle(_ path: String, _ entry: Watched, _ finding: Finding) {
        guard let watches = inotify else { return }
        let before = entry.watches
        entry.watches = Set(finding.watches.keys)
        for watch in before { watches.steps[watch]?[path] = nil }
        for (watch, roles) in finding.watches { watches.steps[watch, default: [:]][path] = roles }
        leave(before.subtracting(entry.watches).union(finding.left), of: path)
        // It told of something before it was known which path that concerns.
        if finding.isMoving || finding.watches.contains(where: { strayed.concern($0, $1) }) {
            isTouched(path)
        }
    }

    /// Forgets what these watches mean for a path; those that mean nothing to any path end.
    private func leave(_ gone: Set<Inotify.Watch>, of path: String) {
        guard let watches = inotify else { return }
        for watch in gone {
            watches.steps[watch]?[path] = nil
            guard watches.steps[watch]?.isEmpty ?? true else { continue }
            watches.steps[watch] = nil
            watches.kernel.inotify.remove(watch)
        }
    }

    private func heard(_ event: InotifyEvent, _ watches: Watches) {
        guard let watch = event.watch else {
            // The kernel lost count: any may have changed.
            for path in watched.keys { isTouched(path) }
            return
        }
        if disk.count > 0 { strayed.insert(event, of: watch) }
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
        let now = KernelClock.monotonic
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
            if let entry = watched[path] { look(path, entry) }
        }
    }

    private func look(_ path: String, _ entry: Watched) {
        guard !entry.isBeingLookedAt else {
            entry.mustLookAgain = true
            return
        }
        entry.isBeingLookedAt = true
        if inotify == nil { inotify = open() }
        let (kernel, number) = (inotify?.kernel, entry.number)
        disk.perform {
            Finding(path, kernel)
        } then: { [weak self] in
            self?.looked(path, number, $0, kernel)
        }
    }

    private func looked(_ path: String, _ number: UInt64, _ finding: Finding, _ kernel: Watches.Kernel?) {
        // Watches of a descriptor that was closed meanwhile have gone with it.
        let isOpen = kernel != nil && kernel === inotify?.kernel
        guard let entry = watched[path], entry.number == number, entry.isBeingLookedAt else {
            if isOpen {
                let ended = finding.left.union(finding.watches.keys)
                leave(ended.filter { inotify?.steps[$0]?[path] == nil }, of: path)
            }
            return
        }
        entry.isBeingLookedAt = false
        if isOpen { settle(path, entry, finding) }
        if let complaint = finding.complaint { complain(complaint) }
        if entry.mustLookAgain {
            entry.mustLookAgain = false
            look(path, entry)
        }
        if disk.count == 0 { strayed.removeAll() }
        let (before, attributes) = (entry.fingerprint, entry.attributes)
        entry.fingerprint = finding.fingerprint
        entry.attributes = finding.attributes
        // One of the future was written under another clock, whenever that was. Not by the coarse clock, of which the times of files may be
        // a tick ahead (since Linux 6.13).
        if before == nil, let changed = finding.attributes?.changed, changed / 1000 > entry.since,
            changed / 1000 <= KernelClock.wall
        {
            changedBeforeLook(path)
        }
        looked(path)
        guard let before else { return }
        if before != finding.fingerprint {
            changed(Change(path: path, before: before, now: finding.fingerprint))
        } else if attributes != finding.attributes {
            attributesChanged(path)
        }
    }
}

/// Events of watches that are still to be matched with what they stand for.
private struct StrayEvents {
    private var events: [Inotify.Watch: [InotifyEvent]] = [:]

    /// How many of one watch are kept: with more of them any may concern anything.
    private static let most = 64

    mutating func insert(_ event: InotifyEvent, of watch: Inotify.Watch) {
        if events[watch, default: []].count < Self.most { events[watch, default: []].append(event) }
    }

    mutating func removeAll() { events = [:] }

    /// Whether one of `watch` was about a step with these roles.
    func concern(_ watch: Inotify.Watch, _ roles: Set<PathChain.Role>) -> Bool {
        guard let told = events[watch] else { return false }
        return told.count >= Self.most || told.contains { event in roles.contains { $0.concerns(event) } }
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

    /// Whether it concerns this step: events of other names in a directory arrive too.
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
