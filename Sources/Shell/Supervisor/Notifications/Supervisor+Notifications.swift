internal import Lifecycle
internal import Notifications
package import SupervisorPorts

/// Inboxes as they come from the store, go aside with their workers, and come back with their names.
extension Supervisor {
    /// Its inbox, made when it is needed.
    func openInbox(of worker: Worker) -> Inbox {
        if let inbox = worker.inbox { return inbox }
        let box = Inbox(plan: FlushPlan(NotificationQueue(restoring: [], after: lastUnreadNumber)))
        worker.inbox = box
        return box
    }

    /// Takes over what another supervisor has kept, by the names of workers; before they are taken on.
    package func restore(_ kept: [String: StoredInbox]) {
        for (name, notifications) in kept { parkedInboxes[name] = inbox(notifications) }
    }

    private func inbox(_ notifications: StoredInbox) -> Inbox {
        let queue = NotificationQueue(
            restoring: notifications.entries, knowing: notifications.known,
            after: Self.number(after: notifications))
        return Inbox(
            plan: FlushPlan(queue), book: ScheduleBook(restoring: notifications.schedules))
    }

    /// Numbers that were given out and not kept are not given out again.
    private static func number(after notifications: StoredInbox) -> UInt64 {
        notifications.lastSequence + sequenceGap
    }

    /// Takes over what another supervisor has kept and what could not be read until now: workers have been taken on meanwhile,
    /// and something may wait for them that is not kept.
    package func restoreLate(_ kept: [String: StoredInbox]) {
        lastUnreadNumber = 0
        let known = Dictionary(workers.values.map { ($0.configuration.name, $0) }) { first, _ in first }
        for (name, notifications) in kept {
            let worker = known[name]
            guard let box = worker?.inbox ?? parkedInboxes[name] else {
                parkedInboxes[name] = inbox(notifications)
                if let worker { takeParkedInbox(for: worker) }
                continue
            }
            // One that has come from a predecessor in the same process is complete.
            if box.isInherited { continue }
            box.queue.restore(
                notifications.entries, knowing: notifications.known, after: Self.number(after: notifications))
            // Nothing was scheduled meanwhile: that has to be kept.
            box.book = ScheduleBook(restoring: notifications.schedules)
            if let worker { tellPlan(.receiversChanged, of: worker) }
        }
        var boxes = parkedInboxes.filter(\.value.isInherited)
        for worker in workers.values { boxes[worker.configuration.name] = worker.inbox }
        for (name, box) in boxes.sorted(by: { $0.key < $1.key }) {
            keepDifferences(of: box, from: kept[name].map(inbox) ?? Inbox(), named: name)
        }
        rearmSchedules()
    }

    /// Goes on with an inbox of the supervisor that ran before in the same process, in the place of what the store has of it.
    func take(_ inbox: InboxHandover, of worker: Worker) {
        worker.inbox = take(inbox, in: worker.inbox, of: worker.configuration.name)
    }

    /// The same with what waited for a worker of this name that was not defined; it may be again.
    package func take(_ inbox: InboxHandover, parkedFor name: String) {
        if let id = graph().ids[name], let worker = workers[id] {
            take(inbox, of: worker)
            return tellPlan(.receiversChanged, of: worker)
        }
        parkedInboxes[name] = take(inbox, in: parkedInboxes[name], of: name)
    }

    private func take(_ inbox: InboxHandover, in kept: Inbox?, of name: String) -> Inbox {
        let box = inbox.inbox
        box.isInherited = !inbox.isPartial
        // What cannot be read yet is compared when it can be.
        guard lastUnreadNumber == 0 else { return box }
        if let kept, inbox.isPartial {
            // Its predecessor could not read what was kept before.
            let queue = kept.queue
            box.queue.restore(
                queue.contents + queue.setAside, knowing: queue.knownValues, after: queue.lastSequence)
            box.book = kept.book
        }
        keepDifferences(of: box, from: kept ?? Inbox(), named: name)
        return box
    }

    /// Has the store keep of an inbox of a predecessor what it does not have, and nothing that is over: the disk may not have taken all.
    private func keepDifferences(of box: Inbox, from kept: Inbox, named name: String) {
        box.queue.keepDifferences(from: kept.queue)
        notifications?.keep(box.queue.takeChanges(), of: name, then: nil)
        let schedules = box.book.differences(from: kept.book)
        for entry in schedules.kept { notifications?.keep(entry, of: name, then: nil) }
        for id in schedules.dropped { notifications?.drop(schedule: id, of: name, then: nil) }
    }

    func takeParkedInbox(for worker: Worker) {
        guard let box = parkedInboxes.removeValue(forKey: worker.configuration.name) else { return }
        worker.inbox = box
        tellPlan(.queued, of: worker)
        rearmSchedules()
    }

    /// Puts the inbox of a worker that is forgotten aside, until a worker of that name is defined again.
    func park(_ box: Inbox?, of worker: Worker) {
        guard let box else { return }
        tellPlan(.parked, of: worker)
        keepAllChanges()
        parkedInboxes[worker.configuration.name] = box
        rearmSchedules()
    }

    /// More than a supervisor gives out of numbers that it does not keep.
    private static let sequenceGap: UInt64 = 1 << 20

    /// Drops what waits for a worker and what is scheduled for it: it is gone for good.
    package func dropNotifications(of id: WorkerID) {
        guard let worker = workers[id], let box = worker.inbox else { return }
        box.queue.clear()
        keepChanges(of: worker)
        keepAllChanges()
        for entry in box.book.entries {
            notifications?.drop(schedule: entry.id, of: worker.configuration.name, then: nil)
        }
        worker.inbox = nil
        disarm(.flushRetry(id))
        rearmSchedules()
    }
}
