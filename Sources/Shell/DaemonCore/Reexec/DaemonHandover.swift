internal import ControlServer
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import SnapshotCoding
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import Waking
internal import WorkerIO

/// Everything that one daemon hands to the next in the same process.
struct DaemonHandover {
    /// A worker by its name; what is known of it is read when it is there.
    struct WorkerHandover {
        let name: String
        let id: WorkerID
        let isOrphaned: Bool
        /// All that there is of it but its process, or why that cannot be read: the others go on then all the same.
        let life: Result<LifeHandover, SnapshotError>
        /// Its process; nil without one.
        let running: RunningWorkerHandover?
        /// Whether it is to get the priorities of the background when it stays there.
        let awaitsPriorities: Bool
        /// The sockets that are open while it is gone.
        let doors: [DoorHandover]
        /// What bind(2) of its processes is answered by.
        let binds: [BindHandover]
        /// What has the sockets that it binds share their ports with those: open until the next supervisor has made its own.
        let sharing: [DoorHandover]
    }

    /// What waits for a worker that is not defined.
    struct ParkedHandover {
        let name: String
        let inbox: InboxHandover
    }

    /// A socket at which clients of a worker wait that is gone.
    struct DoorHandover {
        let descriptor: Int32
    }

    let began: Instant
    let lock: Int32
    /// The lock of the state directory, where there is one.
    let stateLock: Int32?
    let listeners: [ListenerHandover]
    let isReady: Bool
    let logLevel: String
    let watches: WatchHandover
    /// What the service manager keeps for the daemon, by name.
    let stored: [String]
    /// What is held for workers.
    let held: [DescriptorHandover]
    let workers: [WorkerHandover]
    let parked: [ParkedHandover]
    let operators: [ConnectionHandover]
    let attachments: [ConnectionHandover]
    /// The socket of socket activation at which the metrics are served.
    let metrics: Int32?

    /// The descriptors that go along.
    var descriptors: [Int32] {
        [lock] + [stateLock, metrics].compactMap(\.self) + watches.descriptors + listeners.map(\.descriptor)
            + workers.flatMap {
                ($0.running?.descriptors ?? []) + $0.doors.map(\.descriptor)
                    + $0.binds.map(\.descriptor) + $0.sharing.map(\.descriptor)
            }
            + (operators + attachments).map(\.descriptor) + held.map(\.descriptor)
    }

    /// Its text.
    var text: [UInt8] { HandoverWriter.text(of: self) }

    /// Reads the file at `path`, and removes it; nil without one.
    ///
    /// - Throws: an error that names the member that is damaged or missing.
    static func read(_ path: String?) throws -> DaemonHandover? {
        guard let path else { return nil }
        let text = try RegularFile.read(path, limit: 1 << 30)
        try AtomicFile.remove(path)
        do throws(SnapshotError) {
            return try DaemonHandover(reading: text)
        } catch {
            throw HandoverError(path: path, error: error)
        }
    }

    /// What the text of a handover tells; nothing in it has happened after `now`.
    init(
        reading text: [UInt8], now: Instant = Instant(microseconds: KernelClock.monotonic)
    ) throws(SnapshotError) {
        self = try HandoverReader.value(of: text, latest: now.microseconds)
    }

    init(
        began: Instant, lock: Int32, stateLock: Int32?, listeners: [ListenerHandover], isReady: Bool,
        logLevel: String, watches: WatchHandover, stored: [String],
        held: [DescriptorHandover], workers: [WorkerHandover], parked: [ParkedHandover] = [],
        operators: [ConnectionHandover], attachments: [ConnectionHandover], metrics: Int32? = nil
    ) {
        self.began = began
        self.lock = lock
        self.stateLock = stateLock
        self.listeners = listeners
        self.isReady = isReady
        self.logLevel = logLevel
        self.watches = watches
        self.stored = stored
        self.held = held
        self.workers = workers
        self.parked = parked
        self.operators = operators
        self.attachments = attachments
        self.metrics = metrics
    }
}

/// A handover that cannot be read.
struct HandoverError: Error, CustomStringConvertible {
    let path: String
    let error: SnapshotError

    var description: String { "the handover in \(path) cannot be taken over: \(error)" }
}

// MARK: fields

extension DaemonHandover: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: DaemonHandover?) throws(C.Failure) {
        let format = try c.required("format", 1, Takeover.formats.upperBound)
        if !Takeover.formats.contains(format) { try c.refuse("format") }
        began = try c.past("began", 2, value?.began)
        lock = try c.descriptor("lock", 3, value?.lock)
        stateLock = try c.optionalDescriptor("stateLock", 4, value?.stateLock)
        listeners = try c.list("listeners", 5, value?.listeners)
        isReady = try c.flag("isReady", 6, value?.isReady)
        logLevel = try c.value("logLevel", 7, value?.logLevel, or: "info")
        watches = WatchHandover(
            groups: try c.optionalDescriptor("groupWatches", 8, value?.watches.groups),
            memory: try c.optionalDescriptor("memoryWatches", 9, value?.watches.memory),
            pressureSocket: try c.optionalDescriptor("pressureSocket", 10, value?.watches.pressureSocket))
        stored = try c.list("stored", 11, value?.stored)
        workers = try c.list("workers", 12, value?.workers)
        operators = try c.list("operators", 13, value?.operators)
        attachments = try c.list("attachments", 14, value?.attachments)
        held = try c.list("held", 15, value?.held)
        metrics = try c.optionalDescriptor("metrics", 16, value?.metrics)
        parked = try c.list("parked", 17, value?.parked)
    }
}

extension DaemonHandover.WorkerHandover: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(
        _ c: inout C, _ value: DaemonHandover.WorkerHandover?
    ) throws(C.Failure) {
        name = try c.required("name", 1, value?.name)
        id = WorkerID(try c.required("id", 2, value?.id.rawValue))
        isOrphaned = try c.flag("isOrphaned", 3, value?.isOrphaned)
        do throws(C.Failure) {
            life = .success(try c.required("life", 4, try? value?.life.get()))
        } catch {
            life = .failure(error as? SnapshotError ?? .damaged("life"))
        }
        running = try c.optional("running", 5, value?.running)
        awaitsPriorities = try c.flag("awaitsPriorities", 6, value?.awaitsPriorities)
        doors = try c.list("doors", 7, value?.doors)
        binds = try c.list("binds", 8, value?.binds)
        sharing = try c.list("sharing", 9, value?.sharing)
    }
}

extension DaemonHandover.ParkedHandover: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(
        _ c: inout C, _ value: DaemonHandover.ParkedHandover?
    ) throws(C.Failure) {
        name = try c.required("name", 1, value?.name)
        inbox = try c.required("inbox", 2, value?.inbox)
    }
}

extension DaemonHandover.DoorHandover: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(
        _ c: inout C, _ value: DaemonHandover.DoorHandover?
    ) throws(C.Failure) {
        descriptor = try c.descriptor("descriptor", 1, value?.descriptor)
    }
}
