internal import Cgroups
package import Idleness
internal import Lifecycle
internal import Linux
package import SupervisorPorts
internal import Systemd
internal import Waking
internal import WorkerIO

/// A sleeper is watched, and what one is used for is found out (the spec's `5-waking`).
extension LinuxHost {
    /// Has the sockets of a worker watched that sleeps by our freeze; a moment later, since no request waits for that.
    func watchSoon(_ running: RunningWorker) {
        guard running.freeze.isOurs, running.configuration.wakeRules.watching != .no else { return }
        if watchSource.handle == nil {
            watchSource.handle = try? DeferSource(on: loop, enabled: .off, priority: .clients) {
                [unowned self] in watchSleepers()
            }
        }
        toWatch.append(running.id)
        watchSource.handle?.setEnabled(.oneshot)
    }

    /// The rules of a worker may be other ones from now on: a sleeper is watched anew by those.
    package func rulesChanged(of worker: WorkerID) {
        guard let running = workers[worker], running.watch?.rules != running.configuration.wakeRules else {
            return
        }
        running.stopWatching(before: .signal)
        watchSoon(running)
    }

    /// How many are looked at in one turn of the loop.
    private static let watchesPerTurn = 16

    private func watchSleepers() {
        for id in toWatch.prefix(Self.watchesPerTurn) {
            guard let running = workers[id], running.mayBeWatched else { continue }
            watch(running)
        }
        toWatch.removeFirst(min(toWatch.count, Self.watchesPerTurn))
        if !toWatch.isEmpty { watchSource.handle?.setEnabled(.oneshot) }
    }

    private func watch(_ running: RunningWorker) {
        let rules = running.configuration.wakeRules
        let subject = SleeperWatch.Subject(
            processes: processes(of: running), cgroup: cgroup(of: running),
            held: descriptors?.inodes(of: running.id) ?? [], rules: rules,
            looksFirst: running.configuration.policy.idle == nil || running.use.naps.looksFirst(rules),
            since: running.socketSurvey)
        let watch = SleeperWatch(subject, with: waking) { [weak self, weak running] news in
            guard let self, let running else { return }
            switch news {
            case .settled: inform(running.id, .watched(running.watch?.sight.words ?? "nothing"))
            case .wanted(let reason): wake(running, for: reason, wasLooked: subject.looksFirst)
            }
        }
        running.beginWatching(watch)
    }

    private func wake(_ running: RunningWorker, for reason: WakeFilter.Reason, wasLooked: Bool) {
        let woken = now
        running.isAwaited = true
        defer { running.isAwaited = false }
        guard !wasLooked, let watch = running.watch, !reason.isKnown else {
            running.use.woke(by: reason, at: woken)
            inform(running.id, .wanted(reason, isExplained: true))
            return expectAcceptance(running, of: reason, at: woken)
        }
        let asleep = running.frozenAt
        inform(running.id, .wanted(reason, isExplained: false))
        // For whom it was is looked up when it runs already.
        watch.explain(within: now - asleep) { [weak self, weak running] explanation in
            // Where it has slept again since, that is no answer to what wakes it next.
            guard let self, let running, running.frozenAt == asleep else { return }
            let found = explanation ?? reason
            running.use.woke(by: found, at: woken)
            inform(running.id, .wanted(found, isExplained: true))
            expectAcceptance(running, of: found, at: woken)
        }
    }

    /// How a sleeper is watched; nil while it runs, or before that has begun.
    package func watching(_ worker: WorkerID) -> SleeperSight? { workers[worker]?.watch?.sight }

    /// The sockets that are held for a worker, in their order.
    package func heldSockets(of worker: WorkerID) -> [HeldSocketStatus] {
        descriptors?.status(of: worker) ?? []
    }

    /// Every process of a worker, as far as can be seen.
    package func processes(of worker: WorkerID) -> [Int32] { workers[worker].map(processes) ?? [] }

    /// The latest use that was found of a worker, or the answer that it owes asleep; nil where none was, or it was not looked for.
    package func lastUse(of worker: WorkerID) -> Use? { workers[worker]?.use.latest }

    /// What was seen of a worker that is only observed; nil where nothing was.
    package func gain(of worker: WorkerID) -> SleepGain? {
        guard let running = workers[worker], !running.configuration.useRules.acts else { return nil }
        return running.use.gain
    }

    // MARK: use

    /// Counts what a worker uses of the processors from now on.
    package func beginUse(of worker: WorkerID) { workers[worker]?.use.begin(at: now) { cpuUsed(by: worker) } }

    /// Something for a worker has passed through the supervisor: it counts as used at this moment.
    package func passed(_ what: String, to worker: WorkerID) { workers[worker]?.use.passed(what, at: now) }

    /// Finds out when a worker was used last; answered by `usedLast`.
    package func inspectUse(of worker: WorkerID) {
        guard let running = workers[worker], running.reaping == nil else { return }
        let held = descriptors?.inodes(of: worker) ?? []
        useInspector.inspect(
            processes(of: running), cgroup: cgroup(of: running), held: held,
            withUnix: running.use.naps.mayLeaveLocal
        ) { [weak self] finding in
            guard let self, let running = workers[worker], running.reaping == nil else { return }
            let judgement = running.use.judge(
                finding, by: running.configuration.useRules,
                delay: running.configuration.policy.idle?.delay ?? .zero, cpu: cpuUsed(by: worker), at: now)
            if let remark = judgement.remark { inform(worker, .remarked(remark)) }
            inform(worker, .usedLast(judgement.answer))
        }
    }

    /// Finds out whether a sleeper with connections owes an answer that others have suspended: of one that is idle that is known.
    package func inspectDebt(of worker: WorkerID) {
        guard let running = workers[worker], running.watch?.mayHaveConnections ?? false else { return }
        let frozenAt = running.frozenAt
        useInspector.inspect(processes(of: running), cgroup: cgroup(of: running)) { [weak self] finding in
            guard let self, let running = workers[worker], running.frozenAt == frozenAt, running.watch != nil
            else { return }
            running.use.takeDebt(finding, by: running.configuration.useRules, at: now)
        }
    }

    /// The id of a worker's cgroup, where its processes are in one of its own.
    private func cgroup(of running: RunningWorker) -> UInt64? {
        running.isOutsideGroup ? nil : running.group?.id
    }

    /// Has it looked at later whether a worker accepts the connection for which it was woken.
    private func expectAcceptance(_ running: RunningWorker, of reason: WakeFilter.Reason, at woken: Instant) {
        guard case .lookLater(let due) = running.use.acceptance.handle(.woken(reason, at: woken)) else {
            return
        }
        waking.laterLooks.enter(at: due) { [weak self, weak running] in
            guard let self, let running, running.reaping == nil,
                case .look(let sought) = running.use.acceptance.handle(.due(at: now))
            else { return }
            waking.isLeftWaiting(sought, by: processes(of: running), in: cgroup(of: running)) {
                [weak self, weak running] isWaiting in
                guard let self, let running,
                    case .warn(let words) = running.use.acceptance.handle(.looked(isWaiting: isWaiting))
                else { return }
                inform(running.id, .remarked(words))
            }
        }
    }
}
