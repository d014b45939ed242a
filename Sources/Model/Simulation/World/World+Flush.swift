package import Budgeting
internal import ConfigurationSyntax
package import Interrupting
package import Lifecycle
package import Notifications
package import Processing
package import WorkerFile

/// What was posted to a worker of a world, or what became of that.
package struct FlushNote: Hashable, Sendable {
    /// What happened.
    package enum What: Hashable, Sendable {
        /// Something was posted.
        case posted(Topic, NotificationQueue.Outcome)
        /// Something was posted that nothing takes.
        case notWanted(Topic)
        /// The plan of the flushes has decided this.
        case decided(FlushPlan.Effect)
        /// A wake is kept, the first of its reason, until the budget is full again in this time.
        case kept(WakeBudget.Kept, fullIn: TimeSpan?)
        /// A wake is kept, the first of its reason, until the protected data of the worker is available for the first time.
        case heldBack(WakeBudget.Kept)
        /// What was kept is let through.
        case released([WakeBudget.Kept])
        /// The interval of fetches is this now.
        case interval(TimeSpan)
        /// Low-power mode is on or off.
        case lowPower(Bool, because: String)
        /// Saved state is handed to a new process, or dropped.
        case savedState(StateVersion.Verdict)
        /// An operator's launch brings these.
        case launchOptions(String)
        /// An operator's launch was refused: it brings options, and the worker has a process.
        case launchOptionsRefused
        /// The last lines of its output are kept.
        case snapshot
        /// An alert was refused.
        case alertRefused(Topic, AlertRule.Refusal)
        /// Long work that is due waits, or is cut short, for this.
        case processing(ProcessingObstacle)
    }

    /// When, from the beginning of the world.
    package let at: Instant
    /// The worker, by its number; nil where it is about the machine.
    package let worker: Int?
    /// What happened.
    package let what: What
}

/// Notifications in a simulated world: the same plan decides as in the real one, and simulated programs take what it hands out.
extension World {
    /// Posts to a worker something that none before it said.
    mutating func post(_ topic: Topic, to worker: Int) {
        guard takes(topic, worker) else { return note(.notWanted(topic), worker) }
        lastPost += 1
        let rule = topic.system?.rule ?? .latest
        let post = Post(
            topic, rule, payload: Array("\(lastPost)".utf8), added: rule == .set ? ["\(lastPost)"] : [],
            at: (now - .zero).microseconds)
        note(.posted(topic, flushPlans[worker].queue.post(post)), worker)
        tellPlan(.queued, of: worker)
    }

    /// Whether anything of a worker takes this topic; a new process reads by itself what a system topic tells.
    private func takes(_ topic: Topic, _ worker: Int) -> Bool {
        if topic.system != nil, lives[worker].currentLaunch == nil { return false }
        switch receivers(of: worker) {
        case .connection: return true
        case .hooks(let hooks):
            // What it will want when it attaches is not known before.
            let mayAttach =
                scenario.workers[worker].definition.type == .app && lives[worker].attachedCallbacks == nil
            return mayAttach || hooks[topic] != nil
        }
    }

    private func receivers(of worker: Int) -> NotificationReceivers {
        if lives[worker].attachedCallbacks?.contains(.didReceiveNotifications) ?? false { return .connection }
        let definition = scenario.workers[worker].definition
        return .hooks(
            NotificationHooks(
                definition.notifications.actions.mapValues(\.kind),
                others: definition.callbacks.actions[.didReceiveNotifications]?.kind))
    }

    // MARK: the plan

    /// Tells the plan of a worker's flushes what has happened, and carries out what it decides.
    mutating func tellPlan(_ event: FlushPlan.Event, of worker: Int) {
        var effects: [FlushPlan.Effect] = []
        flushPlans[worker].handle(event, at: now, into: &effects)
        // Nothing is stored in a simulated world.
        _ = flushPlans[worker].queue.takeChanges()
        for effect in effects {
            note(.decided(effect), worker)
            perform(effect, of: worker)
        }
    }

