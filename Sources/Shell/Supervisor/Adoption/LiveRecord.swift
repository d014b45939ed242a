package import Lifecycle
internal import Linux
package import SupervisorPorts
package import Varlink

/// What a supervisor leaves of one worker for the next one: enough to go on with it.
///
/// It is written with every event of the worker's life, so it is short, and what grows is left out where it is too much.
package struct LiveRecord {
    /// A background task, by its token.
    package struct Task: Hashable {
        package let token: UInt32
        package let since: Instant
        package let name: String
    }

    /// The format that is written, and the only one that is read.
    package static let format: UInt64 = 3

    package let name: String
    /// When it was written.
    package let at: Instant
    /// When the main process started, where no group tells it from another of the same number.
    package let startTime: UInt64?
    package let since: Instant
    package let suspendedFor: TimeSpan?
    package let lastActive: Instant?
    package let wasUsed: Bool
    package let fetchDue: Instant?
    package let status: String?
    package let hasStateFile: Bool
    package let lastTask: UInt32
    package let lastInbound: UInt32
    /// Tasks that the worker itself holds: those of others end with their connections.
    package let tasks: [Task]
    package let launchOptions: JSON.Object
    /// What its topics stood at; nil where it hears of nothing.
    package let topicState: TopicState?
    /// The model of its life, still to be read: that takes a policy.
    package let life: SnapshotReader

    /// Reads what ``write(_:at:startTime:to:)`` has written before `now`.
    ///
    /// Nothing in it is believed: a record from a later clock, or of what happened after it was written, is refused.
    package init(reading bytes: [UInt8], now: Instant) throws(SnapshotError) {
        var reader = SnapshotReader(bytes[...], latest: now)
        let format = try reader.number()
        guard format == Self.format else { throw .format(format) }
        name = try reader.text()
        at = try reader.past()
        reader.latest = at
        startTime = try reader.optional { (reader) throws(SnapshotError) in try reader.number() }
        since = try reader.past()
        suspendedFor = try reader.optional { (reader) throws(SnapshotError) in try reader.span() }
        lastActive = try reader.optional { (reader) throws(SnapshotError) in try reader.past() }
        wasUsed = try reader.flag()
        fetchDue = try reader.optional { (reader) throws(SnapshotError) in try reader.moment() }
        status = try reader.optional { (reader) throws(SnapshotError) in try reader.text() }
        hasStateFile = try reader.flag()
        guard let lastTask = UInt32(exactly: try reader.number()),
            let lastInbound = UInt32(exactly: try reader.number())
        else { throw .broken }
        self.lastTask = lastTask
        self.lastInbound = lastInbound
        tasks = try reader.list { (reader) throws(SnapshotError) in
            guard let token = UInt32(exactly: try reader.number()) else { throw .broken }
            return Task(token: token, since: try reader.past(), name: try reader.text())
        }
        let options = try reader.content()
        launchOptions = (try? JSON(parsing: options.span))?.object ?? [:]
        topicState = try reader.optional { (reader) throws(SnapshotError) in
            try TopicState(reading: &reader)
        }
        life = reader
    }

    /// The most bytes of a status text that are kept.
    private static let longestStatus = 160
    /// The most bytes of launch options that are kept; longer ones are not.
    private static let longestOptions = 256

    /// Writes what there is of `worker`.
    package static func write(
        _ worker: Worker, at now: Instant, startTime: UInt64?, to writer: inout SnapshotWriter
    ) {
        writer.write(format)
        writer.write(worker.configuration.name)
        writer.write(now)
        writer.write(startTime) { $0.write($1) }
        writer.write(worker.since)
        writer.write(worker.suspendedFor) { $0.write($1) }
        writer.write(worker.lastActive) { $0.write($1) }
        writer.write(worker.wasUsed)
        writer.write(worker.fetchDue) { $0.write($1) }
        writer.write(worker.status) { writer, status in
            // Whole characters only: it is shown again.
            writer.write(
                status.utf8.count <= longestStatus ? status : String(status.prefix(longestStatus / 4)))
        }
        writer.write(worker.hasStateFile)
        writer.write(UInt64(worker.lastTask))
        writer.write(UInt64(worker.lastInbound))
        if worker.tasks.isEmpty {
            writer.write(UInt64(0))
        } else {
            writer.write(all: worker.tasks.filter { $0.value.requester == .worker }) { writer, task in
                writer.write(UInt64(task.key))
                writer.write(task.value.since)
                writer.write(task.value.name)
            }
        }
        if worker.launchOptions.members.isEmpty {
            writer.write(UInt64(0))
        } else {
            let options = Array(JSON.object(worker.launchOptions).text.utf8)
            writer.write(options.count <= longestOptions ? options : [])
        }
        writer.write(worker.topicState.isEmpty ? nil : worker.topicState) { $1.write(to: &$0) }
        worker.life.snapshot(to: &writer)
    }
}

extension Worker {
    /// Takes over what a record tells of it besides its life and its process.
    package func take(_ record: LiveRecord) {
        since = record.since
        suspendedFor = record.suspendedFor
        (lastActive, wasUsed) = (record.lastActive, record.wasUsed)
        fetchDue = record.fetchDue
        hasStateFile = record.hasStateFile
        topicState = record.topicState ?? TopicState()
        comparison = record.topicState
        (lastTask, lastInbound) = (record.lastTask, record.lastInbound)
    }
}
