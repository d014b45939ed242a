internal import ControlServer
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import SupervisorPorts
internal import WorkerIO

/// Everything that one daemon hands to the next in the same process.
struct DaemonHandover {
    /// A worker by its name; what is known of it is read when it is there.
    struct WorkerHandover {
        let name: String
        let id: WorkerID
        let isOrphaned: Bool
        /// Its life and all besides, still to be read.
        let life: [UInt8]
        let running: RunningWorkerHandover?
    }

    let began: Instant
    let lock: Int32
    /// The lock of the state directory, where there is one.
    let stateLock: Int32?
    let listeners: [ListenerHandover]
    let isReady: Bool
    let logLevel: String
    let watches: WatchHandover
    /// What the service manager keeps for us, by name.
    let stored: [String]
    let workers: [WorkerHandover]
    let operators: [ConnectionHandover]
    let attachments: [ConnectionHandover]

    /// The descriptors that go along.
    var descriptors: [Int32] {
        [lock] + [stateLock].compactMap(\.self) + watches.descriptors + listeners.map(\.descriptor)
            + workers.flatMap { $0.running?.descriptors ?? [] }
            + (operators + attachments).map(\.descriptor)
    }

    func write(to writer: inout SnapshotWriter) {
        writer.write(Takeover.format)
        writer.write(began)
        writer.write(Int64(lock))
        writer.write(stateLock) { $0.write(Int64($1)) }
        writer.write(all: listeners) { writer, listener in
            writer.write(Int64(listener.descriptor))
            writer.write(listener.ownsFile)
        }
        writer.write(isReady)
        writer.write(logLevel)
        for descriptor in [watches.groups, watches.memory, watches.pressureSocket] {
            writer.write(descriptor) { $0.write(Int64($1)) }
        }
        writer.write(all: stored) { $0.write($1) }
        writer.write(all: workers) { writer, worker in
            writer.write(worker.name)
            writer.write(UInt64(worker.id.rawValue))
            writer.write(worker.isOrphaned)
            writer.write(worker.life)
            writer.write(worker.running) { $1.write(to: &$0) }
        }
        for connections in [operators, attachments] { writer.write(all: connections) { $1.write(to: &$0) } }
    }

    /// Reads the file at `path`; nil without one.
    static func read(_ path: String?) throws -> DaemonHandover? {
        guard let path else { return nil }
        let bytes = try RegularFile.read(path, limit: 1 << 30)
        try AtomicFile.remove(path)
        var reader = SnapshotReader(bytes[...])
        return try DaemonHandover(reading: &reader)
    }

    private init(reading reader: inout SnapshotReader) throws(SnapshotError) {
        let format = try reader.number()
        guard format == Takeover.format else { throw .format(format) }
        began = try reader.moment()
        lock = try reader.descriptor()
        stateLock = try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() }
        listeners = try reader.list { (reader) throws(SnapshotError) in
            ListenerHandover(descriptor: try reader.descriptor(), ownsFile: try reader.flag())
        }
        isReady = try reader.flag()
        logLevel = try reader.text()
        watches = WatchHandover(
            groups: try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() },
            memory: try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() },
            pressureSocket: try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() })
        stored = try reader.list { (reader) throws(SnapshotError) in try reader.text() }
        workers = try reader.list { (reader) throws(SnapshotError) in
            WorkerHandover(
                name: try reader.text(), id: try reader.worker(), isOrphaned: try reader.flag(),
                life: try reader.content(),
                running: try reader.optional { (reader) throws(SnapshotError) in
                    try RunningWorkerHandover(reading: &reader)
                })
        }
        operators = try reader.list { (reader) throws(SnapshotError) in
            try ConnectionHandover(reading: &reader)
        }
        attachments = try reader.list { (reader) throws(SnapshotError) in
            try ConnectionHandover(reading: &reader)
        }
    }

    init(
        began: Instant, lock: Int32, stateLock: Int32?, listeners: [ListenerHandover], isReady: Bool,
        logLevel: String, watches: WatchHandover, stored: [String], workers: [WorkerHandover],
        operators: [ConnectionHandover], attachments: [ConnectionHandover]
    ) {
        self.began = began
        self.lock = lock
        self.stateLock = stateLock
        self.listeners = listeners
        self.isReady = isReady
        self.logLevel = logLevel
        self.watches = watches
        self.stored = stored
        self.workers = workers
        self.operators = operators
        self.attachments = attachments
    }
}
