internal import Cgroups
internal import ConfigurationSyntax
internal import Lifecycle
internal import Linux
internal import Processes
package import SupervisorPorts
internal import Systemd
internal import Waking
internal import WorkerFile
internal import WorkerIO

/// What a worker must not hold asleep (2.5), and its CPU use held down (1.4).
extension LinuxHost {
    /// Looks for devices of `ReleaseInBackground=` that are open, then for locks that other processes wait for.
    ///
    /// Where nothing is to be looked for, nothing is read. Sleeping workers are inspected together, a moment later: one that is woken
    /// again by then needs no look, and /proc/locks is read once for all.
    package func inspect(_ worker: WorkerID) {
        guard let running = workers[worker] else { return }
        guard !running.freeze.isOurs else {
            if toInspect.isEmpty { inspection.handle?.arm(at: (now + Self.inspectionDelay).microseconds) }
            toInspect.append(worker)
            return
        }
        look(at: [worker]) { _ in true }
    }

    /// How long after it was put to sleep a worker is looked at.
    static let inspectionDelay = TimeSpan.milliseconds(20)

    /// Looks at those that have been put to sleep since the last time, and sleep still.
    func inspectSleepers() {
        let sleepers = toInspect
        toInspect = []
        look(at: sleepers) { $0.freeze.isOurs }
    }

    /// Looks at those of `ids` that `isDue` holds for, before and after the table of locks was read: the kernel lets nobody read that before
    /// every processor has passed through its scheduler, some 8 ms, which no request waits for.
    private func look(at ids: [WorkerID], where isDue: @escaping (RunningWorker) -> Bool) {
        let due = ids.compactMap { workers[$0] }.filter(isDue)
        guard due.contains(where: \.configuration.looksForLocks) else {
            return due.forEach { look(at: $0, nil) }
        }
        let strict = due.filter(\.configuration.mustHoldNoLock).map { ($0.id, processes(of: $0)) }
        waking.lookups.perform {
            (LockTable.current(), strict.map { ($0.0, HeldFileLock.first(of: $0.1)) })
        } then: { [weak self] locks, held in
            guard let self else { return }
            for running in due where workers[running.id] === running && isDue(running) {
                look(at: running, locks, held.first { $0.0 == running.id }?.1)
            }
        }
    }

    private func look(at running: RunningWorker, _ locks: LockTable?, _ held: HeldFileLock? = nil) {
        let own = held.map { (HeldResource.lock, "\($0.kind) lock on \($0.path), held by pid \($0.pid)") }
        let found = openDevice(of: running) ?? own ?? heldLock(of: running, locks)
        inform(running.id, .inspected(found?.resource, detail: found?.detail))
    }

    private func openDevice(of running: RunningWorker) -> (resource: HeldResource, detail: String)? {
        let devices = running.configuration.releasedDevices
        guard !devices.isEmpty else { return nil }
        for pid in processes(of: running) {
            let path = OpenFiles.first(of: pid) { path in devices.contains { $0.matches(path) } }
            if let path { return (.device, "\(path) open in pid \(pid)") }
        }
        return nil
    }

    private func heldLock(
        of running: RunningWorker, _ locks: LockTable?
    ) -> (resource: HeldResource, detail: String)? {
        guard running.configuration.looksForLocks, let table = locks, !table.contested.isEmpty,
            let lock = table.held(by: Set(processes(of: running)))
        else {
            return nil
        }
        return (
            .lock,
            "\(lock.kind) lock on file \(lock.file), held by pid \(lock.holder), waited for by pid \(lock.waiter)"
        )
    }

    /// Holds its CPU use down: `cpu.max` where its group has the controller, the lowest nice level elsewhere.
    package func throttle(_ worker: WorkerID, _ isHeldDown: Bool) {
        guard let running = workers[worker] else { return }
        if let group = running.group {
            // Half of what it may use, so that it is below that whatever is measured.
            let share = isHeldDown ? (running.configuration.cpuAllowance?.permyriad ?? 10_000) / 2 : nil
            if (try? group.setCPUMaximum(share)) != nil { return }
        }
        if isHeldDown { makeNicest(running) } else { restoreNice(running) }
    }

    private func makeNicest(_ running: RunningWorker) {
        for pid in processes(of: running) {
            guard let process = ProcessIdentity(pid: pid), let nice = NiceLevel.of(pid), nice < 19 else {
                continue
            }
            // Ignoring a failure: it has ended meanwhile.
            if (try? NiceLevel.set(19, of: pid)) != nil { running.niceBefore[process] = nice }
        }
    }

    private func restoreNice(_ running: RunningWorker) {
        for (process, nice) in running.niceBefore where ProcessIdentity(pid: process.pid) == process {
            // Ignoring a failure: only a process that may raise priorities can undo it.
            try? NiceLevel.set(nice, of: process.pid)
        }
        running.niceBefore = [:]
    }
}
