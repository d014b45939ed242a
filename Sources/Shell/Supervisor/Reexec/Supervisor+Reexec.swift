package import Lifecycle
package import SupervisorPorts
internal import Varlink

/// A worker on its way from one supervisor to the next in the same process: nothing of it is lost.
extension Supervisor {
    /// Whether nobody waits for a disk, and no hook for a notification runs.
    package var isAtRest: Bool {
        pendingIsEmpty && !host.isLaunching && !runsCommands && storedAnswers.isEmpty
            && changedInboxes.isEmpty
            && commitsUnderWay == 0
            && workers.values.allSatisfy { $0.inbox?.batch?.running.isEmpty ?? true }
    }

    /// Writes all that there is of a worker.
    package func pack(_ id: WorkerID, to writer: inout SnapshotWriter) {
        guard let worker = workers[id] else { return }
        var record = SnapshotWriter()
        LiveRecord.write(worker, at: host.now, startTime: worker.startTime, to: &record)
        writer.write(record.bytes)
        writer.write(worker.status) { $0.write($1) }
        writer.write(JSON.object(worker.launchOptions).text)
        writer.write(all: worker.tasks.sorted { $0.key < $1.key }) { writer, task in
            writer.write(UInt64(task.key))
            writer.write(task.value.since)
            writer.write(task.value.name)
            writer.write(task.value.requester)
        }
        writer.write(all: worker.contents.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(UInt64(entry.key))
            Self.write(entry.value.content, to: &writer)
        }
        writer.write(all: worker.onItsWay.filter(\.isHook)) { $0.write(UInt64($1.delivery.id)) }
        let isConnected = worker.receiver?.callbacks.contains(.didReceiveNotifications) ?? false
        writer.write(worker.inbox) { InboxHandover.write($1, isConnected: isConnected, to: &$0) }
        writer.write(all: worker.snapshot) { $0.write($1) }
        // The queue goes along: what is told of what happens from here on is told against what is now.
        (worker.comparison ?? presentTopicState(id)).write(to: &writer)
        writer.write(worker.awaitsReattachment)
        writer.write(UInt64(worker.lastInheritedTask))
    }

    /// Goes on with a worker exactly where it stood; its process and its connections are taken over besides.
    package func unpack(_ reader: inout SnapshotReader, as id: WorkerID) throws(SnapshotError) {
        guard let worker = workers[id] else { throw .broken }
        let record = try LiveRecord(reading: try reader.content(), now: host.now)
        var life = record.life
        worker.life = try WorkerLifecycle(restoring: &life, policy: worker.configuration.policy)
        worker.take(record)
        worker.startTime = record.startTime
        worker.status = try reader.optional { (reader) throws(SnapshotError) in try reader.text() }
        worker.launchOptions = try reader.object()
        let tasks = try reader.list { (reader) throws(SnapshotError) in
            let token = UInt32(truncatingIfNeeded: try reader.number())
            let since = try reader.past()
            let name = try reader.text()
            return (token, BackgroundTask(name: name, since: since, requester: try reader.requester()))
        }
        worker.tasks = Dictionary(tasks) { $1 }
        let contents = try reader.list { (reader) throws(SnapshotError) in
            (UInt32(truncatingIfNeeded: try reader.number()), try Self.content(&reader))
        }
        for (inbound, content) in contents {
            worker.contents[inbound] = Worker.Content(content: content) { _ in }
        }
        let hooks = Set(try reader.list { (reader) throws(SnapshotError) in try reader.number() })
        for delivery in worker.life.batchesInFlight {
            worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: hooks.contains(UInt64(delivery.id))))
        }
        let box = try reader.optional { (reader) throws(SnapshotError) in try InboxHandover.read(&reader) }
        if let box { worker.inbox = box }
        worker.inbox?.isInherited = box != nil
        worker.snapshot = try reader.list { (reader) throws(SnapshotError) in try reader.text() }
        let topicState = try TopicState(reading: &reader)
        worker.comparison = topicState.isEmpty ? nil : topicState
        worker.awaitsReattachment = try reader.flag()
        worker.lastInheritedTask = UInt32(truncatingIfNeeded: try reader.number())
        worker.isUnrecorded = true
        for alarm in worker.life.alarms {
            alarms.arm(.init(due: alarm.due, worker: id, timer: alarm.timer, generation: alarm.generation))
        }
        worker.inbox?.isAnnounced = worker.life.isQueueKnown
    }

    /// Goes on, when all workers, their processes and their connections are there.
    package func resumeLife(of id: WorkerID) {
        guard let worker = workers[id] else { return }
        beginGrace(of: worker)
        if worker.life.isLaunching { host.awaitReadiness(of: id) }
        // A flush that hooks had in hand is over, and begins anew.
        for entry in worker.onItsWay
        where entry.delivery.callback == .didReceiveNotifications && entry.delivery.inbound == nil
            && worker.inbox?.batch == nil
        {
            submit(.completed(id: entry.delivery.id, .failed), to: worker)
        }
        announceAgain(worker)
        record(worker)
    }

    /// A worker's connection has come along.
    package func stayAttached(_ receiver: any CallbackReceiver, to id: WorkerID) {
        workers[id]?.receiver = receiver
    }

    /// Has `answer` called with what becomes of something that waits for a worker; false where nothing like it does.
    package func awaitOutcome(
        of content: InboundContent, for id: WorkerID, then answer: @escaping (DeliveryOutcome) -> Void
    ) -> Bool {
        guard let worker = workers[id],
            let inbound = worker.contents.first(where: { $0.value.content == content })?.key
        else { return false }
        worker.contents[inbound] = Worker.Content(content: content, answer: answer)
        return true
    }

    private static func write(_ content: InboundContent, to writer: inout SnapshotWriter) {
        switch content {
        case .url(let url):
            writer.write(UInt64(0))
            writer.write(url)
        case .activity(let object):
            writer.write(UInt64(1))
            writer.write(JSON.object(object).text)
        case .transfer(let object):
            writer.write(UInt64(2))
            writer.write(JSON.object(object).text)
        // What else there is, is made when it is delivered.
        case .fetch, .savedState, .notifications: writer.write(UInt64(3))
        }
    }

    private static func content(_ reader: inout SnapshotReader) throws(SnapshotError) -> InboundContent {
        switch try reader.number() {
        case 0: .url(try reader.text())
        case 1: .activity(try reader.object())
        case 2: .transfer(try reader.object())
        case 3: .fetch
        default: throw .broken
        }
    }
}
