internal import Budgeting
internal import ConfigurationSyntax
internal import Continuing
internal import Interrupting
internal import Lifecycle
internal import Notifications
internal import Pressure
internal import Processing
internal import WorkerFile

/// What is due on the agenda becomes an event for a model, or an action of a process.
extension World {
    /// Whether it still means something: its timer is armed, or its process is there.
    func isCurrent(_ happening: Happening) -> Bool {
        switch happening {
        case .timer(let worker, let timer, let generation):
            armed[worker].contains { $0.generation == generation && $0.timer == timer }
        case .intention(let worker, let process, _), .fact(let worker, let process, _),
            .froze(let worker, let process, _), .thawed(let worker, let process),
            .reclaims(let worker, let process), .over(let worker, .tracing(let process)):
            processes[worker]?.number == process
        case .over(let worker, .use(let before)): uses[worker].ended == before
        case .memoryTick(let number): memory?.tick == number
        case .fetches(let number): fetchTick == number
        case .looksAtMachine(let due): processing.nextLook == due
        case .budgetDue(let worker, let due): budgets[worker].nextDue == due
        case .flushDue(let worker, let due): flushPlans[worker].nextDue == due
        case .policyTimer(let timer, let generation):
            memory?.timers[timer] == generation
        case .launched(let worker, let launch, _): launches[worker] == launch
        case .over(let worker, .interruption(let due)): interruptions[worker].nextDue == due
        case .over(let worker, .handoff(let due)): givings[worker].nextDue == due
        case .transfersDue(let due): transfers.due == due
        case .event, .transferEnds: true
        }
    }

    mutating func happen(_ happening: Happening) {
        switch happening {
        case .timer(let worker, let timer, let generation):
            armed[worker].removeAll { $0.generation == generation }
            let isTraced = processes[worker]?.isTraced ?? false
            give(.expired(timer, generation: generation, traced: isTraced), to: worker)
        case .event(let index, let worker, let count): occur(index, worker, count)
        case .intention(let worker, _, let intention): act(intention, of: worker)
        case .fact(let worker, _, let fact): hear(fact, of: worker)
        case .froze(let worker, _, let succeeded):
            if succeeded {
                processes[worker]?.isFrozen = true
                memoryRuns(worker, false)
            }
            tell(succeeded ? .frozen : .freezeFailed, of: worker)
        case .thawed(let worker, _):
            tell(.thawed, of: worker)
            wake(worker)
        case .launched(let worker, _, let succeeded):
            launches[worker] = nil
            guard succeeded else { return give(.launchFailed(errno: 2), to: worker) }
            start(worker)
        case .memoryTick: memoryTick()
        case .transferEnds(let number, let status): transferEnds(number, status)
        case .transfersDue: transfersAreDue()
        case .fetches: takeFetches()
        case .looksAtMachine: tellProcessing(.read(machine))
        case .budgetDue(let worker, _): settleBudget(of: worker)
        case .flushDue(let worker, _): tellPlan(.due, of: worker)
        case .policyTimer(let timer, let generation):
            memory?.timers[timer] = nil
            settleMemory()
            consider(.expired(timer, generation: generation))
        case .reclaims(let worker, _): reclaim(worker)
        case .over(let worker, let interval): end(interval, of: worker)
        }
    }

    /// The model hears of a process.
    private mutating func hear(_ fact: Fact, of worker: Int) {
        let event: Event
        switch fact {
        case .frozen: event = .frozen
        case .freezeFailed: event = .freezeFailed
        case .thawed: event = .thawed
        case .stoppedOutside: event = .stoppedOutside
        case .continuedOutside: event = .continuedOutside
        case .inspected(let held): event = .inspected(held)
        case .cpuRead(let reading): event = .cpuRead(reading)
        case .usedLast(let use): event = .usedLast(use)
        case .exited(let status, let oomKilled):
            // Nothing of it is told after its end.
            processes[worker] = nil
            releaseMemory(worker)
            give(.exited(status, oomKilled: oomKilled), to: worker)
            tellInterruptions(.processEnded, of: worker)
            tellGiving(.processEnded, of: worker)
            return endUses(worker)
        case .said(let fact): event = self.event(for: fact, of: worker)
        case .hookEnded(let id, let isTaken):
            return tellPlan(.hookEnded(id, problem: isTaken ? nil : .hookFailed(nil)), of: worker)
        }
        give(event, to: worker)
    }

