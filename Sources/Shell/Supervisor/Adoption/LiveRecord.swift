package import Interrupting
package import Lifecycle
internal import Linux
package import SnapshotCoding
package import SupervisorPorts
package import Varlink

/// What a supervisor leaves of one worker for the next one: enough to go on with it.
///
/// It is written with every event of the worker's life, so it is short, and what grows is left out where it is too much. A
/// successor of another version reads it: the fields are told by their numbers, those that it does not know are passed over,
/// and those that are missing have their defaults.
package struct LiveRecord {
    /// A background task, by its token.
    package struct Task: Hashable {
        package let token: UInt32
        package let since: Instant
        package let name: String
    }

    /// The format that is written, and the only one that is read: how fields lie in a record.
    ///
    /// What is added to a record does not change it. It changes where an older version could not read what is written, or would
    /// misunderstand it; 4 is the first with numbered fields.
    package static let format: UInt64 = 4

    package private(set) var name: String
    /// When it was written.
    package private(set) var at: Instant
    /// When the main process started, where no group tells it from another of the same number.
    package private(set) var startTime: UInt64?
    package private(set) var since: Instant
    package private(set) var suspendedFor: TimeSpan?
    package private(set) var lastActive: Instant?
    package private(set) var wasUsed: Bool
    package private(set) var fetchDue: Instant?
    package private(set) var status: String?
    package private(set) var hasStateFile: Bool
    package private(set) var lastTask: UInt32
    package private(set) var lastInbound: UInt32
    /// Tasks that the worker itself holds: those of others end with their connections.
    package private(set) var tasks: [Task] = []
    package private(set) var launchOptions: JSON.Object
    /// What its topics stood at; nil where it hears of nothing.
    package private(set) var topicState: TopicState?
    /// What interrupts it; nil where nothing has.
    package private(set) var interruptions: InterruptionPlan?
    /// The model of its life; its policy is still to be set.
    package private(set) var life: WorkerLifecycle

    /// The most bytes of a status text that are kept.
    private static let longestStatus = 160
    /// The most bytes of launch options that are kept; longer ones are not.
    private static let longestOptions = 256
    /// The number of the field with the life.
    private static let lifeTag: UInt8 = 31

    /// What there is of `worker`.
    package init(of worker: Worker, at now: Instant, startTime: UInt64?) {
        name = worker.configuration.name
        at = now
        self.startTime = startTime
        since = worker.since
        suspendedFor = worker.suspendedFor
        lastActive = worker.lastActive
        wasUsed = worker.wasUsed
        fetchDue = worker.fetchDue
        status = worker.status
        hasStateFile = worker.hasStateFile
        lastTask = worker.lastTask
        lastInbound = worker.lastInbound
        if !worker.tasks.isEmpty {
            tasks = worker.tasks.filter { $0.value.requester == .worker }
                .map { Task(token: $0.key, since: $0.value.since, name: $0.value.name) }
        }
        launchOptions = worker.launchOptions
        topicState = worker.topicState.isEmpty ? nil : worker.topicState
        interruptions = worker.interruptions.isInterrupted ? worker.interruptions : nil
        life = worker.life
    }

    /// Reads what ``write(to:)`` has written before `now`.
    ///
    /// Nothing in it is believed: a record from a later clock, or of what happened after it was written, is refused.
    package init(reading bytes: [UInt8], now: Instant) throws(SnapshotError) {
        var reader = RecordReader(bytes[...], latest: now.microseconds)
        let format = try reader.format()
        guard format == Self.format else { throw .format(format) }
        try self.init(&reader, nil)
        try reader.end()
    }

    /// Writes it, short as it has to be.
    package consuming func write(to writer: inout RecordWriter) {
        if let status, status.utf8.count > Self.longestStatus {
            // Whole characters only: it is shown again.
            self.status = String(status.prefix(Self.longestStatus / 4))
        }
        if !launchOptions.members.isEmpty,
            JSON.object(launchOptions).text.utf8.count > Self.longestOptions
        {
            launchOptions = [:]
        }
        writer.begin(format: Self.format)
        code(&writer)
        life.write(to: &writer, as: Self.lifeTag)
        writer.end()
    }
}

extension LiveRecord: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: LiveRecord?) throws(C.Failure) {
        self = value ?? .blank
        try code(&c)
        life = try c.required("life", Self.lifeTag, value?.life)
    }

    private static let blank = LiveRecord()

    private init() {
        (name, at, since, wasUsed) = ("", .zero, .zero, false)
        (hasStateFile, lastTask, lastInbound, launchOptions) = (false, 0, 0, [:])
        life = WorkerLifecycle(policy: Policy())
    }

    /// All fields but the life.
    private mutating func code<C: SnapshotCoder & ~Copyable>(_ c: inout C) throws(C.Failure) {
        try c.code("name", 1, &name)
        try c.code("at", 2, &at)
        try c.checkPast("at", at.microseconds)
        c.latest = at.microseconds
        try c.code("startTime", 3, &startTime)
        try c.code("since", 4, &since)
        try c.code("suspendedFor", 5, &suspendedFor)
        try c.code("lastActive", 6, &lastActive)
        try c.code("wasUsed", 7, &wasUsed)
        try c.code("fetchDue", 8, &fetchDue)
        try c.code("status", 9, &status)
        try c.code("hasStateFile", 10, &hasStateFile)
        try c.code("lastTask", 11, &lastTask, or: 0)
        try c.code("lastInbound", 12, &lastInbound, or: 0)
        try c.code("tasks", 13, &tasks)
        if C.reads || !launchOptions.members.isEmpty {
            launchOptions = try c.jsonObject("launchOptions", 14, C.reads ? nil : launchOptions)
        }
        try c.code("topicState", 15, &topicState)
        try c.code("interruptions", 16, &interruptions)
        try c.checkPast("since", since.microseconds)
        try c.checkPast("lastActive", lastActive?.microseconds)
    }
}

extension LiveRecord.Task: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: LiveRecord.Task?) throws(C.Failure) {
        token = try c.required("token", 1, value?.token)
        since = try c.past("since", 2, value?.since)
        name = try c.required("name", 3, value?.name)
    }
}

extension Worker {
    /// Takes over what a record tells of it besides its process.
    package func take(_ record: LiveRecord) {
        life = record.life
        life.setPolicy(configuration.sharedPolicy)
        since = record.since
        suspendedFor = record.suspendedFor
        (lastActive, wasUsed) = (record.lastActive, record.wasUsed)
        fetchDue = record.fetchDue
        status = record.status
        launchOptions = record.launchOptions
        hasStateFile = record.hasStateFile
        topicState = record.topicState ?? TopicState()
        comparison = record.topicState
        (lastTask, lastInbound) = (record.lastTask, record.lastInbound)
        interruptions = record.interruptions ?? InterruptionPlan()
    }
}
