internal import Continuing
internal import Foreground
internal import Interrupting
package import Lifecycle
internal import Notifications
internal import Scheduling
package import SupervisorPorts

/// Workers that another supervisor has left: with their states, deadlines, queues and tasks.
extension Supervisor {
    /// How long a worker may take to connect anew while it runs; then what only its connection held is over.
    private static let reattachmentGrace = TimeSpan.seconds(5)

    /// Begins to take over what a predecessor has left: what follows from one worker for others waits until all of them are there, and
    /// ``settleInheritance(lastRan:)`` is called.
    ///
    /// A worker that is launched for another one's sake before its own record is taken would be forgotten with that, and launched again.
    package func beginInheritance() { isDraining = true }

    /// Goes on with a worker where its record ends; answers what came of its process, or nil where it had none.
    package func restore(_ record: LiveRecord, as id: WorkerID) -> Adoption? {
        guard let worker = workers[id] else { return nil }
        worker.take(record)
        // What that asks of the kernel has been asked, or is found to be missing.
        if record.wasWanted { _ = worker.life.handle(.woken(.byClient), at: host.now) }
        armInheritedTimers(of: worker)
        tellPlan(.restored(isAnnounced: worker.life.isQueueKnown), of: worker)
        let adoption = takeOver(worker, record)
        takeOverInterruptions(of: worker)
        settleActivities(of: worker.id, .takenOver)
        return adoption
    }

    private func takeOver(_ worker: Worker, _ record: LiveRecord) -> Adoption? {
        guard worker.life.currentLaunch != nil else {
            // What has been posted since the record was written waits for its next launch.
            tellPlan(.receiversChanged, of: worker)
            return nil
        }
        let adoption = host.adopt(
            worker.id, worker.configuration,
            AdoptionRecord(
                pid: worker.life.pid, startTime: record.startTime, sleep: worker.life.expectedSleep,
                launchAskedAt: record.at))
        worker.startTime = host.startTime(of: worker.id)
        switch adoption {
        case .alive(let pid, _):
            // It was on its way to its process when we were killed.
            if worker.life.pid == nil {
                submit(.launched(pid: pid), to: worker)
            } else {
                recover(worker, record)
            }
            if worker.life.isLaunching { host.awaitReadiness(of: worker.id) }
        case .ended:
            break
        case .missing:
            // The launch that was asked for has not happened.
            if let launch = worker.life.currentLaunch { self.launch(launch, of: worker) }
            drain()
            tellPlan(.receiversChanged, of: worker)
        }
        return adoption
    }

