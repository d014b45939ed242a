package import Lifecycle
package import Notifications
package import SupervisorPorts
internal import Systemd
package import Varlink

/// Posting (2.4): what is posted to a worker is delivered at once while it runs, and waits, merged, while it cannot.
extension Supervisor {
    /// How many bytes a payload may have: 64 KiB.
    package static let largestPayload = 64 << 10

    /// Whether anything of a worker takes this topic: its connection, or a hook of its file.
    package func wants(_ topic: Topic, _ id: WorkerID) -> Bool {
        workers[id].map { wants(topic, $0) } ?? false
    }

    func wants(_ topic: Topic, _ worker: Worker) -> Bool {
        if worker.configuration.hasNotificationHook(for: topic) { return true }
        guard worker.configuration.hasWorkerSocket else {
            return worker.receiver?.callbacks.contains(.didReceiveNotifications) ?? false
        }
        // What it will want when it attaches is not known before.
        return worker.receiver?.callbacks.contains(.didReceiveNotifications) ?? true
    }

    /// The rule by which what waits of `topic` merges, where that is another one than `rule`; a rule that was not asked for is nil.
    package func otherRule(than rule: MergeRule?, of topic: Topic, _ id: WorkerID) -> PostRefusal? {
        guard let rule, let waiting = workers[id]?.inbox?.queue.ruleWaiting(of: topic), waiting != rule
        else {
            return nil
        }
        return .waitsOtherwise(waiting)
    }

    /// Takes note of what a worker knows of a system topic by itself, where it wants to hear of changes.
    package func learn(_ value: [UInt8], of topic: SystemTopic, _ id: WorkerID) {
        guard let worker = workers[id], wants(Topic(topic), worker) else { return }
        openInbox(of: worker).queue.learn(value, of: Topic(topic))
    }

    /// Posts to a worker; answers at once what became of it, and `kept` when what survives the supervisor is on the disk.
    ///
    /// `kept` is called once: with nil when there is nothing to be kept, all of it is, or the worker has been handed it meanwhile;
    /// else with why it is not kept, and then the post is taken back. With `isAwaited` the caller asks by ``whenStored(_:)``.
    @discardableResult
    package func post(
        _ post: Post, to id: WorkerID, waking: PostWaking = .nobody, by caller: CallerIdentity? = nil,
        isAwaited: Bool = false, then kept: ((String?) -> Void)? = nil
    ) -> PostOutcome {
        guard let worker = workers[id] else { return .refused(.noSuchWorker) }
        if let refusal = refusal(of: post, to: worker) { return .refused(refusal) }
        let box = openInbox(of: worker)
        let mayBeTakenBack = post.survives && notifications != nil && (isAwaited || kept != nil)
        let outcome: NotificationQueue.Outcome
        var unstored: UnstoredPost?
        if mayBeTakenBack {
            let (result, trace) = box.queue.postTraced(post)
            outcome = result
            unstored = trace.map { UnstoredPost(worker: id, name: worker.configuration.name, trace: $0) }
        } else {
            outcome = box.queue.post(post)
        }
        if case .refused(let reason) = outcome { return .refused(.queue(reason)) }
        if let unstored { unstoredPosts.append(unstored) }
        if post.survives {
            keepChanges(of: worker, then: kept.map { answer(unstored, $0) })
        } else {
            // It may have merged into something that survives; but no caller waits for that.
            keepChanges(of: worker)
            kept?(nil)
        }
        tellPlan(.queued, of: worker)
        switch waking {
        case .nobody: break
        case .silently:
            // In the background there would be nothing to take.
            if worker.configuration.untilForeground.contains(post.topic) { break }
            wakeSilently(
                worker, WakeOrigin(.silentNotification, post.topic.name, by: caller),
                options: Self.options(of: post, by: caller))
        case .intoForeground:
            if worker.life.currentLaunch == nil {
                worker.nextLaunch.options = Self.options(of: post, by: caller)
            }
            rouse(
                worker, Wake(.notification, intoForeground: true),
                WakeOrigin(.notification, post.topic.name, by: caller))
        }
        switch outcome {
        case .waits(let sequence): return .queued(sequence)
        case .vanished: return .vanished
        case .refused(let reason): return .refused(.queue(reason))
        }
    }

