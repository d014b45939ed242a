package import Notifications
package import SnapshotCoding

/// What was posted to a worker, on its way from one supervisor to the next: what outlives a supervisor, and what does not.
package struct InboxHandover: SnapshotObject {
    /// The value that the worker knows of a `net` topic.
    private struct KnownValue: SnapshotObject {
        let topic: Topic
        let value: [UInt8]?

        init(topic: Topic, value: [UInt8]?) {
            self.topic = topic
            self.value = value
        }

        init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: KnownValue?) throws(C.Failure) {
            topic = try c.topic("topic", 1, value?.topic)
            self.value = try c.optional("value", 2, value?.value)
        }
    }

    private let waiting: [QueuedNotification]
    private let inFlight: [QueuedNotification]
    private let known: [KnownValue]
    private let lastSequence: UInt64
    /// The flush that the worker has in hand.
    private let delivery: UInt32?
    private let schedules: [ScheduleBook.Entry]
    /// What was kept before could not be read yet, and is not in it.
    package let isPartial: Bool

    /// What there is in `box`; `isConnected` is whether the worker's own connection takes notifications.
    package init(of box: Inbox, isConnected: Bool, isPartial: Bool = false) {
        self.isPartial = isPartial
        // What hooks had in hand comes back, and is given to them again; what the connection has, it goes on with.
        let delivery = isConnected ? box.plan.deliveryOfConnection : nil
        var queue = box.queue
        if delivery == nil { queue.returned() }
        waiting = queue.contents + queue.setAside
        inFlight = queue.inFlight
        known = queue.knownValues.sorted { $0.key.name < $1.key.name }
            .map { KnownValue(topic: $0.key, value: $0.value) }
        lastSequence = queue.lastSequence
        self.delivery = delivery
        schedules = box.book.entries
    }

    /// The inbox, with the flush that the worker has in hand.
    package var inbox: Inbox {
        let known = Dictionary(known.map { ($0.topic, $0.value) }) { $1 }
        let queue = NotificationQueue(
            restoring: waiting, inFlight: inFlight, knowing: known, after: lastSequence)
        return Inbox(
            plan: FlushPlan(queue, inHand: delivery), book: ScheduleBook(restoring: schedules))
    }

    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: InboxHandover?) throws(C.Failure) {
        waiting = try c.list("waiting", 1, value?.waiting)
        inFlight = try c.list("inFlight", 2, value?.inFlight)
        known = try c.list("known", 3, value?.known)
        lastSequence = try c.value("lastSequence", 4, value?.lastSequence, or: 0)
        delivery = try c.optional("delivery", 5, value?.delivery)
        schedules = try c.list("schedules", 6, value?.schedules)
        isPartial = try c.flag("isPartial", 7, value?.isPartial)
    }
}

extension QueuedNotification: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: QueuedNotification?) throws(C.Failure) {
        self.init(
            sequence: try c.required("sequence", 1, value?.sequence),
            topic: try c.topic("topic", 2, value?.topic), rule: try c.requiredName("rule", 3, value?.rule),
            count: try c.value("count", 4, value?.count, or: 1),
            first: try c.value("first", 5, value?.first, or: 0),
            last: try c.value("last", 6, value?.last, or: 0),
            payload: try c.optional("payload", 7, value?.payload),
            added: try c.list("added", 8, value?.added), removed: try c.list("removed", 9, value?.removed),
            dropped: try c.value("dropped", 10, value?.dropped, or: 0),
            survives: try c.flag("survives", 11, value?.survives),
            deaths: max(0, try c.value("deaths", 12, value?.deaths, or: 0)),
            isSetAside: try c.flag("isSetAside", 13, value?.isSetAside),
            told: try c.list("told", 14, value?.told))
    }
}

extension ScheduleBook.Entry: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: ScheduleBook.Entry?) throws(C.Failure) {
        let id = try c.required("id", 1, value?.id)
        var post = Post(
            try c.topic("topic", 2, value?.post.topic), try c.requiredName("rule", 3, value?.post.rule),
            payload: try c.optional("payload", 4, value?.post.payload),
            added: try c.list("added", 5, value?.post.added),
            removed: try c.list("removed", 6, value?.post.removed), at: 0,
            survives: try c.flag("survives", 7, value?.post.survives))
        let wakes = try c.flag("wakes", 8, value?.wakes)
        post.time = try c.required("due", 9, value?.due)
        let period = try c.optional("period", 10, value?.period)
        self.init(
            id: id, post, wakes: wakes, due: post.time, every: period,
            by: try c.optional("poster", 11, value?.poster))
    }
}

extension CallerIdentity: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: CallerIdentity?) throws(C.Failure) {
        self.init(
            uid: try c.required("uid", 1, value?.uid), pid: try c.required("pid", 2, value?.pid),
            program: try c.optional("program", 3, value?.program))
    }
}

extension SnapshotCoder where Self: ~Copyable {
    fileprivate mutating func topic(
        _ name: StaticString, _ tag: UInt8, _ value: Topic?
    ) throws(Failure) -> Topic {
        guard let topic = Topic(try required(name, tag, value?.name)) else { try stop(name) }
        return topic
    }
}
