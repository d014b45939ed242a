package import Idleness
internal import Lifecycle
internal import Linux
internal import Sockets
internal import Systemd
internal import WorkerIO

/// Watches sockets that the supervisor has open for a worker which does not run, or sleeps: until a client of it wants it.
///
/// It takes descriptors of any origin: those of `ListenStream=` and its kin, and duplicates of what a worker had that was evicted. What
/// comes is judged as at a sleeper's own sockets: neither a port scan nor a probe counts, `WakeOn=`, `WakeFrom=` and `WakeNotFrom=` do. A
/// client that was there before the watch began counts as if it came then. Once a client wants the worker, nothing more is told: who has
/// that come to nothing makes a new watch.
package final class DoorWatch {
    /// One such descriptor.
    package struct Door: Hashable, Sendable {
        /// Its number, borrowed: it stays open for as long as it is watched.
        package let descriptor: Int32
        /// As operators are told: `tcp 0.0.0.0:8080`, `/run/web.sock`.
        package let name: String

        /// The descriptor of this number, called so.
        package init(_ descriptor: Int32, named name: String) {
            (self.descriptor, self.name) = (descriptor, name)
        }
    }

    private struct Watched {
        let door: Door
        let facts: DoorFacts
        let number: UInt32
    }

    private unowned let tools: WakingTools
    private let rules: WakeRules
    private var filter: WakeFilter
    private let owner: SocketOwner
    private var watched: [Watched] = []
    private let again = SourceBox<TimeSource>()
    private var wanted: ((WakeFilter.Reason) -> Void)?
    /// Whether a table is being looked at on a thread.
    private var isLooking = false

    /// A watch of `doors`, judged by `rules`; one at which no client can wait is left out.
    ///
    /// `wanted` is called once at most, from the loop and never during this call.
    package init(
        _ doors: [Door], rules: WakeRules, with tools: WakingTools,
        wanted: @escaping (WakeFilter.Reason) -> Void
    ) {
        self.tools = tools
        self.rules = rules.atDoors
        self.wanted = wanted
        filter = WakeFilter(self.rules)
        let known = doors.compactMap { door in
            (try? DoorFacts(of: door.descriptor)).map { (door, $0) }
        }
        owner = SocketOwner(inodes: Set(known.map(\.1.inode)))
        guard self.rules.watching != .no else { return }
        for (door, facts) in known {
            // Ignoring a failure: nothing but memory could be short.
            guard let number = try? tools.openDoors().add(door.descriptor, of: self) else { continue }
            watched.append(Watched(door: door, facts: facts, number: number))
        }
    }

    deinit { close() }

    /// Whether clients are waited for at any door.
    package var isWatching: Bool { !watched.isEmpty }

    /// Tells nothing any more; the descriptors may be closed when this has returned.
    package func close() {
        for one in watched { tools.forgetDoor(one.number, one.door.descriptor) }
        watched = []
        wanted = nil
        again.handle = nil
    }

    /// Something has come at the door of this number.
    func becameReady(_ number: UInt32) {
        guard let one = watched.first(where: { $0.number == number }) else { return }
        let news = one.facts.news(at: one.door.descriptor)
        if let reason = news.reason(at: one.door.name, by: rules) { return tell(reason) }
        guard news == .knock, rules.hearsConnections else { return }
        // What cannot be looked at counts.
        if one.facts.isHere { look(wasEvent: true) } else { tell(.ready("a connection to \(one.door.name)")) }
    }

    private func look(wasEvent: Bool) {
        guard !isLooking else { return lookSoon() }
        isLooking = true
        tools.own.look { [weak self] sockets in
            guard let self, isWatching else { return }
            isLooking = false
            guard let sockets else { return tell(.unnamed) }
            var facts = WakeFacts()
            facts.add(sockets, of: owner)
            switch filter.judge(facts, wasEvent: wasEvent) {
            case .wake(let reason): tell(reason)
            case .lookAgain(let span): lookAgain(after: span.microseconds)
            case .leave: break
            }
        }
    }

    /// Another one came while a look was under way, which may not have seen it.
    private func lookSoon() { lookAgain(after: 1000) }

    private func lookAgain(after span: Int64) {
        if again.handle == nil {
            again.handle = try? TimeSource(on: tools.loop) { [unowned self] _ in look(wasEvent: false) }
        }
        again.handle?.arm(at: KernelClock.monotonic + span)
    }

    private func tell(_ reason: WakeFilter.Reason) {
        guard let wanted else { return }
        close()
        wanted(reason)
    }
}

/// The doors of all workers, behind one descriptor and one source of the loop; each is told once for each client that comes.
final class DoorSet {
    /// A watch takes its doors out before it goes.
    private struct Entry { unowned let watch: DoorWatch }

    private let loop: EventLoop
    private let set: ReadySet
    private let source = SourceBox<IOSource>()
    private var entries: [UInt32: Entry] = [:]
    private var last: UInt32 = 0

    init(on loop: EventLoop) throws(LinuxError) {
        self.loop = loop
        set = try ReadySet()
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    func add(_ descriptor: Int32, of watch: DoorWatch) throws -> UInt32 {
        if source.handle == nil {
            source.handle = try IOSource(
                on: loop, descriptor: set.rawValue, events: .readable, priority: .notifications
            ) { [unowned self] _ in
                for number in set.ready() { entries[number]?.watch.becameReady(number) }
            }
        }
        repeat { last &+= 1 } while entries[last] != nil
        try set.addEdge(descriptor, as: last)
        entries[last] = Entry(watch: watch)
        return last
    }

    func remove(_ number: UInt32, _ descriptor: Int32) {
        guard entries.removeValue(forKey: number) != nil else { return }
        set.remove(descriptor)
    }
}
