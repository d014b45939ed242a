package import Lifecycle

/// The plan of the flushes of one worker (2.4): what is handed out and in which order, what comes again and when, and what is
/// suspected when its process dies.
///
/// Pure: a machine that is told what has happened, and answers with what is to be done. A flush is all that waits, oldest topic first. A
/// connection takes it as a whole; hooks take it one after the other. What was not taken comes again, before what came after it:
/// after a second, then after twice as long each time, up to five minutes.
///
/// At most one flush is out. What is posted goes directly into ``queue``, and ``Event/queued`` follows; nothing but the plan hands it out.
package struct FlushPlan: Hashable, Sendable {
    /// How far a flush is.
    package enum Stage: Hashable, Sendable {
        /// Nothing is handed out.
        ///
        /// `suspects` is what the connection had in hand when it went away: a process that ends next has died of it.
        case waiting(Waiting, suspects: Set<UInt64>)
        /// The signals that go before a thaw are out; the life knows of the rest and has not asked for it.
        case signalled(HookRun)
        /// The life waits for a flush that is handed out.
        case delivering(Batch)
    }

    /// What is waited for while nothing is handed out.
    package enum Waiting: Hashable, Sendable {
        /// A post.
        case idle
        /// The life, which knows that something is to be handed out.
        case announced
        /// The moment at which what was not taken is tried again.
        case retry(at: Instant)
    }

    /// A flush that is handed out and that the life waits for.
    package struct Batch: Hashable, Sendable {
        /// The delivery that the life waits for.
        package let delivery: UInt32
        /// How far it is.
        package internal(set) var progress: Progress
        /// The flush that the life has asked for since, where it has heard first that this one is over.
        var next: Request?
    }

    /// How far a flush is that the life waits for.
    package enum Progress: Hashable, Sendable {
        /// The connection has all of it.
        case whole(Whole)
        /// Hooks take it, one after the other.
        case hooks(HookRun)
        /// All hooks are over, and the life has been told.
        case finished(FlushProblem?)
    }

    /// A flush that the connection has.
    package struct Whole: Hashable, Sendable {
        /// The life knows that more waits, which is kept apart from this one.
        var isRestAnnounced = false
        /// Why it was not taken, as far as the connection has said so.
        var problem = FlushProblem.refused(nil)
        /// What the connection had in hand when it went away.
        var suspects: Set<UInt64> = []
    }

    /// Flushes that failed in a row.
    private struct Failures: Hashable, Sendable {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
        var problem: FlushProblem
    }

    /// What was posted and has not been taken.
    package var queue: NotificationQueue
    /// Topics that merge on in the background, and are handed out in the foreground or on the way there (`UntilForeground=`).
    package var untilForeground: Set<Topic> = []
    /// How far a flush is.
    package internal(set) var stage = Stage.waiting(.idle, suspects: [])
    /// Those of the last flushes; nil where the last one was taken.
    private var failures: Failures?
    /// The id of the hook that was run last.
    private var lastHook: UInt32 = 0

    /// Ids of hooks for notifications begin here: those of deliveries are far below.
    package static let firstHook: UInt32 = 1 << 31

    /// A plan for what is in `queue`, of which nothing is handed out; or all that is in flight to the connection, by `delivery`.
    package init(_ queue: NotificationQueue = NotificationQueue(), inHand delivery: UInt32? = nil) {
        self.queue = queue
        if let delivery {
            stage = .delivering(Batch(delivery: delivery, progress: .whole(Whole())))
        } else {
            self.queue.returned()
        }
    }

    // MARK: questions

    /// When what was not taken is tried again; nil where nothing is due.
    package var nextDue: Instant? {
        guard case .waiting(.retry(let due), _) = stage else { return nil }
        return due
    }

    /// Why the last flush was not taken; nil where it was.
    package var problem: FlushProblem? { failures?.problem }

    /// Whether something is handed out.
    package var isHandingOut: Bool {
        switch stage {
        case .waiting: false
        case .signalled, .delivering: true
        }
    }

    /// The delivery that the life waits for; nil where it waits for none.
    package var delivery: UInt32? {
        guard case .delivering(let batch) = stage else { return nil }
        return batch.delivery
    }

    /// The delivery that the connection has in hand; nil where it has none.
    package var deliveryOfConnection: UInt32? {
        guard case .delivering(let batch) = stage, case .whole = batch.progress else { return nil }
        return batch.delivery
    }

    /// Whether a hook runs.
    package var isRunningHooks: Bool { !(hookRun?.running.isEmpty ?? true) }

    /// The topic of the hook of this id; nil where it does not run.
    package func topic(ofHook id: UInt32) -> Topic? { hookRun?.running[id]?.topic }

    // MARK: events

    /// Takes in what has happened at `now`, and appends what is to be done to `effects`.
    package mutating func handle(_ event: Event, at now: Instant, into effects: inout [Effect]) {
        switch event {
        case .queued: announce(&effects)
        case .dropped:
            forgetFailures(&effects)
            announce(&effects)
        case .receiversChanged:
            setAnnounced(false)
            if case .signalled = stage { effects.append(.announce) }
            announce(&effects)
        case .restored(let isAnnounced):
            setAnnounced(isAnnounced)
            announceForeground(&effects)
        case .asked(let request): begin(request, &effects)
        case .thawing(let receivers, let isForeground):
            sendSignals(receivers, withholding: isForeground ? [] : untilForeground, &effects)
        case .hookEnded(let id, let problem): hookEnded(id, problem, &effects)
        case .refused(let delivery, let reason): refused(delivery, reason)
        case .connected: setSuspects([])
        case .disconnected: disconnected()
        case .ended(let delivery, let outcome): ended(delivery, outcome, at: now, &effects)
        case .suspended: suspended(&effects)
        case .processEnded(let died): processEnded(died: died, &effects)
        case .due: retry(at: now, &effects)
        case .parked: park(&effects)
        }
    }

    /// Removes a notification, wherever it is; false where none of that number is there.
    ///
    /// ``Event/dropped`` follows. A hook that runs for it is not given up.
    package mutating func drop(_ sequence: UInt64) -> Bool {
        guard queue.drop(sequence) != nil else { return false }
        guard var run = hookRun else { return true }
        run.drop(sequence)
        hookRun = run
        return true
    }
}

