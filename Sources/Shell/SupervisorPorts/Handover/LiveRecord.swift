package import Budgeting
package import Continuing
package import Interrupting
package import Lifecycle
internal import Linux
package import Processing
package import SnapshotCoding
package import Varlink

/// What a supervisor leaves of one worker for the next one: enough to go on with it.
///
/// It is written with every event of the worker's life, so it is short, and what grows is left out where it is too much. A
/// successor of another version reads it: the fields are told by their numbers, those that it does not know are passed over,
/// and those that are missing have their defaults.
package struct LiveRecord: Sendable {
    /// A background task, by its token.
    package struct Task: Hashable, Sendable {
        package let token: UInt32
        package let since: Instant
        package let name: String

        package init(token: UInt32, since: Instant, name: String) {
            (self.token, self.since, self.name) = (token, since, name)
        }
    }

    /// The format that is written, and the only one that is read: how fields lie in a record.
    ///
    /// What is added to a record does not change it. It changes where an older version could not read what is written, or would
    /// misunderstand it; 4 is the first with numbered fields.
    package static let format: UInt64 = 4

    package var name: String
    /// When it was written.
    package var at: Instant
    /// When the main process started, where no group tells it from another of the same number.
    package var startTime: UInt64?
    package var since: Instant
    package var suspendedFor: TimeSpan?
    package var lastActive: Instant?
    package var wasUsed: Bool
    package var fetchDue: Instant?
    package var status: String?
    package var hasStateFile: Bool
    package var lastTask: UInt32
    package var lastInbound: UInt32
    /// Tasks that the worker itself holds: those of others end with their connections.
    package var tasks: [Task] = []
    package var launchOptions: JSON.Object
    /// What its topics stood at; nil where it hears of nothing.
    package var topicState: TopicState?
    /// What interrupts it; nil where nothing has.
    package var interruptions: InterruptionPlan?
    /// A client had come for the sleeper, and it was being woken for that: which is not in the record itself.
    package var wasWanted = false
    /// What it has used of its wakes, and what is kept; nil where there is nothing of either.
    package var wakeBudget: WakeBudget?
    /// How its fetches are spaced; nil before the first is over.
    package var fetchPace: FetchPace?
    /// The activities that it offers, and the handoff of one; nil where there are none.
    package var giving: GivingPlan?
    /// Its protected data was available once since boot, where it waits for that.
    package var wasUnlocked = false
    /// When its long work is due, and since when it is under way; nil where it has none.
    package var processing: ProcessingStanding?
    /// The version of its program, with which it saves state; nil where none is known.
    package var programVersion: String?
    /// The model of its life; its policy is still to be set.
    package var life: WorkerLifecycle

    /// The most bytes of a status text that are kept.
    private static let longestStatus = 160
    /// The most bytes of launch options that are kept; longer ones are not.
    private static let longestOptions = 256
    /// The most bytes of activities that are kept; those that take more are not.
    private static let longestActivities = 512
    /// The number of the field with the life.
    private static let lifeTag: UInt8 = 31

    /// A record in which nothing is said but that it belongs to `name`, with this life.
    package init(of name: String, at now: Instant, life: WorkerLifecycle) {
        (self.name, at, since, self.life) = (name, now, now, life)
        (wasUsed, hasStateFile, lastTask, lastInbound, launchOptions) = (false, false, 0, 0, [:])
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
        giving = giving?.shortened(to: Self.longestActivities)
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

    private static let blank = LiveRecord(of: "", at: .zero, life: WorkerLifecycle(policy: Policy()))

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
        try c.code("wakeBudget", 17, &wakeBudget)
        try c.code("fetchPace", 18, &fetchPace)
        try c.code("giving", 19, &giving)
        try c.code("wasUnlocked", 20, &wasUnlocked)
        try c.code("processing", 21, &processing)
        try c.code("programVersion", 22, &programVersion)
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