    private func recover(_ worker: Worker, _ record: LiveRecord) {
        worker.awaitsReattachment = worker.life.attachedCallbacks != nil
        for task in record.tasks {
            worker.tasks[task.token] = BackgroundTask(name: task.name, since: task.since, requester: .worker)
        }
        worker.lastInheritedTask = record.lastTask
        let now = host.now
        let effects = worker.life.recover(at: now)
        let fresh: Set<UInt32> = Set(
            effects.compactMap { effect in
                guard case .deliver(let delivery) = effect else { return nil }
                return delivery.id
            })
        for delivery in worker.life.batchesInFlight where !fresh.contains(delivery.id) {
            worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: false, since: moment))
        }
        perform(effects, of: worker)
        drain()
        // Those of others have ended with their connections.
        for token in worker.life.taskTokens where worker.tasks[token] == nil {
            submit(.taskEnded(token: token), to: worker)
        }
        beginReattachment(of: worker)
        tellPlan(.receiversChanged, of: worker)
    }

    /// Takes over a process that nothing is remembered of; answers whether there is one.
    package func adoptUnknown(_ id: WorkerID) -> Adoption {
        guard let worker = workers[id] else { return .missing }
        let adoption = host.adopt(id, worker.configuration, AdoptionRecord())
        guard case .alive(let pid, let isAsleep) = adoption else { return adoption }
        worker.startTime = host.startTime(of: id)
        let now = host.now
        worker.life = WorkerLifecycle(
            adopting: pid, isAsleep: isAsleep, policy: worker.configuration.policy, at: now)
        worker.since = now
        worker.awaitsReattachment = worker.life.attachedCallbacks != nil
        perform(worker.life.recover(at: now), of: worker)
        drain()
        worker.isUnrecorded = true
        record(worker)
        beginReattachment(of: worker)
        tellPlan(.receiversChanged, of: worker)
        return adoption
    }

    /// Sees to what follows from all that was taken over together, since ``beginInheritance()``: deadlines, and which workers are in the
    /// foreground.
    package func settleInheritance(lastRan: Instant?) {
        // Those that are in the foreground first: they hold it.
        func rank(_ worker: Worker) -> (Int, WorkerID) { (worker.life.state.isForeground ? 0 : 1, worker.id) }
        for worker in workers.values.sorted(by: { rank($0) < rank($1) }) {
            foregroundGroups.tellAgain(worker.id)
            enqueueNext(settleForeground(of: worker))
        }
        isDraining = false
        drain()
        if let lastRan { stalls.lastRan = min(lastRan, host.now) }
        // No worker could meet a deadline while no supervisor ran.
        accountForStall(at: host.now)
        resetAlarm()
    }

    // MARK: connections

    /// Gives a worker that has connected anew what it has not completed.
    func deliverAgain(to worker: Worker) {
        let entries = worker.onItsWay.filter { !$0.isHook && worker.life.awaits($0.delivery.id) }
        worker.onItsWay.removeAll { !$0.isHook }
        for entry in entries {
            let callback = entry.delivery.callback
            if worker.receiver?.callbacks.contains(callback) ?? false {
                deliver(entry.delivery, to: worker)
            } else {
                submit(.completed(id: entry.delivery.id, .failed), to: worker)
            }
        }
    }

    /// Counts the time that a worker has to connect anew, while it runs.
    func beginReattachment(of worker: Worker) {
        guard worker.awaitsReattachment || worker.lastInheritedTask > 0, worker.life.state != .suspended
        else { return }
        arm(.reattachmentEnd(worker.id), at: host.now + Self.reattachmentGrace)
    }

    /// What has not been claimed by now is over.
    func endReattachment(of id: WorkerID) {
        // It cannot while it sleeps: when it wakes, its time begins anew.
        guard let worker = workers[id], worker.life.state != .suspended else { return }
        let last = worker.lastInheritedTask
        worker.lastInheritedTask = 0
        if worker.awaitsReattachment {
            worker.awaitsReattachment = false
            submit(.detached, to: worker)
            tellPlan(.receiversChanged, of: worker)
        }
        for (token, task) in worker.tasks where token <= last && task.requester == .worker {
            endTask(token, of: id, by: .worker)
        }
    }

    // MARK: records

    /// Writes down what has been asked of the kernel for a worker, before that hears of it: the next supervisor would take it for an outside act.
    ///
    /// A client that wakes a sleeper waits for this: where the record holds but for that, a mark on it is enough until the sleeper runs.
    func recordAct(of worker: Worker, after event: Event, _ effects: [Effect], holds: Bool) {
        guard let records, effects.contains(where: \.actsOnProcess) else { return }
        if holds, case .woken(let wake) = event, wake == .byClient, worker.life.currentIncarnation > 0,
            effects.allSatisfy({ $0 == .thaw || !$0.actsOnProcess })
        {
            records.noteWanted(worker.id)
        } else {
            record(worker)
        }
    }

    /// Writes down what there is of a worker, for the next supervisor; nothing while nothing has happened.
    func record(_ worker: Worker) {
        guard worker.isUnrecorded, let records else { return }
        worker.isUnrecorded = false
        // One that has never run is what its definition says.
        guard worker.life.currentIncarnation > 0 else { return }
        records.write(LiveRecord(of: worker, at: host.now, startTime: worker.startTime), of: worker.id)
    }
}

extension Worker {
    /// Whether it has a receiver for `callback` that has not connected anew yet.
    func awaitsReattachment(for callback: Callback) -> Bool {
        awaitsReattachment && life.attachedCallbacks?.contains(callback) ?? false
    }
}

extension Effect {
    /// Whether it makes, stops or wakes processes.
    var actsOnProcess: Bool {
        switch self {
        case .launch, .freeze, .thaw, .stop, .kill: true
        case .deliver, .inspectResources, .readCPU, .beginUse, .inspectUse, .throttle, .arm, .disarm,
            .publish, .launchCompleted,
            .record, .savedState, .answerTask, .holdOver, .drop, .refuse, .warn, .report:
            false
        }
    }
}

extension WorkerLifecycle {
    /// How the kernel should have it.
    fileprivate var expectedSleep: AdoptionRecord.Sleep {
        if state == .suspended { return isBetweenSleeps ? .waking : .asleep }
        return isBetweenSleeps ? .fallingAsleep : .awake
    }
}
