internal import Lifecycle
public import Notifications
internal import Systemd
internal import Varlink

/// Posting (2.4): what is posted to a worker is delivered at once while it runs, and waits, merged, while it cannot.
extension Supervisor {
    /// How many bytes a payload may have: 64 KiB.
    public static let largestPayload = 64 << 10

    /// Whether anything of a worker takes this topic: its connection, or a hook of its file.
    public func wants(_ topic: Topic, _ id: WorkerID) -> Bool {
        workers[id].map { wants(topic, $0) } ?? false
    }

    func wants(_ topic: Topic, _ worker: Worker) -> Bool {
        if worker.blueprint.hasNotificationHook(for: topic) { return true }
        guard worker.blueprint.hasWorkerSocket else {
            return worker.receiver?.callbacks.contains(.didReceiveNotifications) ?? false
        }
        // What it will want when it attaches is not known before.
        return worker.receiver?.callbacks.contains(.didReceiveNotifications) ?? true
    }

    /// Takes note of what a worker knows of a system topic by itself, where it wants to hear of changes.
    func learn(_ value: [UInt8], of topic: SystemTopic, _ id: WorkerID) {
        guard let worker = workers[id], wants(Topic(topic), worker) else { return }
        openLetterbox(of: worker).queue.learn(value, of: Topic(topic))
    }

    /// Posts to a worker; answers at once what became of it, and `kept` when what survives us is on the disk.
    ///
    /// `kept` is called once: with nil when there is nothing to be kept or all of it is, or else with why it is not. What could
    /// not be kept may be delivered all the same, but nobody promises it.
    @discardableResult
    public func post(
        _ post: Post, to id: WorkerID, waking: PostWaking = .nobody,
        then kept: ((String?) -> Void)? = nil
    ) -> PostOutcome {
        guard let worker = workers[id] else { return .refused(.noSuchWorker) }
        if let refusal = refusal(of: post, to: worker) { return .refused(refusal) }
        let box = openLetterbox(of: worker)
        let outcome = box.queue.post(post)
        if case .refused(let reason) = outcome { return .refused(.queue(reason)) }
        if post.survives {
            keepChanges(of: worker, then: kept)
        } else {
            // It may have merged into something that survives; but nobody waits for that.
            keepChanges(of: worker)
            kept?(nil)
        }
        announce(worker)
        switch waking {
        case .nobody: break
        case .silently: wakeSilently(worker, for: .silentNotification)
        case .intoForeground: submit(.woken(Wake(.notification, intoForeground: true)), to: worker)
        }
        switch outcome {
        case .waits(let sequence): return .queued(sequence)
        case .vanished: return .vanished
        case .refused(let reason): return .refused(.queue(reason))
        }
    }

    private func refusal(of post: Post, to worker: Worker) -> PostRefusal? {
        guard wants(post.topic, worker) else { return .notWanted }
        // A new process reads the present state itself (2.4).
        if post.topic.system != nil, worker.life.currentLaunch == nil { return .notRunning }
        guard post.payload?.count ?? 0 <= Self.largestPayload else { return .tooLarge(Self.largestPayload) }
        if post.survives, let obstacle = letters?.obstacle { return .notKept(obstacle) }
        return nil
    }

    /// Has what has changed kept at the end of this turn of the loop, with all else that changes in it; while a commit that
    /// somebody waits for is under way, when that is done, with all that changes until then.
    ///
    /// Answers when it is kept, or at once where nothing is.
    func keepChanges(of worker: Worker, then kept: ((String?) -> Void)? = nil) {
        guard letters != nil else {
            _ = worker.letterbox?.queue.takeChanges()
            kept?(nil)
            return
        }
        if let box = worker.letterbox, !box.isDirty, box.queue.hasChanges {
            box.isDirty = true
            changedLetters.append(worker)
        }
        if let kept { keptAnswers.append(kept) }
        keepSoon()
    }

    /// Calls `kept` when all that has changed so far is on the disk, or with why it is not.
    ///
    /// Returns the commit that this is: whoever has asked for one already need not ask again.
    @discardableResult
    func whenKept(_ kept: @escaping (String?) -> Void) -> UInt64 {
        guard letters != nil else {
            kept(nil)
            return nextCommit
        }
        keptAnswers.append(kept)
        keepSoon()
        return nextCommit
    }