    /// Answers a poster that waits: what could not be kept and is with the worker already is not refused.
    private func answer(
        _ post: UnstoredPost?, _ kept: @escaping (String?) -> Void
    ) -> (String?) -> Void {
        guard let post else { return kept }
        return { problem in
            let isHandedOut = problem != nil && self.handedOut(post.trace.sequence, to: post.worker)
            kept(isHandedOut ? nil : problem)
        }
    }

    /// Whether a post that could not be kept is with the worker already; while posters are answered.
    func handedOut(_ sequence: UInt64, to worker: WorkerID) -> Bool {
        handedOutPosts[worker]?.contains(sequence) ?? false
    }

    /// Takes back posts that could not be kept: what is refused is not delivered.
    ///
    /// Those that are with their workers stay.
    private func withdraw(_ posts: [UnstoredPost]) {
        for post in posts.reversed() {
            // It may have been forgotten, and defined again; what waits for one that is forgotten is kept for its name.
            let worker = workers[post.worker] ?? graph().ids[post.name].flatMap { workers[$0] }
            guard let box = worker?.inbox ?? parkedInboxes[post.name] else { continue }
            if !box.queue.withdraw(post.trace) {
                handedOutPosts[post.worker, default: []].insert(post.trace.sequence)
            }
            if let worker {
                keepChanges(of: worker)
            } else {
                notifications?.keep(box.queue.takeChanges(), of: post.name, then: nil)
            }
        }
    }

    private func refusal(of post: Post, to worker: Worker) -> PostRefusal? {
        guard wants(post.topic, worker) else { return .notWanted }
        // A new process reads the present state itself (2.4).
        if post.topic.system != nil, worker.life.currentLaunch == nil { return .notRunning }
        guard post.payload?.count ?? 0 <= Self.largestPayload else { return .tooLarge(Self.largestPayload) }
        if post.survives, let obstacle = notifications?.obstacle { return .notStored(obstacle) }
        return nil
    }

    /// Has what has changed kept at the end of this turn of the loop, with all else that changes in it; while a commit that
    /// a caller waits for is under way, when that is done, with all that changes until then.
    ///
    /// Answers when it is kept, or at once where nothing is.
    func keepChanges(of worker: Worker, then kept: ((String?) -> Void)? = nil) {
        guard notifications != nil else {
            _ = worker.inbox?.queue.takeChanges()
            kept?(nil)
            return
        }
        if let box = worker.inbox, !box.isDirty, box.queue.hasChanges {
            box.isDirty = true
            changedInboxes.append(worker)
        }
        if let kept { storedAnswers.append(kept) }
        keepSoon()
    }

    /// Calls `kept` when all that has changed so far is on the disk, or with why it is not.
    ///
    /// Returns the commit that this is: a caller that has asked for one already need not ask again.
    @discardableResult
    package func whenStored(_ kept: @escaping (String?) -> Void) -> UInt64 {
        guard notifications != nil else {
            kept(nil)
            return nextCommit
        }
        storedAnswers.append(kept)
        keepSoon()
        return nextCommit
    }

    /// Has all that waits for a worker kept once more: a predecessor may not have come to it.
    package func keepAnew(_ id: WorkerID) {
        guard let worker = workers[id], let box = worker.inbox, !box.isDirty else { return }
        box.queue.keepAnew()
        keepChanges(of: worker)
    }

    private func keepSoon() {
        let hasNews = !changedInboxes.isEmpty || !storedAnswers.isEmpty
        guard hasNews, !isStoringSoon, commitsUnderWay.isEmpty else { return }
        isStoringSoon = true
        loop.callSoon { [weak self] in
            self?.keepAllChanges()
        }
    }

