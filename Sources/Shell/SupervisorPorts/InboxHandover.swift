package import Lifecycle
internal import Notifications

/// What was posted to a worker, on its way from one supervisor to the next: what survives us, and what does not.
package enum InboxHandover {
    package static func write(_ box: Inbox, isConnected: Bool, to writer: inout SnapshotWriter) {
        // What hooks had in hand comes back, and is given to them again; what the connection has, it goes on with.
        let stays = isConnected && box.batch?.delivery != nil && box.batch?.running.isEmpty ?? false
        var queue = box.queue
        if !stays { queue.returned() }
        writer.write(all: queue.contents + queue.setAside) { write($1, to: &$0) }
        writer.write(all: queue.inFlight) { write($1, to: &$0) }
        writer.write(all: queue.knownValues.sorted { $0.key.name < $1.key.name }) { writer, known in
            writer.write(known.key.name)
            writer.write(known.value) { $0.write($1) }
        }
        writer.write(queue.lastSequence)
        writer.write(stays ? box.batch?.delivery : nil) { $0.write(UInt64($1)) }
        writer.write(all: box.book.entries) { writer, entry in
            writer.write(entry.id)
            writer.write(entry.post.topic.name)
            writer.write(entry.post.rule.rawValue)
            writer.write(entry.post.payload) { $0.write($1) }
            writer.write(all: entry.post.added) { $0.write($1) }
            writer.write(all: entry.post.removed) { $0.write($1) }
            writer.write(entry.post.survives)
            writer.write(entry.wakes)
            writer.write(entry.due)
            writer.write(entry.period) { $0.write($1) }
            writer.write(entry.poster) { writer, poster in
                writer.write(Int64(poster.uid))
                writer.write(Int64(poster.pid))
                writer.write(poster.program) { $0.write($1) }
            }
        }
    }

    /// The inbox, and the flush that the worker has in hand.
    package static func read(_ reader: inout SnapshotReader) throws(SnapshotError) -> Inbox {
        let waiting = try reader.list { (reader) throws(SnapshotError) in try notification(&reader) }
        let inFlight = try reader.list { (reader) throws(SnapshotError) in try notification(&reader) }
        let pairs = try reader.list { (reader) throws(SnapshotError) in
            let topic = try topic(&reader)
            return (topic, try reader.optional { (reader) throws(SnapshotError) in try reader.content() })
        }
        var known: [Topic: [UInt8]?] = [:]
        for (topic, value) in pairs { known[topic] = .some(value) }
        let last = try reader.number()
        let delivery = try reader.optional { (reader) throws(SnapshotError) in try reader.number() }
        let entries = try reader.list { (reader) throws(SnapshotError) in try schedule(&reader) }
        let box = Inbox(
            queue: NotificationQueue(restoring: waiting, inFlight: inFlight, knowing: known, after: last),
            book: ScheduleBook(restoring: entries))
        if let delivery {
            var batch = Batch()
            batch.delivery = UInt32(truncatingIfNeeded: delivery)
            batch.isWhole = true
            box.batch = batch
        }
        return box
    }

    private static func topic(_ reader: inout SnapshotReader) throws(SnapshotError) -> Topic {
        guard let topic = Topic(try reader.text()) else { throw .broken }
        return topic
    }

    private static func rule(_ reader: inout SnapshotReader) throws(SnapshotError) -> MergeRule {
        guard let rule = MergeRule(rawValue: try reader.text()) else { throw .broken }
        return rule
    }

    private static func texts(_ reader: inout SnapshotReader) throws(SnapshotError) -> [String] {
        try reader.list { (reader) throws(SnapshotError) in try reader.text() }
    }

    private static func write(_ entry: QueuedNotification, to writer: inout SnapshotWriter) {
        writer.write(entry.sequence)
        writer.write(entry.topic.name)
        writer.write(entry.rule.rawValue)
        writer.write(Int64(entry.count))
        writer.write(entry.first)
        writer.write(entry.last)
        writer.write(entry.payload) { $0.write($1) }
        writer.write(all: entry.added) { $0.write($1) }
        writer.write(all: entry.removed) { $0.write($1) }
        writer.write(Int64(entry.dropped))
        writer.write(entry.survives)
        writer.write(Int64(entry.deaths))
        writer.write(entry.isSetAside)
    }

    private static func notification(_ reader: inout SnapshotReader) throws(SnapshotError)
        -> QueuedNotification
    {
        QueuedNotification(
            sequence: try reader.number(), topic: try topic(&reader), rule: try rule(&reader),
            count: Int(clamping: try reader.signed()), first: try reader.signed(), last: try reader.signed(),
            payload: try reader.optional { (reader) throws(SnapshotError) in try reader.content() },
            added: try texts(&reader), removed: try texts(&reader),
            dropped: Int(clamping: try reader.signed()),
            survives: try reader.flag(), deaths: Int(clamping: max(0, try reader.signed())),
            isSetAside: try reader.flag())
    }

    private static func schedule(_ reader: inout SnapshotReader) throws(SnapshotError) -> ScheduleBook.Entry {
        let id = try reader.number()
        let topic = try topic(&reader)
        let rule = try rule(&reader)
        let payload = try reader.optional { (reader) throws(SnapshotError) in try reader.content() }
        let added = try texts(&reader)
        let removed = try texts(&reader)
        let survives = try reader.flag()
        let wakes = try reader.flag()
        let due = try reader.signed()
        let period = try reader.optional { (reader) throws(SnapshotError) in try reader.signed() }
        let post = Post(
            topic, rule, payload: payload, added: added, removed: removed, at: due, survives: survives)
        let poster = try reader.optional { (reader) throws(SnapshotError) in
            CallerIdentity(
                uid: UInt32(clamping: try reader.signed()), pid: Int32(clamping: try reader.signed()),
                program: try reader.optional { (reader) throws(SnapshotError) in try reader.text() })
        }
        return ScheduleBook.Entry(id: id, post, wakes: wakes, due: due, every: period, by: poster)
    }
}