    /// Has all that waits for a worker kept once more: a predecessor may not have come to it.
    func keepAnew(_ id: WorkerID) {
        guard let worker = workers[id], let box = worker.letterbox, !box.isDirty else { return }
        box.queue.keepAnew()
        keepChanges(of: worker)
    }

    private func keepSoon() {
        guard !isKeepingSoon, commitsUnderWay == 0, !changedLetters.isEmpty || !keptAnswers.isEmpty else {
            return
        }
        isKeepingSoon = true
        let keep: @Sendable () -> Void = { [weak self] in
            self?.assumeIsolated { $0.keepAllChanges() }
        }
        loop.call(keep)
    }

    /// Leaves all that has changed with whoever keeps it, now: what is kept from here on comes after it.
    func keepAllChanges() {
        isKeepingSoon = false
        guard let letters else { return }
        for worker in changedLetters {
            worker.letterbox?.isDirty = false
            let changes = worker.letterbox?.queue.takeChanges() ?? []
            if !changes.isEmpty { letters.keep(changes, of: worker.blueprint.name, then: nil) }
        }
        changedLetters.removeAll(keepingCapacity: true)
        guard !keptAnswers.isEmpty else { return }
        let answers = keptAnswers
        keptAnswers = []
        nextCommit += 1
        commitsUnderWay += 1
        letters.keep([], of: "") { problem in
            self.commitsUnderWay -= 1
            for answer in answers { answer(problem) }
            self.keepSoon()
        }
    }

    /// Tells the model that something waits, unless it knows, or is not to be told now.
    func announce(_ worker: Worker) {
        guard let box = worker.letterbox, !box.isAnnounced, !box.queue.isEmpty, box.flight == nil,
            box.retryAt == nil
        else { return }
        box.isAnnounced = true
        submit(.notificationsQueued, to: worker)
    }

    /// Tells the model anew: what it knew is void.
    func announceAgain(_ worker: Worker) {
        worker.letterbox?.isAnnounced = false
        announce(worker)
    }

    /// Wakes a worker with the `remote-notification` mode to take what waits; one that runs, or somebody else has stopped, is
    /// left alone.
    func wakeSilently(_ worker: Worker, for reason: LaunchReason) {
        guard worker.blueprint.wakesForSilentPosts, worker.letterbox?.queue.isEmpty == false else { return }
        switch worker.life.restReason {
        case .backingOff: return  // It is on its way already.
        case .neverLaunched, .exited, .failed, .forceQuit, .evicted: break
        case nil: guard worker.life.state == .suspended, !worker.life.isHeld else { return }
        }
        submit(.woken(Wake(reason, intoForeground: false)), to: worker)
    }

    /// Brings a worker into the background for something that has happened on the machine, and launches it for that, with
    /// `options`, where it does not run.
    ///
    /// One that sleeps is left alone where nothing waits for it: it would find nothing to do.
    func wake(_ id: WorkerID, for reason: LaunchReason, options: JSON.Object) {
        guard let worker = workers[id] else { return }
        switch worker.life.restReason {
        case .backingOff: return  // It is on its way already.
        case .neverLaunched, .exited, .failed, .evicted: worker.nextLaunch.options = options
        case .forceQuit: break  // Refused, and said so.
        case nil:
            guard worker.life.state == .suspended, !worker.life.isHeld,
                worker.letterbox?.queue.isEmpty == false
            else { return }
        }
        submit(.woken(Wake(reason, intoForeground: false)), to: worker)
    }
}

extension Blueprint {
    /// What is done for a notification of this topic: its own hook, or that for all.
    func notificationHook(for topic: Topic) -> Hook? {
        notificationHooks[topic.name] ?? hooks[.didReceiveNotifications]
    }

    /// Whether anything is done for them: asked with every post.
    func hasNotificationHook(for topic: Topic) -> Bool {
        !notificationHooks.isEmpty && notificationHooks[topic.name] != nil
            || !hooks.isEmpty && hooks[.didReceiveNotifications] != nil
    }
}