    /// Hands all that has changed to the store now: what is kept from here on comes after it.
    package func keepAllChanges() {
        isStoringSoon = false
        guard let notifications else { return }
        for worker in changedInboxes {
            worker.inbox?.isDirty = false
            let changes = worker.inbox?.queue.takeChanges() ?? []
            if !changes.isEmpty { notifications.keep(changes, of: worker.configuration.name, then: nil) }
        }
        changedInboxes.removeAll(keepingCapacity: true)
        guard !storedAnswers.isEmpty else { return }
        let number = nextCommit
        commitsUnderWay.append(PostCommit(number: number, posts: unstoredPosts, answers: storedAnswers))
        (storedAnswers, unstoredPosts) = ([], [])
        nextCommit += 1
        notifications.keep([], of: "") { problem in
            // Nothing is left to be said of it where one before it has failed.
            if let place = self.commitsUnderWay.firstIndex(where: { $0.number == number }) {
                if let problem {
                    self.refuse(from: place, because: problem)
                } else {
                    for answer in self.commitsUnderWay.remove(at: place).answers { answer(nil) }
                }
            }
            self.keepSoon()
        }
    }

    /// Nothing of a commit is on the disk: what has come since may have merged into it, and goes with it.
    private func refuse(from place: Int, because problem: String) {
        let over = commitsUnderWay[place...]
        let answers = over.flatMap(\.answers) + storedAnswers
        let posts = over.flatMap(\.posts) + unstoredPosts
        commitsUnderWay.removeSubrange(place...)
        (storedAnswers, unstoredPosts) = ([], [])
        withdraw(posts)
        for answer in answers { answer(problem) }
        handedOutPosts = [:]
    }

    /// Wakes a worker with the `remote-notification` mode to take what waits; one that runs, or was stopped from outside, is
    /// left alone.
    ///
    /// One that does not run is launched with `options`.
    func wakeSilently(_ worker: Worker, _ origin: WakeOrigin, options: JSON.Object) {
        guard worker.configuration.wakesForSilentPosts, worker.life.mayBeWoken,
            worker.inbox?.queue.isEmpty == false
        else { return }
        guard mayWake(worker, for: origin.reason, origin.detail) else { return }
        if worker.life.isLaunchable { worker.nextLaunch.options = options }
        rouse(worker, Wake(origin.reason, intoForeground: false), origin)
    }

    /// Brings a worker into the background for something that has happened on the machine, and launches it for that, with
    /// `options`, where it does not run.
    ///
    /// One that sleeps and takes notifications is left alone where none waits for it: it would find nothing to do. One that takes
    /// none looks for itself, as by inotify(7).
    package func wake(_ id: WorkerID, for reason: LaunchReason, options: JSON.Object) {
        guard let worker = workers[id], worker.life.mayBeWoken else { return }
        let isWaitedFor = worker.life.receivedCallbacks.contains(.didReceiveNotifications)
        guard worker.life.restReason != nil || !isWaitedFor || worker.inbox?.queue.isEmpty == false else {
            return
        }
        let place = options.members.first?.value.string
        guard mayWake(worker, for: reason, place) else { return }
        if worker.life.isLaunchable { worker.nextLaunch.options = options }
        rouse(worker, Wake(reason, intoForeground: false), WakeOrigin(reason, place))
    }
}

extension WorkerLifecycle {
    /// Whether an event may wake it: not while it is on its way already; what was force-quit refuses, and says so.
    fileprivate var mayBeWoken: Bool {
        switch restReason {
        case .backingOff: false
        case .neverLaunched, .exited, .failed, .evicted, .forceQuit: true
        case nil: state == .suspended && !isHeld
        }
    }

    /// Whether it rests without a process, and an event launches it.
    fileprivate var isLaunchable: Bool { mayBeWoken && restReason != nil && restReason != .forceQuit }
}

extension WorkerConfiguration {
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
