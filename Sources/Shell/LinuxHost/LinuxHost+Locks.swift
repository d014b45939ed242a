internal import ConfigurationSyntax
internal import Lifecycle
internal import Processes
internal import Scheduling
internal import SupervisorPorts
internal import Systemd
internal import Waking
internal import WorkerIO

/// Locks of workers that sleep (`HeldLocks=warn`): told when another process waits for one, also when it begins to during the sleep.
///
/// When a worker has fallen asleep /proc/locks is read once; where it holds a lock, again as ``LockVigil`` has it, since no event of the
/// kernel tells of a waiter. Where no sleeper holds one, nothing is read and no timer runs.
extension LinuxHost {
    /// How long after it was put to sleep a worker is looked at.
    static let inspectionDelay = TimeSpan.milliseconds(20)

    func inspectAsleep(_ worker: WorkerID) {
        if toInspect.isEmpty { inspection.handle?.arm(at: (now + Self.inspectionDelay).microseconds) }
        toInspect.append(worker)
    }

    /// Looks at those that have been put to sleep since the last time, and sleep still.
    func inspectSleepers() {
        let sleepers = toInspect
        toInspect = []
        lookAtLocks(of: sleepers, answersAll: true)
    }

    /// Looks again at those that sleep on a lock.
    func keepLockVigil() {
        let due = lockVigil.takeDue(at: now) { workers[$0]?.freeze.isOurs ?? false }
        armLockVigil()
        lookAtLocks(of: due, answersAll: false)
    }

    private func armLockVigil() {
        if let due = lockVigil.nextDue {
            lockVigilTimer.handle?.arm(at: due.microseconds)
        } else {
            lockVigilTimer.handle?.disarm()
        }
    }

    private func lookAtLocks(of ids: [WorkerID], answersAll: Bool) {
        var tree: ProcessTree?
        var asked: [(worker: RunningWorker, members: LockSight.Members)] = []
        for id in ids {
            guard let running = workers[id], running.freeze.isOurs else { continue }
            guard running.configuration.looksForLocks else {
                if answersAll { inform(id, .inspected(nil, detail: nil)) }
                continue
            }
            if let group = running.group, !running.isOutsideGroup {
                asked.append((running, .group(group)))
            } else {
                asked.append((running, .processes(processes(of: running, in: &tree))))
            }
        }
        guard !asked.isEmpty else { return }
        let members = asked.map(\.members)
        waking.lookups.perform {
            LockSight.look(at: members)
        } then: { [weak self] sights in
            guard let self else { return }
            for (running, sight) in zip(asked.map(\.worker), sights)
            where workers[running.id] === running && running.freeze.isOurs {
                take(sight, of: running.id, answersAll: answersAll)
            }
            armLockVigil()
        }
    }

    private func take(_ sight: LockSight, of worker: WorkerID, answersAll: Bool) {
        switch sight {
        case .none:
            lockVigil.forget(worker)
            if answersAll { inform(worker, .inspected(nil, detail: nil)) }
        case .held:
            lockVigil.watch(worker, at: now)
            if answersAll { inform(worker, .inspected(nil, detail: nil)) }
        case .contested(let words):
            lockVigil.forget(worker)
            inform(worker, .inspected(.lock, detail: words))
        }
    }
}