    private func event(for fact: Fact.NotifyReport, of worker: Int) -> Event {
        switch fact {
        case .ready: .ready
        case .reloading: .reloading
        case .stopping: .stopping
        case .extends(let span): .extendTimeout(span)
        case .pinged: .watchdogPinged
        case .triggered: .watchdogTriggered
        case .attached:
            .attached(
                programs[worker].receives.isEmpty
                    ? .all : CallbackSet(programs[worker].receives.map(\.callback)))
        case .detached: .detached
        case .completed(let id, let completion): .completed(id: id, completion)
        case .saved: .savedState(true)
        case .taskBegan(let token): .taskBegan(token: token)
        case .taskEnded(let token): .taskEnded(token: token)
        case .usedTooMuchCPU: .cpuLimitExceeded
        }
    }

    // MARK: the lines of the scenario

    /// Enters an event for each of its workers, each with a chance of its own.
    mutating func plan(_ index: Int, _ event: ScheduledEvent, seed: UInt64) {
        let workers: [Int?] = event.workers.isEmpty ? [nil] : event.workers
        for worker in workers {
            switch event.timing {
            case .at(let span): enter(.event(index, worker: worker, count: 0), after: span)
            case .every(let step, let bounds): enterNext(index, worker, 0, every: step, bounds)
            case .random(let mean, let bounds):
                let wait = wait(worker, mean)
                enterNext(index, worker, 0, at: .zero + (bounds.from ?? .zero) + wait, bounds)
            }
        }
    }

    /// In even steps from the first time, however late the last one was.
    private mutating func enterNext(
        _ index: Int, _ worker: Int?, _ count: Int, every step: TimeSpan, _ bounds: ScheduledEvent.Bounds
    ) {
        let (steps, overflow) = step.microseconds.multipliedReportingOverflow(by: Int64(count))
        guard !overflow else { return }
        let due = Instant.zero + (bounds.from ?? step) + TimeSpan(microseconds: steps)
        enterNext(index, worker, count, at: due, bounds)
    }

    private mutating func enterNext(
        _ index: Int, _ worker: Int?, _ count: Int, at due: Instant, _ bounds: ScheduledEvent.Bounds
    ) {
        if let times = bounds.times, count >= times { return }
        if let until = bounds.until, due >= .zero + until { return }
        enter(.event(index, worker: worker, count: count), at: due)
    }

    private mutating func wait(_ worker: Int?, _ mean: TimeSpan) -> TimeSpan {
        guard let worker else {
            // The machine has no chance of its own: the first worker's will do.
            return random.isEmpty ? mean : random[0].wait(mean: mean)
        }
        return random[worker].wait(mean: mean)
    }

    private mutating func occur(_ index: Int, _ worker: Int?, _ count: Int) {
        let event = scenario.events[index]
        switch event.timing {
        case .at: break
        case .every(let step, let bounds): enterNext(index, worker, count + 1, every: step, bounds)
        case .random(let mean, let bounds):
            let wait = wait(worker, mean)
            enterNext(index, worker, count + 1, at: now + wait, bounds)
        }
        if let worker {
            perform(event.action, on: worker)
            return
        }
        switch event.action {
        case .stalls(let span): stall(for: span)
        case .consumers(let size, let span): consumer(size.bytes, over: span)
        case .power(let event): power(event)
        case .machine(let change): machineTurns(change)
        default: break  // No other is the whole machine's.
        }
    }
}
