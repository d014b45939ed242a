internal import Lifecycle

/// A flush from its beginning to its end.
extension FlushPlan {
    /// The hooks that take what is handed out; nil where none do.
    var hookRun: HookRun? {
        get {
            switch stage {
            case .waiting: nil
            case .signalled(let run): run
            case .delivering(let batch):
                switch batch.progress {
                case .hooks(let run): run
                case .whole, .finished: nil
                }
            }
        }
        set {
            guard let newValue else { return }
            switch stage {
            case .waiting: break
            case .signalled: stage = .signalled(newValue)
            case .delivering(var batch):
                guard case .hooks = batch.progress else { return }
                batch.progress = .hooks(newValue)
                stage = .delivering(batch)
            }
        }
    }

    // MARK: the beginning

    mutating func begin(_ request: Request, _ effects: inout [Effect]) {
        switch stage {
        // What was not taken is left alone until it is tried again.
        case .waiting(.retry, _): effects.append(.complete(request.delivery.id, isTaken: true))
        case .waiting(.idle, _), .waiting(.announced, _): handOut(request, &effects)
        case .signalled(let run):
            // Whatever takes notifications now: what is planned goes on.
            stage = .delivering(Batch(delivery: request.delivery.id, progress: .hooks(run)))
            effects.append(.beginHooks(request.delivery))
            runNext(&effects)
        case .delivering(var batch):
            guard batch.delivery != request.delivery.id else { return handOutAgain(request, batch, &effects) }
            // One flush is out at a time: the life has moved on, and it is heard in a moment how this one has ended.
            batch.next = request
            stage = .delivering(batch)
        }
    }

    private mutating func handOut(_ request: Request, _ effects: inout [Effect]) {
        let id = request.delivery.id
        let withheld = request.isForeground ? [] : untilForeground
        let entries: [QueuedNotification]
        switch request.receivers {
        case .connection: entries = queue.flush(apart: true, withholding: withheld)
        case .hooks: entries = queue.flush(withholding: withheld)
        }
        announceForeground(&effects)
        guard !entries.isEmpty else {
            stage = .waiting(.idle, suspects: [])
            return effects.append(.complete(id, isTaken: true))
        }
        switch request.receivers {
        case .connection:
            let hasRest = queue.waits(besides: withheld)
            stage = .delivering(Batch(delivery: id, progress: .whole(Whole(isRestAnnounced: hasRest))))
            // Known to the life before this one is completed: the rest comes next, before anything else.
            if hasRest { effects.append(.announce) }
            effects.append(.deliver(request.delivery, entries))
        case .hooks(let hooks):
            stage = .delivering(Batch(delivery: id, progress: .hooks(HookRun(entries, by: hooks))))
            effects.append(.beginHooks(request.delivery))
            runNext(&effects)
        }
    }

    /// A connection that was made anew is given what the one before it had.
    private func handOutAgain(_ request: Request, _ batch: Batch, _ effects: inout [Effect]) {
        guard case .whole = batch.progress else { return }
        effects.append(.deliver(request.delivery, queue.inFlight))
    }

    /// Sends the signals that queued notifications ask for, so that they are pending when the worker runs again (spec 4).
    ///
    /// What was not taken is left alone until it is tried again.
    mutating func sendSignals(
        _ receivers: NotificationReceivers, withholding withheld: Set<Topic>, _ effects: inout [Effect]
    ) {
        guard queue.waits(besides: withheld), case .hooks(let hooks) = receivers, mayHandOutBeforeThaw,
            queue.contents.contains(where: { hooks[$0.topic] == .signal && !withheld.contains($0.topic) })
        else { return }
        var run = HookRun(queue.flush(withholding: withheld), by: hooks)
        for job in run.takeSignals() {
            let id = nextHook()
            run.begin(job, as: id)
            effects.append(.run(job, id: id))
        }
        stage = .signalled(run)
    }

    /// Whether the life knows of something that waits; of what waits for the foreground it knows from the beginning.
    private var mayHandOutBeforeThaw: Bool {
        switch stage {
        case .waiting(.announced, _): true
        case .waiting(.idle, _): queue.waits(of: untilForeground)
        case .waiting(.retry, _), .signalled, .delivering: false
        }
    }

    // MARK: hooks

    /// Runs the next hook where none runs; when there is none, the flush is over.
    private mutating func runNext(_ effects: inout [Effect]) {
        guard case .delivering(var batch) = stage, case .hooks(var run) = batch.progress, run.running.isEmpty
        else { return }
        if let job = run.takeNext() {
            let id = nextHook()
            run.begin(job, as: id)
            hookRun = run
            return effects.append(.run(job, id: id))
        }
        batch.progress = .finished(run.problem)
        stage = .delivering(batch)
        effects.append(.complete(batch.delivery, isTaken: run.failed.isEmpty))
    }

