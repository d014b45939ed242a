package import Notifications
package import Store
package import SupervisorPorts
internal import Varlink

/// Inboxes in the store: as they are in memory, and as rows.
extension Recorder: NotificationStore {
    package func keep(
        _ changes: [NotificationQueue.Change], of worker: String, then answer: ((String?) -> Void)?
    ) {
        keep(changes.map { NotificationChange($0) }, of: worker, then: answer)
    }

    package func keep(_ entry: ScheduleBook.Entry, of worker: String, then answer: ((String?) -> Void)?) {
        keep([.schedule(StoredSchedule(entry))], of: worker, then: answer)
    }

    package func drop(schedule id: UInt64, of worker: String, then answer: ((String?) -> Void)?) {
        keep([.cancel(id)], of: worker, then: answer)
    }

    /// What was kept for each worker in the life of another supervisor; waits for the disk, for the start.
    package func storedInboxes() -> [String: StoredInbox] {
        storedNotifications().mapValues { StoredInbox($0) }
    }
}

extension NotificationChange {
    fileprivate init(_ change: NotificationQueue.Change) {
        switch change {
        case .put(let entry): self = .put(StoredNotification(entry))
        case .delete(let sequence): self = .delete(sequence)
        case .knows(let topic, let payload): self = .knows(topic.name, payload.map(text))
        case .forgets(let topic): self = .forgets(topic.name)
        }
    }
}

extension StoredNotification {
    fileprivate init(_ entry: QueuedNotification) {
        self.init(
            sequence: entry.sequence, topic: entry.topic.name, rule: entry.rule.rawValue,
            count: Int64(entry.count), first: entry.first, last: entry.last, payload: entry.payload,
            added: list(entry.added), removed: list(entry.removed), dropped: Int64(entry.dropped),
            deaths: Int64(entry.deaths), isSetAside: entry.isSetAside)
    }
}

extension StoredSchedule {
    fileprivate init(_ entry: ScheduleBook.Entry) {
        let post = entry.post
        self.init(
            id: entry.id, topic: post.topic.name, rule: post.rule.rawValue, payload: post.payload.map(text),
            added: list(post.added), removed: list(post.removed), wakes: entry.wakes,
            survives: post.survives, due: entry.due, period: entry.period,
            posterUID: entry.poster.map { Int64($0.uid) }, posterPID: entry.poster.map { Int64($0.pid) },
            posterProgram: entry.poster?.program)
    }
}

extension StoredInbox {
    /// Rows that do not hold, by whatever hand, are passed over.
    package init(_ notifications: StoredNotifications) {
        self.init()
        lastSequence = notifications.lastSequence
        for row in notifications.notifications {
            guard let topic = Topic(row.topic), let rule = MergeRule(rawValue: row.rule) else { continue }
            entries.append(
                QueuedNotification(
                    sequence: row.sequence, topic: topic, rule: rule, count: Int(clamping: row.count),
                    first: row.first, last: row.last, payload: row.payload,
                    added: members(row.added), removed: members(row.removed),
                    dropped: Int(clamping: row.dropped), deaths: Int(clamping: row.deaths),
                    isSetAside: row.isSetAside))
        }
        for (name, payload) in notifications.known {
            guard let topic = Topic(name) else { continue }
            known[topic] = .some(payload.map { Array($0.utf8) })
        }
        for row in notifications.schedules {
            guard let topic = Topic(row.topic), let rule = MergeRule(rawValue: row.rule) else { continue }
            let post = Post(
                topic, rule, payload: row.payload.map { Array($0.utf8) }, added: members(row.added),
                removed: members(row.removed), at: row.due, survives: row.survives)
            schedules.append(
                ScheduleBook.Entry(
                    id: row.id, post, wakes: row.wakes, due: row.due, every: row.period, by: poster(of: row)))
        }
    }
}

/// Nil where the numbers are none of a user and a process.
private func poster(of row: StoredSchedule) -> CallerIdentity? {
    guard let uid = row.posterUID.flatMap(UInt32.init(exactly:)),
        let pid = row.posterPID.flatMap(Int32.init(exactly:))
    else { return nil }
    return CallerIdentity(uid: uid, pid: pid, program: row.posterProgram)
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

private func list(_ members: [String]) -> String? {
    members.isEmpty ? nil : JSON.array(members.map { .string($0) }).text
}

private func members(_ list: String?) -> [String] {
    guard let list, let json = try? JSON(parsing: Array(list.utf8).span) else { return [] }
    return json.array?.compactMap(\.string) ?? []
}