// MARK: announcing and failing

extension FlushPlan {
    /// Tells the life that something waits, unless it knows, something is out, or it is not time yet.
    mutating func announce(_ effects: inout [Effect]) {
        announceForeground(&effects)
        guard case .waiting(.idle, let suspects) = stage, queue.waits(besides: untilForeground) else {
            return
        }
        stage = .waiting(.announced, suspects: suspects)
        effects.append(.announce)
    }

    /// Tells the life that something waits for the foreground; it may know.
    func announceForeground(_ effects: inout [Effect]) {
        if queue.waits(of: untilForeground) { effects.append(.announceForeground) }
    }

    private mutating func setAnnounced(_ isAnnounced: Bool) {
        switch stage {
        case .waiting(.idle, let suspects), .waiting(.announced, let suspects):
            stage = .waiting(isAnnounced ? .announced : .idle, suspects: suspects)
        // It is told anew when the time has come.
        case .waiting(.retry, _): break
        case .signalled: break
        case .delivering(var batch):
            switch batch.progress {
            case .whole(var whole):
                whole.isRestAnnounced = isAnnounced
                batch.progress = .whole(whole)
                stage = .delivering(batch)
            // It is told when they are over.
            case .hooks, .finished: break
            }
        }
    }

    /// The last flush was taken, or whatever did not take it is gone: the next failure is the first, and nothing is put off.
    mutating func forgetFailures(_ effects: inout [Effect]) {
        failures = nil
        switch stage {
        case .waiting(.retry, let suspects):
            stage = .waiting(.idle, suspects: suspects)
            effects.append(.disarm)
        case .waiting(.idle, _), .waiting(.announced, _), .signalled, .delivering: break
        }
    }

    private mutating func retry(at now: Instant, _ effects: inout [Effect]) {
        guard case .waiting(.retry(let due), let suspects) = stage, due <= now else { return }
        stage = .waiting(.idle, suspects: suspects)
        announce(&effects)
    }

    /// Counts a failure, and answers when it is tried again.
    mutating func failed(_ problem: FlushProblem, at now: Instant) -> Instant {
        var failures = failures ?? Failures(problem: problem)
        failures.problem = problem
        let delay = failures.backoff.failed()
        self.failures = failures
        return now + delay
    }

    /// Has what has changed in the queue stored.
    func store(_ effects: inout [Effect]) {
        if queue.hasChanges { effects.append(.store) }
    }

    /// The next id of a hook.
    mutating func nextHook() -> UInt32 {
        lastHook = (lastHook &+ 1) | Self.firstHook
        return lastHook
    }
}
