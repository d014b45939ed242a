internal import Budgeting
internal import Continuing
internal import Interrupting
internal import Lifecycle
internal import Scheduling
internal import SupervisorPorts

/// Everything that is due at a time, in one queue, and the one alarm of the host for the soonest of it.
extension Supervisor {
    /// `item` is due at `moment`, instead of any other moment it was armed for.
    func arm(_ item: DueItem, at moment: Instant, generation: UInt32 = 0) {
        due.arm(item, at: moment, generation: generation)
        resetAlarm()
    }

    /// `item` is not due any more.
    func disarm(_ item: DueItem) {
        due.disarm(item)
        resetAlarm()
    }

    /// Arms the timers that the model of a worker has, which another supervisor has armed.
    func armInheritedTimers(of worker: Worker) {
        for alarm in worker.life.alarms {
            due.arm(.timer(worker.id, alarm.timer), at: alarm.due, generation: alarm.generation)
        }
        if let budget = worker.wakeBudget { arm(budget, of: worker) }
        resetAlarm()
    }

    /// Nothing of a worker that is forgotten is due any more.
    func disarmAll(of worker: Worker) {
        let id = worker.id
        for timer in worker.life.deadlines.map(\.timer) { due.disarm(.timer(id, timer)) }
        for item in [
            DueItem.flushRetry(id), .reattachmentEnd(id), .commandDeadline(id), .reclaim(id),
            .interruptionEnd(id), .budget(id), .handoffEnd(id),
        ] {
            due.disarm(item)
        }
        resetAlarm()
    }

    /// Counts the time of a launch from now on.
    func restartLaunchTime(of worker: Worker) {
        guard let limit = worker.life.policy.limits.launch,
            let alarm = worker.life.alarms.first(where: { $0.timer == .launch })
        else { return }
        arm(.timer(worker.id, .launch), at: host.now + limit, generation: alarm.generation)
    }

    /// Has the host call at the soonest moment at which something is due.
    func resetAlarm() {
        // While what is due is handled, what is due next is known only at the end of it.
        if !isHandlingDue { host.setAlarm(due.nextDue) }
    }

    /// Handles everything that is due.
    package func alarmWentOff() {
        accountForMachineSleep()
        let now = host.now
        isHandlingDue = true
        accountForStall(at: now)
        while let entry = due.popDue(at: now) { handle(entry.key, entry.generation, at: now) }
        isHandlingDue = false
        resetAlarm()
    }

    private func handle(_ item: DueItem, _ generation: UInt32, at now: Instant) {
        switch item {
        case .flushRetry(let id): retryFlush(of: id)
        case .reattachmentEnd(let id): endReattachment(of: id)
        case .commandDeadline(let id): endCommand(of: id)
        case .reclaim(let id): reclaimIfAsleep(id, at: now)
        case .interruptionEnd(let id): settleInterruptions(of: id, .due)
        case .budget(let id): if let worker = workers[id] { settleBudget(of: worker) }
        case .handoffEnd(let id): settleActivities(of: id, .due)
        case .timer(let id, let timer):
            guard let worker = workers[id] else { return }
            if timer == .launch, isHeldBack(worker) { return restartLaunchTime(of: worker) }
            note(overrunOf: timer, by: worker)
            let isTraced = host.isTraced(id)
            submit(.expired(timer, generation: generation, traced: isTraced), to: worker)
        }
    }

    /// Whether its launch waits for other workers, or for its commands before it, which have a limit of their own.
    private func isHeldBack(_ worker: Worker) -> Bool {
        if case .launch = stacks.effects[worker.id] { return true }
        return host.isPreparing(worker.id)
    }

    /// Moves every deadline when the loop did not run at the time at which the first was due (``StallRule``).
    func accountForStall(at now: Instant) {
        guard let absence = stalls.runs(at: now, due: due.nextDue) else { return }
        for worker in workers.values { enqueue(.stalled(absence), to: worker) }
        drain()
    }

    /// Counts the machine's own sleep since the last event as time that has passed for every worker (2.1): deadlines do not run in
    /// it, spans of sleep do.
    func accountForMachineSleep() {
        let slept = host.machineSlept
        let before = machineSlept ?? slept
        guard slept - before >= Self.shortestMachineSleep || machineSlept == nil else { return }
        machineSlept = slept
        guard slept > before else { return }
        for worker in workers.values {
            worker.life.countMachineSleep(slept - before)
            if var budget = worker.wakeBudget {
                budget.machineSlept(slept - before)
                note(budget, of: worker)
                arm(budget, of: worker)
            }
            worker.since = worker.since + (before - slept)
        }
    }
}
