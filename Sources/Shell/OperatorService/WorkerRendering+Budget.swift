internal import Budgeting
internal import ControlAPI
internal import Lifecycle
internal import Processing
internal import Supervisor
internal import WorkerFile

/// What a worker has used of its budget of wakes, and how its fetches are spaced.
extension WorkerRendering {
    var wakeBudget: API.WakeBudget? {
        guard let budget = view.wakeBudget else { return nil }
        var shown = API.WakeBudget(
            wakeCount: Int64(budget.wakes), awakeUsec: budget.awake(at: now).microseconds)
        if case .limited(let wakes, let awake) = view.wakeAllowance {
            (shown.wakeLimit, shown.awakeLimitUsec) = (Int64(wakes), awake.microseconds)
        }
        if let full = budget.fullAgain {
            // An hour that is over begins anew with the next wake.
            guard full > now else { return nil }
            shown.fullInUsec = (full - now).microseconds
        }
        if !budget.kept.isEmpty {
            shown.kept = budget.kept.map {
                API.KeptWake(
                    reason: .init($0.reason), count: Int64($0.count), since: wall($0.since), detail: $0.detail
                )
            }
        }
        return shown
    }

    var fetch: API.FetchStatus? {
        guard let background = entry.background, background.modes.contains(.fetch) else { return nil }
        let (base, pace) = (background.fetchInterval, view.fetchPace)
        return API.FetchStatus(
            intervalUsec: pace?.interval(of: base).microseconds ?? base.microseconds,
            baseUsec: base.microseconds,
            nextInUsec: view.fetchDue.map { max(0, ($0 - now).microseconds) },
            lastResult: pace?.last.map { .init($0) }, lastAt: pace?.lastAt.map(wall))
    }
}

extension WorkerRendering {
    /// How it stands with its long work.
    var processing: API.ProcessingStatus? {
        view.processing.map { standing in
            API.ProcessingStatus(
                dueInUsec: max(0, (standing.due - now).microseconds),
                runningUsec: standing.began.map { (now - $0).microseconds },
                obstacle: standing.obstacle?.words)
        }
    }
}

extension SupervisorInterface.FetchResult {
    /// The same in the words of the interface.
    init(_ result: Budgeting.FetchResult) {
        self =
            switch result {
            case .newData: .newData
            case .noData: .noData
            case .failed: .failed
            }
    }
}
