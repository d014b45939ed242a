internal import Budgeting
internal import ConfigurationSyntax
internal import Lifecycle
internal import Processing
internal import Scheduling
internal import WorkerFile

/// Budgets of wakes, fetches and low-power mode in a simulated world.
extension World {
    /// Whether a worker may be woken for `reason` now; where not, the wake is kept.
    mutating func mayWake(_ worker: Int, for reason: LaunchReason) -> Bool {
        let wasKept = budgets[worker].kept.contains { $0.reason == reason }
        if reason.isBudgeted, holdsBack(worker) {
            budgets[worker].hold(reason, at: now)
            if !wasKept, let kept = budgets[worker].kept.last { note(.heldBack(kept), worker) }
            return false
        }
        let passes = budgets[worker].mayWake(
            reason, nil, lives[worker].budgetStanding, allowance(of: worker), at: now)
        guard !passes else { return true }
        enterBudget(of: worker)
        if !wasKept, let kept = budgets[worker].kept.last {
            note(.kept(kept, fullIn: budgets[worker].fullAgain.map { $0 - now }), worker)
        }
        return false
    }

    func holdsBack(_ worker: Int) -> Bool {
        FirstUnlock.holdsBack(
            lives[worker], awaits: scenario.workers[worker].definition.awaitsFirstUnlock,
            wasAvailable: wasUnlocked[worker])
    }

    /// Its protected data is available.
    mutating func unlocked(_ worker: Int) {
        wasUnlocked[worker] = true
        settleBudget(of: worker)
    }

    /// Whether its launch at boot waits for that, and is kept until then.
    mutating func holdsBackAtBoot(_ worker: Int, _ request: Request) -> Bool {
        guard request.goal != .active, holdsBack(worker) else { return false }
        budgets[worker].hold(request.goal == .suspended ? .prelaunch : .boot, at: now)
        if let kept = budgets[worker].kept.last { note(.heldBack(kept), worker) }
        return true
    }

    private func allowance(of worker: Int) -> WakeAllowance {
        let allowance = scenario.workers[worker].definition.background.wakeBudget
        return lowPower.isOn ? allowance.reduced : allowance
    }

    private mutating func enterBudget(of worker: Int) {
        if let due = budgets[worker].nextDue { enter(.budgetDue(worker, due), at: due) }
    }

    /// Takes note of how a worker stands after an event.
    mutating func budgetFollows(_ worker: Int) {
        budgets[worker].stands(lives[worker].budgetStanding, at: now)
    }

    /// Lets what is kept for a worker through, where that is within its budget now.
    mutating func settleBudget(of worker: Int) {
        guard !holdsBack(worker) else { return }
        let due = budgets[worker].takeDue(allowance(of: worker), at: now)
        enterBudget(of: worker)
        guard !due.isEmpty else { return }
        note(.released(due), worker)
        for kept in due {
            switch kept.reason {
            case .fetch: fetch(worker)
            case .boot: give(.requested(Request(.background, by: .supervisor, reason: .boot)), to: worker)
            case .prelaunch:
                give(.requested(Request(.suspended, by: .supervisor, reason: .prelaunch)), to: worker)
            case .silentNotification, .schedule:
                perform(.brings(.silentNotification, kept.reason), on: worker)
            default: perform(.wakes(kept.reason), on: worker)
            }
        }
    }

    // MARK: fetches

    /// Enters the next moment at which fetches are due.
    mutating func enterFetches() {
        fetchTick &+= 1
        if let due = fetches.nextDue { enter(.fetches(fetchTick), at: max(due, now)) }
    }

    mutating func takeFetches() {
        for worker in fetches.takeDue(at: now) { fetch(worker) }
        enterFetches()
    }

    private mutating func fetch(_ worker: Int) {
        guard !lowPower.isOn, fetchDeliveries[worker].isEmpty,
            lives[worker].mayFetch(hasHook: lives[worker].policy.hooks.contains(.performFetch))
        else { return }
        perform(.brings(.fetch, .fetch), on: worker)
    }

    /// Takes note of the fetches that are over after `event`: the interval adapts to what they brought.
    mutating func fetchesFollow(_ worker: Int, _ event: Event) {
        let over = fetchDeliveries[worker].filter { !lives[worker].awaits($0) }
        guard !over.isEmpty else { return }
        fetchDeliveries[worker].removeAll { over.contains($0) }
        for id in over {
            var completion: Completion?
            if case .completed(id, let how) = event { completion = how }
            let before = fetches.interval(of: worker)
            paces[worker].ended(FetchResult(completion), at: now)
            fetches.adapt(worker, to: paces[worker])
            if let interval = fetches.interval(of: worker), interval != before {
                note(.interval(interval), worker)
            }
        }
        enterFetches()
    }

    // MARK: power

    /// Something of the machine's power changes, or an operator chooses.
    mutating func power(_ event: LowPowerMode.Event) {
        if case .read(let reading) = event { powerTurns(reading) }
        guard lowPower.handle(event) else { return }
        newFlushNotes.append(
            FlushNote(at: now, worker: nil, what: .lowPower(lowPower.isOn, because: lowPower.because)))
        fetches.isPaused = lowPower.isOn
        tellProcessing(.lowPower(lowPower.isOn))
        enterFetches()
        for worker in lives.indices { settleBudget(of: worker) }
    }
}
