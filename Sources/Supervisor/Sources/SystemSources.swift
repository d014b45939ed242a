internal import Glibc
public import Lifecycle
internal import Linux
public import Notifications
public import Systemd
internal import Varlink

// Unchecked: all of it is on the thread of its loop.

/// The machine, as far as workers want to hear of it (2.1): what changes there becomes a post or an event for each of those
/// who want it.
///
/// A source that nobody wants is not open, and one that is wakes nobody while nothing happens.
public final class SystemSources: @unchecked Sendable {
    let loop: EventLoop
    let places: SystemPlaces
    /// Where posts go.
    public var post: (WorkerID, Post) -> Void = { _, _ in }
    /// Where events go that are no posts: interruptions, protected data, the time, the machine's sleep.
    public var announce: (WorkerID, Event) -> Void = { _, _ in }
    /// Who is told, in a sentence, what cannot be watched.
    public var report: (String) -> Void = { _ in }
    /// The time of day: microseconds since 1970.
    public var clock: () -> Int64
    var wants: [WorkerID: SystemWants] = [:]
    /// What watches files, while somebody wants that.
    public private(set) var files: PathWatcher?

    /// Sources of which none is open.
    public init(on loop: EventLoop, places: SystemPlaces = SystemPlaces()) {
        self.loop = loop
        self.places = places
        clock = { SystemSources.timeOfDay }
    }

    /// The wall clock now: microseconds since 1970.
    static var timeOfDay: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// Takes in what a worker wants now; nil for one that is gone.
    public func set(_ worker: WorkerID, _ wants: SystemWants?) {
        guard self.wants[worker] != wants else { return }
        self.wants[worker] = wants
        settle()
    }

    /// Ends everything.
    public func close() {
        wants = [:]
        settle()
    }

    /// Opens what somebody wants, and closes what nobody wants any more.
    private func settle() {
        settleFiles()
    }

    private func settleFiles() {
        var paths: Set<String> = []
        for wants in wants.values {
            paths.formUnion(wants.settings)
            paths.formUnion(wants.accounts)
            paths.formUnion(wants.paths)
        }
        if paths.isEmpty {
            files = nil
            return
        }
        let files = files ?? makeFiles()
        self.files = files
        files.watch(paths)
    }

    private func makeFiles() -> PathWatcher {
        PathWatcher(
            on: loop, quietMicroseconds: places.quiet, report: { [unowned self] in report($0) },
            changed: { [unowned self] in fileChanged($0) })
    }

    private func fileChanged(_ change: PathWatcher.Change) {
        let payload = Payload.object([("path", .string(change.path))])
        for (worker, wants) in inOrder {
            if wants.settings.contains(change.path) {
                tell(worker, .settingsChanged, payload: payload)
            }
            if wants.accounts.contains(change.path) {
                tell(worker, .accountChanged, payload: payload)
            }
            if wants.paths.contains(change.path), change.before.exists != change.now.exists {
                tell(
                    worker, .pathsChanged, added: change.now.exists ? [change.path] : [],
                    removed: change.now.exists ? [] : [change.path])
            }
        }
    }

    // MARK: telling

    /// All who want something, always in the same order.
    var inOrder: [(key: WorkerID, value: SystemWants)] { wants.sorted { $0.key < $1.key } }

    /// Posts to one worker.
    func tell(
        _ worker: WorkerID, _ topic: SystemTopic, payload: [UInt8]? = nil, added: [String] = [],
        removed: [String] = []
    ) {
        post(
            worker,
            Post(
                Topic(topic), topic.rule, payload: payload, added: added, removed: removed, at: clock(),
                survives: false))
    }

    /// Posts to each who wants the topic.
    func tell(_ topic: SystemTopic, payload: [UInt8]?) {
        for (worker, wants) in inOrder where wants.topics.contains(topic) {
            tell(worker, topic, payload: payload)
        }
    }

    /// Announces to each who receives the callback.
    func announce(_ callback: Callback) {
        for (worker, wants) in inOrder where wants.announcements.contains(callback) {
            announce(worker, .announced(callback))
        }
    }
}

/// What posts say, in the one form in which equal values are equal bytes: keys in order, no space.
enum Payload {
    static func object(_ members: [(String, JSON)]) -> [UInt8] {
        var object = JSON.Object()
        for (key, value) in members.sorted(by: { $0.0 < $1.0 }) { object[key] = value }
        var bytes: [UInt8] = []
        JSON.object(object).write(into: &bytes)
        return bytes
    }
}
