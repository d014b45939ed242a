package import Idleness
package import Lifecycle
internal import Linux
internal import Sockets
package import Systemd
package import WorkerIO

/// What the watches of all sleepers share: the sockets of the supervisor's network namespace, one queue of look-ups, one timer for those that
/// are sampled.
package final class WakingTools {
    let loop: EventLoop
    /// Look-ups that take long: they wait for no process, but read a line for each descriptor.
    package let lookups: DiskQueue
    /// Those of what a sleeper has open, which nothing watches before: they wait for no other look-up.
    let inventories: DiskQueue
    /// How many descriptors of one worker are duplicated at most (`DescriptorsMax=`).
    package var mostDescriptors = 512
    /// How often sockets are looked at where they cannot be duplicated (`SampleSec=`).
    package var sampleInterval = TimeSpan.milliseconds(100)
    /// How the kernel tells its file systems apart; nil where that cannot be found out, so that everything is sampled.
    lazy var systems: KernelFileSystems? = try? KernelFileSystems.probe()
    /// How many connections to a worker that was evicted are accepted at most while it is launched again (`SpliceMax=`).
    package var mostSpliced = 256
    /// Whether workers have groups of cgroup v2.
    package var hasGroups = false
    /// How sockets of evicted workers can change hands here: it is tried when the first one is kept.
    private(set) lazy var doorProspect = DoorProspect.probe(hasGroups: hasGroups)
    /// Whether workers can be given sockets where they bind them: it is tried for the first one that is to be.
    private(set) lazy var lendingProspect = LendingProspect.probe()
    private var migration: MigrationBox?
    /// Starts what passes accepted connections on, and tells of a problem that it has later; nil where it cannot be started.
    package var makeRelay: ((@escaping (String) -> Void) -> (any DoorRelay)?)?
    /// Why there is none.
    package var relayGap: String? { makeRelay == nil ? "there is no torpor-relay" : nil }
    private let timer = SourceBox<TimeSource>()
    /// Looks at what became of wakes.
    package let laterLooks: LaterLooks
    /// Looks at ports that have changed hands.
    let latePorts: LaterLooks
    /// The sockets of the supervisor's network namespace.
    private(set) lazy var own = SocketTable(self)
    /// The sockets at which clients of workers wait that do not run.
    private var madeDoors: DoorSet?
    private var sampled: [ObjectIdentifier: SocketTable] = [:]
    private var tick = 0
    /// Reads the counters of the tables that are sampled, where they alone tell when a sample is due.
    private lazy var segments = makeSegmentWatch()
    private var countersAreWatched = false

    /// The sockets of all workers that the supervisor watches by descriptors of its own.
    func openDoors() throws(LinuxError) -> DoorSet {
        if let madeDoors { return madeDoors }
        let doors = try DoorSet(on: loop)
        madeDoors = doors
        return doors
    }

    /// Tells nothing more of a descriptor.
    func forgetDoor(_ number: UInt32, _ descriptor: Int32) { madeDoors?.remove(number, descriptor) }

    /// Tools that have nothing open yet.
    package init(on loop: EventLoop) {
        self.loop = loop
        lookups = DiskQueue(on: loop)
        inventories = DiskQueue(on: loop)
        laterLooks = LaterLooks(on: loop)
        latePorts = LaterLooks(on: loop)
    }

    /// What moves connections from one listener to another, made once.
    func queueMigration() throws(LinuxError) -> MigrationBox {
        if let migration { return migration }
        let made = MigrationBox(try QueueMigration())
        migration = made
        return made
    }

    /// The tables in which sockets of these processes show, one for each of their network namespaces.
    func tables(of processes: [Int32]) -> [SocketTable] {
        let (hasOwn, others) = NetworkNamespace.places(of: processes)
        return (hasOwn ? [own] : []) + others.values.map { SocketTable(of: $0, self) }
    }

    /// Each says whether connections to the Unix socket of this name are connections to the supervisor: what comes from there wakes no
    /// worker, since the supervisor wakes it where that is meant.
    private var servers: [([UInt8]) -> Bool] = []

    /// Has connections to the sockets of a server of ours left out, by their names.
    package func leaveOut(_ server: @escaping ([UInt8]) -> Bool) { servers.append(server) }

    /// Whether a Unix socket of this name is one of the supervisor's.
    func isServer(_ name: [UInt8]) -> Bool { servers.contains { $0(name) } }

    /// The least time between two such look-ups, in microseconds: the kernel walks through its whole table of connections for each, which
    /// takes some 0.5 ms and leaves the processor's caches with nothing else.
    private static let pause: Int64 = 1_000_000
    private var explained: Int64?

    /// Has `then` called with what woke `owner` without a look since `span` ago, found on a thread; nil, at once, where another one was
    /// looked up within a second, and where it cannot be told.
    ///
    /// `processes` are in its network namespaces.
    func explain(
        _ owner: SocketOwner, _ processes: [Int32], within span: TimeSpan, in cgroup: UInt64?,
        then: @escaping (WakeFilter.Reason?) -> Void
    ) {
        let now = KernelClock.monotonic
        guard explained.map({ now - $0 >= Self.pause }) ?? true else { return then(nil) }
        explained = now
        lookups.perform {
            // Ignoring why it cannot be told: then it is not named.
            let tables = try? SockDiag.tables(of: processes, .inUse, withTraffic: true, cgroup: cgroup)
            return tables?.lazy.compactMap {
                WakeFilter.Reason($0, of: owner, known: owner.inodes, within: span)
            }.first
        } then: {
            then($0)
        }
    }

    /// Has `then` called with whether such a connection to a worker with these processes waits to be accepted; found on a thread.
    package func isLeftWaiting(
        _ sought: AcceptWatch.Sought, by processes: [Int32], in cgroup: UInt64?,
        then: @escaping (Bool) -> Void
    ) {
        lookups.perform {
            let inventory = OpenDescriptors.inventory(of: processes)
            guard case .tcp(let peer) = sought else {
                return SockDiag.unixSockets(near: processes).leaveWaiting(
                    SocketOwner(of: inventory, cgroup: nil))
            }
            // Ignoring why it cannot be told: then nothing is said of it.
            guard let tables = try? SockDiag.tables(of: processes, .inUse, withTraffic: false) else {
                return false
            }
            if let peer { return tables.contains { $0.contains { $0.inode == 0 && $0.remote == peer } } }
            let owner = SocketOwner(of: inventory, cgroup: cgroup)
            return UseFacts.Connection.areLeftWaiting(in: tables, by: owner)
        } then: {
            then($0)
        }
    }

    // MARK: sampling

    /// Has `watch` told of each sample of its tables from now on.
    func sample(_ watch: SleeperWatch) {
        let isFirst = sampled.isEmpty
        for table in watch.tables {
            table.sample(watch)
            sampled[ObjectIdentifier(table)] = table
        }
        if isFirst { armSample() } else { segments?.demand() }
    }

    func stopSampling(_ watch: SleeperWatch) {
        guard !sampled.isEmpty else { return }
        for table in watch.tables where !table.stopSampling(watch) { sampled[ObjectIdentifier(table)] = nil }
        guard sampled.isEmpty else { return }
        timer.handle?.disarm()
        segments?.disarm()
    }

    /// Nil where no descriptor is free for it: the loop looks each time.
    private func makeSegmentWatch() -> SegmentWatch? {
        let loop = loop
        let sampleAll: (Bool) -> Void = { [weak self] in self?.sampleAll(isWhole: $0) }
        let sample = LoopConfined(sampleAll, on: loop)
        return try? SegmentWatch { isWhole in loop.call { sample.value(isWhole) } }
    }

    /// Has the next sample taken after the interval, or later, when counters tell that it would find something.
    private func armSample() {
        let places = sampled.values.compactMap(\.segmentPlace)
        // Ignoring why there is no thread: the loop looks each time.
        countersAreWatched =
            places.count == sampled.count
            && (try? segments?.arm(places, each: sampleInterval.microseconds)) != nil
        guard !countersAreWatched else { return }
        segments?.disarm()
        if timer.handle == nil {
            timer.handle = try? TimeSource(on: loop, accuracy: 5_000, priority: .clients) {
                [unowned self] _ in
                tick &+= 1
                sampleAll(isWhole: tick.isMultiple(of: 2))
            }
        }
        timer.handle?.arm(at: KernelClock.monotonic + sampleInterval.microseconds)
    }

    private func sampleAll(isWhole: Bool) {
        for table in sampled.values {
            table.takeSample(isWhole: isWhole, countersAreWatched: countersAreWatched)
            if isWhole { table.takeSampleOfOthers() }
        }
        if !sampled.isEmpty { armSample() }
    }
}

/// A program that moves connections, which all workers share.
final class MigrationBox {
    private let value: QueueMigration

    init(_ value: consuming QueueMigration) { self.value = value }

    func close(_ door: consuming DoorDescriptor) throws(LinuxError) { try value.close(door) }
}
