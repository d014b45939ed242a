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

    /// How many are looked at in one turn of the loop.
    private static let watchesPerTurn = 16

    private func watchSleepers() {
        for id in toWatch.prefix(Self.watchesPerTurn) {
            guard let running = workers[id], running.freeze.isOurs, running.watch == nil else { continue }
            watch(running)
        }
        toWatch.removeFirst(min(toWatch.count, Self.watchesPerTurn))
        if !toWatch.isEmpty { watchSource.handle?.setEnabled(.oneshot) }
    }

    private func watch(_ running: RunningWorker) {
        let rules = running.configuration.wakeRules
        let subject = SleeperWatch.Subject(
            processes: processes(of: running), cgroup: running.isOutsideGroup ? nil : running.group?.id,
            held: descriptors?.inodes(of: running.id) ?? [], rules: rules,
            looksFirst: running.configuration.policy.idle == nil || running.naps.looksFirst(rules),
            since: running.socketSurvey)
        let watch = SleeperWatch(subject, with: waking) { [weak self, weak running] news in
            guard let self, let running else { return }
            switch news {
            case .settled: inform(running.id, .watched(running.watch?.sight.words ?? "nothing"))
            case .wanted(let reason): wake(running, for: reason, wasLooked: subject.looksFirst)
            }
        }
        running.watch = watch
        watch.begin()
    }

    private func wake(_ running: RunningWorker, for reason: WakeFilter.Reason, wasLooked: Bool) {
        let woken = now
        running.isAwaited = true
        defer { running.isAwaited = false }
        guard !wasLooked, let watch = running.watch, !reason.isKnown else {
            running.naps.woke(by: reason, at: woken)
            return inform(running.id, .wanted(reason, isExplained: true))
        }
        let asleep = running.frozenAt
        inform(running.id, .wanted(reason, isExplained: false))
        // For whom it was is looked up when it runs already.
        watch.explain(within: now - asleep) { [weak self, weak running] explanation in
            guard let self, let running else { return }
            let found = explanation ?? reason
            running.naps.woke(by: found, at: woken)
            inform(running.id, .wanted(found, isExplained: true))
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

    /// The latest use that was found of a worker that runs; nil where none was, or it was not looked for.
    package func lastUse(of worker: WorkerID) -> Use? { workers[worker]?.lastUse }

    /// What was seen of a worker that is only observed; nil where nothing was.
    package func gain(of worker: WorkerID) -> SleepGain? {
        guard let running = workers[worker], !running.configuration.useRules.acts else { return nil }
        return running.gain
    }

    // MARK: use

    /// Counts what a worker uses of the processors from now on.
    package func beginUse(of worker: WorkerID) {
        workers[worker]?.useWindow.begin(at: now) { cpuUsed(by: worker) }
    }

    /// Finds out when a worker was used last; answered by `usedLast`.
    package func inspectUse(of worker: WorkerID) {
        guard let running = workers[worker], running.reaping == nil else { return }
        let cgroup = running.isOutsideGroup ? nil : running.group?.id
        let held = descriptors?.inodes(of: worker) ?? []
        useInspector.inspect(processes(of: running), cgroup: cgroup, held: held) { [weak self] finding in
            guard let self, let running = workers[worker], running.reaping == nil else { return }
            judge(running, finding)
        }
    }

    private func judge(_ running: RunningWorker, _ finding: UseInspector.Finding) {
        let rules = running.configuration.useRules
        let tables: [[InetSocket]]
        switch finding.tables {
        case .success(let found): tables = found
        case .failure(let why):
            if !running.isUseUnknown {
                running.isUseUnknown = true
                inform(running.id, .remarked(why.words))
            }
            return inform(running.id, .usedLast(LastUse(at: now)))
        }
        var facts = UseFacts()
        facts.connections = UseFacts.Connection.all(in: tables, of: finding.owner, at: finding.at)
        let delay = running.configuration.policy.idle?.delay ?? .zero
        facts.cpu = cpuUsed(by: running.id).flatMap { running.useWindow.share($0, at: now, over: delay) }
        facts.passage = running.lastPassage
        facts.hasSockets = finding.owner.cgroup != nil || !finding.owner.inodes.isEmpty
        let use = rules.lastUse(facts, at: now)
        running.lastUse = use
        let answer = running.naps.answer(use)
        guard rules.acts else { return observe(running, answer, use) }
        inform(running.id, .usedLast(answer))
    }

    /// Only tells what would have been done (`Idle=observe`): it goes on running, and is asked again after its delay.
    private func observe(_ running: RunningWorker, _ answer: LastUse, _ use: Use?) {
        let delay = running.configuration.policy.idle?.delay ?? .zero
        running.gain.judged(use, at: now, delay: delay)
        inform(running.id, .usedLast(LastUse(at: now)))
    }
}