    private mutating func perform(_ effect: FlushPlan.Effect, of worker: Int) {
        switch effect {
        case .announce: give(.notificationsQueued, to: worker)
        case .announceForeground: give(.foregroundNotificationsQueued, to: worker)
        case .deliver(let delivery, _): take(delivery, worker)
        case .run(let job, let id): run(job, id, worker)
        case .complete(let id, let isTaken):
            give(.completed(id: id, isTaken ? .done : .failed), to: worker)
        case .arm(let due, _): enter(.flushDue(worker, due), at: due)
        // A hook that was given up may still say that it is over.
        case .beginHooks, .cancel, .store, .taken, .disarm, .setAside, .removed: break
        }
    }

    /// A signal is taken by the kernel at once; a command or a line takes its time.
    private mutating func run(_ job: HookRun.Job, _ id: UInt32, _ worker: Int) {
        switch job.kind {
        case .signal: tell(.hookEnded(id, isTaken: true), of: worker)
        case .call:
            guard let span = programs[worker].time(for: .didReceiveNotifications) else { return }
            let answer = programs[worker].answers[.didReceiveNotifications, default: .done]
            intend(.endsHook(id, isTaken: answer == .done), worker, after: span)
        }
    }

    /// The life is ready for what waits.
    mutating func flush(_ delivery: Delivery, _ worker: Int) {
        let request = FlushPlan.Request(
            delivery, to: receivers(of: worker), isForeground: lives[worker].isForegroundBound)
        tellPlan(.asked(request), of: worker)
    }

    mutating func sendSignalsBeforeThaw(_ worker: Int) {
        guard !flushPlans[worker].queue.isEmpty, !lives[worker].isEnding else { return }
        tellPlan(
            .thawing(receivers(of: worker), isForeground: lives[worker].isForegroundBound), of: worker)
    }

    /// Tells the plan what `event` has meant for a flush that is out, now that the life has handled it.
    mutating func flushFollows(_ worker: Int, _ event: Event) {
        if case .attached = event {
            tellPlan(.connected, of: worker)
            tellPlan(.receiversChanged, of: worker)
        }
        guard let delivery = flushPlans[worker].delivery else { return }
        guard !lives[worker].awaits(delivery) else {
            // With a hook for the same callback the life goes on waiting; but what the connection had is not taken by anything.
            if event == .detached, flushPlans[worker].deliveryOfConnection != nil {
                give(.completed(id: delivery, .failed), to: worker)
            }
            return
        }
        var completion: Completion?
        if case .completed(delivery, let how) = event { completion = how }
        let hasProcess = lives[worker].pid != nil
        tellPlan(.ended(delivery, .init(completion, hasProcess: hasProcess)), of: worker)
    }

    /// The callback that `event` completes, if it is waited for.
    func callbackCompleted(by event: Event, _ worker: Int) -> Callback? {
        guard case .completed(let delivery, _) = event else { return nil }
        return lives[worker].callbackAwaited(as: delivery)
    }

    /// The last lines of its output are kept, where its output passes through the supervisor.
    mutating func noteSnapshot(of worker: Int) {
        let definition = scenario.workers[worker].definition
        guard definition.capturesOutput, definition.snapshot != false else { return }
        // Kept twice in one moment it is the same.
        let kept = FlushNote(at: now, worker: worker, what: .snapshot)
        if !newFlushNotes.contains(kept), !flushNotes.contains(kept) { newFlushNotes.append(kept) }
    }

    mutating func note(_ what: FlushNote.What, _ worker: Int) {
        newFlushNotes.append(FlushNote(at: now, worker: worker, what: what))
    }
}

extension CallbackAction {
    /// How it takes several notifications of a topic.
    fileprivate var kind: NotificationHooks.Kind {
        switch self {
        case .signal: .signal
        case .exec, .stdin: .call
        }
    }
}