    mutating func hookEnded(_ id: UInt32, _ problem: FlushProblem?, _ effects: inout [Effect]) {
        // One that was given up may still say so.
        guard var run = hookRun, let job = run.end(id) else { return }
        if let problem {
            run.fail(job.topic, problem)
        } else {
            for entry in job.entries { queue.taken(entry.sequence) }
        }
        hookRun = run
        store(&effects)
        runNext(&effects)
    }

    /// Gives up the hooks that run.
    private func giveUp(_ run: HookRun, _ effects: inout [Effect]) {
        for id in run.running.keys.sorted() { effects.append(.cancel(id)) }
    }

    // MARK: the connection

    /// Changes what the connection has in hand, where it has something.
    private mutating func changeWhole(_ change: (inout Whole) -> Void) {
        guard case .delivering(var batch) = stage, case .whole(var whole) = batch.progress else { return }
        change(&whole)
        batch.progress = .whole(whole)
        stage = .delivering(batch)
    }

    mutating func refused(_ delivery: UInt32, _ reason: String?) {
        guard delivery == deliveryOfConnection else { return }
        changeWhole { $0.problem = .refused(reason) }
    }

    mutating func disconnected() {
        let suspects = inHand
        changeWhole { $0.suspects = suspects }
    }

    mutating func setSuspects(_ suspects: Set<UInt64>) {
        if case .waiting(let waiting, _) = stage { stage = .waiting(waiting, suspects: suspects) }
        changeWhole { $0.suspects = suspects }
    }

    // MARK: the end

    mutating func ended(
        _ delivery: UInt32, _ outcome: Outcome, at now: Instant, _ effects: inout [Effect]
    ) {
        guard case .delivering(let batch) = stage, batch.delivery == delivery else { return }
        var waiting = Waiting.idle
        var suspects: Set<UInt64> = []
        var problem: FlushProblem?
        switch batch.progress {
        case .whole(let whole):
            if whole.isRestAnnounced { waiting = .announced }
            suspects = whole.suspects
            if outcome == .refused { problem = whole.problem }
        case .hooks(let run):
            giveUp(run, &effects)
            problem = run.problem
        case .finished(let reason): problem = reason
        }
        stage = .waiting(waiting, suspects: suspects)
        switch outcome {
        case .taken:
            queue.taken()
            store(&effects)
            forgetFailures(&effects)
            effects.append(.taken)
        case .refused, .overdue:
            queue.returned()
            store(&effects)
            let problem = problem ?? (outcome == .overdue ? .overdue : .refused(nil))
            let due = failed(problem, at: now)
            stage = .waiting(.retry(at: due), suspects: suspects)
            effects.append(.arm(due, problem))
        case .abandoned:
            queue.returned()
            store(&effects)
        }
        announce(&effects)
        if let next = batch.next { begin(next, &effects) }
    }

    /// The numbers of those that the worker has in hand; without a flush, of those that its connection had when it went away.
    private var inHand: Set<UInt64> {
        switch stage {
        case .waiting(_, let suspects): suspects
        case .signalled(let run): run.inHand
        case .delivering(let batch):
            switch batch.progress {
            case .whole: Set(queue.inFlight.map(\.sequence))
            case .hooks(let run): run.inHand
            case .finished: []
            }
        }
    }

    /// It sleeps: nothing that did not take a flush stands in the way when it runs again.
    mutating func suspended(_ effects: inout [Effect]) {
        if case .signalled(let run) = stage {
            giveUp(run, &effects)
            queue.returned()
            stage = .waiting(.announced, suspects: [])
        }
        store(&effects)
        forgetFailures(&effects)
        announce(&effects)
    }

    /// What is out comes back, without what the process has died of twice.
    mutating func processEnded(died: Bool, _ effects: inout [Effect]) {
        let poisoning = queue.processEnded(blaming: died ? inHand : [])
        for entry in poisoning.setAside { effects.append(.setAside(entry)) }
        for entry in poisoning.removed { effects.append(.removed(entry)) }
        store(&effects)
        forgetFailures(&effects)
        stage = .waiting(.idle, suspects: [])
        announce(&effects)
    }

    /// It has no life that could be told.
    mutating func park(_ effects: inout [Effect]) {
        queue.returned()
        forgetFailures(&effects)
        stage = .waiting(.idle, suspects: [])
    }
}
