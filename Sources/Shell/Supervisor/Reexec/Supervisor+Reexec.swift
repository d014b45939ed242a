internal import Lifecycle
internal import Notifications
package import SupervisorPorts

/// A worker on its way from one supervisor to the next in the same process: nothing of it is lost.
extension Supervisor {
    /// Whether no caller waits for a disk, and no hook for a notification runs.
    package var isAtRest: Bool {
        pendingIsEmpty && !host.isLaunching && !runsCommands && storedAnswers.isEmpty
            && changedInboxes.isEmpty
            && commitsUnderWay.isEmpty
            && workers.values.allSatisfy { !($0.inbox?.plan.isRunningHooks ?? false) }
    }

    /// All that there is of a worker but its process and its connections; nil where there is no such worker.
    package func handover(of id: WorkerID) -> LifeHandover? {
        guard let worker = workers[id] else { return nil }
        // The queue goes along: what is told of what happens from here on is told against what is now.
        return LifeHandover(
            of: worker, at: host.now, comparison: worker.comparison ?? presentTopicState(of: id),
            held: stacks.effects[id], isUnread: lastUnreadNumber > 0)
    }

    /// What waits for workers that are not defined, by their names: the disk may not have taken all of it.
    package var parkedHandover: [String: InboxHandover] {
        parkedInboxes.mapValues {
            InboxHandover(of: $0, isConnected: false, isPartial: lastUnreadNumber > 0 && !$0.isInherited)
        }
    }

    /// Goes on with a worker exactly where it stood; its process and its connections are taken over besides.
    package func take(_ handover: LifeHandover, as id: WorkerID) {
        guard let worker = workers[id] else { return }
        worker.take(handover.record)
        worker.startTime = handover.record.startTime
        worker.tasks = Dictionary(handover.tasks.map { ($0.token, $0.task) }) { $1 }
        for entry in handover.contents {
            worker.contents[entry.inbound] = Worker.Content(content: entry.content) { _ in }
        }
        let hooks = Set(handover.hooks)
        for delivery in worker.life.batchesInFlight {
            worker.onItsWay.append(
                OnItsWay(delivery: delivery, isHook: hooks.contains(delivery.id), since: moment))
        }
        if let inbox = handover.inbox { take(inbox, of: worker) }
        worker.snapshot = handover.snapshot
        worker.comparison = handover.comparison
        worker.awaitsReattachment = handover.awaitsReattachment
        worker.lastInheritedTask = handover.lastInheritedTask
        worker.goalOrigin = handover.goalOrigin
        // No process tells of it: it would be waited for in vain.
        if let held = handover.held { stacks.effects[id] = HeldEffect(held, of: worker.life) }
        worker.isUnrecorded = true
        armInheritedTimers(of: worker)
        armInterruptions(of: worker)
        tellPlan(.restored(isAnnounced: worker.life.isQueueKnown), of: worker)
    }

    /// Goes on, when all workers, their processes and their connections are there.
    package func resumeLife(of id: WorkerID) {
        guard let worker = workers[id] else { return }
        beginReattachment(of: worker)
        if worker.life.isLaunching { host.awaitReadiness(of: id) }
        // The question went with the program that was replaced.
        if worker.life.asksForUse { host.inspectUse(of: id) }
        // A flush that hooks had in hand is over, and begins anew.
        for entry in worker.onItsWay
        where entry.delivery.callback == .didReceiveNotifications && entry.delivery.inbound == nil
            && !(worker.inbox?.plan.isHandingOut ?? false)
        {
            submit(.completed(id: entry.delivery.id, .failed), to: worker)
        }
        tellPlan(.receiversChanged, of: worker)
        resumeHandoff(of: worker)
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
            let (inbound, found) = worker.contents.first(where: { $0.value.content.isLike(content) })
        else { return false }
        worker.contents[inbound] = Worker.Content(content: found.content, answer: answer)
        return true
    }
}
