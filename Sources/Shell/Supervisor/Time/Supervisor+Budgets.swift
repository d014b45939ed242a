package import Budgeting
package import Lifecycle
internal import Notifications
internal import Scheduling
package import SupervisorPorts
internal import Varlink

/// Wakes that no person has asked for, within their budget (1.4), and background fetches.
extension Supervisor {
    /// Whether a worker may be woken, or launched, for `reason` now; where not, the wake is kept until its budget is full again.
    func mayWake(_ worker: Worker, for reason: LaunchReason, _ detail: String?) -> Bool {
        guard reason.isBudgeted else { return true }
        if holdsBack(worker) {
            hold(worker, for: reason, detail)
            return false
        }
        let now = host.now
        var budget = worker.wakeBudget ?? WakeBudget()
        let wasKept = budget.kept.contains { $0.reason == reason }
        let passes = budget.mayWake(
            reason, detail, worker.life.budgetStanding, allowance(of: worker), at: now)
        note(budget, of: worker)
        guard !passes else { return true }
        // One that is launched for the first time has no record yet.
        worker.isUnrecorded = true
        record(worker)
        arm(budget, of: worker)
        if !wasKept, let kept = budget.kept.last {
            notify(worker, .budget(.kept(kept, fullIn: budget.fullAgain.map { $0 - now })))
        }
        return false
    }

    /// How often a worker may be woken in an hour as things are.
    func allowance(of worker: Worker) -> WakeAllowance {
        isLowPower ? worker.configuration.wakeAllowance.reduced : worker.configuration.wakeAllowance
    }

    /// Applies what has happened to the budget of a worker.
    func note(_ budget: WakeBudget, of worker: Worker) { worker.wakeBudget = budget.isBlank ? nil : budget }

    /// Has the alarm set for the next hour of a worker for which wakes are kept.
    func arm(_ budget: WakeBudget, of worker: Worker) {
        if let due = budget.nextDue {
            arm(.budget(worker.id), at: due)
        } else {
            disarm(.budget(worker.id))
        }
    }

    /// What the budgets allow has changed.
    func settleBudgets() {
        for worker in workers.values.sorted(by: { $0.id < $1.id }) { settleBudget(of: worker) }
    }

    /// Lets what is kept for a worker through, where that is within its budget now.
    func settleBudget(of worker: Worker) {
        guard var budget = worker.wakeBudget, !holdsBack(worker) else { return }
        let due = budget.takeDue(allowance(of: worker), at: host.now)
        note(budget, of: worker)
        arm(budget, of: worker)
        guard !due.isEmpty else { return }
        worker.isUnrecorded = true
        notify(worker, .budget(.released(due)))
        for kept in due { release(kept, to: worker) }
        record(worker)
    }

    private func release(_ kept: WakeBudget.Kept, to worker: Worker) {
        if kept.reason == .fetch { return fetch(worker.id) }
        // One wake is enough for all that waits.
        guard worker.life.budgetStanding == .resting else { return }
        switch kept.reason {
        case .boot:
            _ = request(Request(.background, by: .supervisor, reason: .boot), of: worker.id) { _ in }
        case .prelaunch:
            _ = request(Request(.suspended, by: .supervisor, reason: .prelaunch), of: worker.id) { _ in }
        case .path, .device:
            let place = kept.detail ?? ""
            let key = kept.reason == .device ? "device" : "path"
            wake(worker.id, for: kept.reason, options: [key: .string(place)])
        default:
            // What was posted waits in the queue; a launch is told its topic.
            let about = kept.detail.map { ["topic": .string($0)] as JSON.Object } ?? [:]
            let key = kept.reason == .schedule ? "schedule" : "notification"
            wakeSilently(worker, WakeOrigin(kept.reason, kept.detail), options: [key: .object(about)])
        }
    }

    // MARK: the first unlock

    /// Whether a worker is not launched into the background yet, since its protected data was not available since boot.
    func holdsBack(_ worker: Worker) -> Bool {
        FirstUnlock.holdsBack(
            worker.life, awaits: worker.configuration.awaitsFirstUnlock, wasAvailable: worker.wasUnlocked)
    }

    /// Whether the launch of a worker at boot waits for its first unlock, and is kept until then.
    package func holdsBackAtBoot(_ id: WorkerID, _ request: Request) -> Bool {
        guard request.goal != .active, let worker = workers[id], holdsBack(worker) else { return false }
        hold(worker, for: request.goal == .suspended ? .prelaunch : .boot, nil)
        return true
    }

    private func hold(_ worker: Worker, for reason: LaunchReason, _ detail: String?) {
        var budget = worker.wakeBudget ?? WakeBudget()
        let wasKept = budget.kept.contains { $0.reason == reason }
        budget.hold(reason, detail, at: host.now)
        note(budget, of: worker)
        if !wasKept, let kept = budget.kept.last { notify(worker, .budget(.heldBack(kept))) }
    }

    /// The protected data of a worker is available: what was kept launches it.
    package func unlocked(_ id: WorkerID) {
        guard let worker = workers[id], worker.configuration.awaitsFirstUnlock, !worker.wasUnlocked else {
            return
        }
        worker.wasUnlocked = true
        worker.isUnrecorded = true
        settleBudget(of: worker)
    }

    // MARK: fetches

    /// When a worker is woken for a fetch next, and how its fetches are spaced; nil where it has not fetched.
    package func fetchPlan(of id: WorkerID) -> (due: Instant?, pace: FetchPace?) {
        (workers[id]?.fetchDue, workers[id]?.fetchPace)
    }

    /// Stores when the next fetch is due for the next supervisor, with the next event of the worker.
    package func setFetchDue(_ due: Instant?, of id: WorkerID) {
        workers[id]?.fetchDue = due
        workers[id]?.isUnrecorded = true
    }

    /// Wakes a worker for a fetch, if it is one that fetches, has nothing of the kind under way, and is within its budget.
    ///
    /// In low-power mode there is none.
    package func fetch(_ id: WorkerID) {
        guard !isLowPower, let worker = workers[id],
            !worker.contents.values.contains(where: { $0.content == .fetch }),
            worker.life.mayFetch(hasHook: worker.configuration.hooks[.performFetch] != nil),
            mayWake(worker, for: .fetch, nil)
        else { return }
        let inbound = take(.fetch, .fetch, for: worker) { _ in }
        rouse(worker, Wake(.fetch, intoForeground: false, bringing: inbound), WakeOrigin(.fetch))
    }

    /// A fetch of a worker is over, completed in this way; nil is not at all.
    func fetchEnded(_ completion: Completion?, of worker: Worker) {
        let result = FetchResult(completion)
        var pace = worker.fetchPace ?? FetchPace()
        pace.ended(result, at: host.now)
        worker.fetchPace = pace
        worker.isUnrecorded = true
        notify(worker, .budget(.fetched(pace)))
    }
}

/// What a worker has been awake for, as its budget counts it.
struct Budgets: TurnObserver {
    func handled(_ event: Event, of worker: Worker, in supervisor: Supervisor) {
        guard var budget = worker.wakeBudget else { return }
        let kept = budget.kept.count
        budget.stands(worker.life.budgetStanding, at: supervisor.moment)
        supervisor.note(budget, of: worker)
        if budget.kept.count != kept { supervisor.arm(budget, of: worker) }
    }
}
