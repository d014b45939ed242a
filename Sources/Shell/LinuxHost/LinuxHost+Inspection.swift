internal import Cgroups
internal import ConfigurationSyntax
internal import Lifecycle
internal import Processes
package import SupervisorPorts
internal import Waking
internal import WorkerIO

/// What a worker must not hold asleep, or in the background (2.5), and its CPU use held down (1.4).
extension LinuxHost {
    /// Looks for devices of `ReleaseInBackground=` that are open, and for locks.
    ///
    /// Where nothing is to be looked for, nothing is read. Sleeping workers are inspected together, a moment later: one that is woken
    /// again by then needs no look, and /proc/locks is read once for all.
    package func inspect(_ worker: WorkerID) {
        guard let running = workers[worker] else { return }
        guard !running.freeze.isOurs else { sleeperLocks?.fellAsleep(worker); return }
        watchDevices(of: running)
        let device = openDevice(of: running)
        guard device == nil, running.configuration.mustHoldNoLock else {
            return inform(worker, .inspected(device?.resource, detail: device?.detail))
        }
        let processes = processes(of: running)
        // The kernel lets nobody read the table before every processor has passed through its scheduler, some 8 ms.
        waking.lookups.perform {
            HeldFileLock.first(of: processes)?.words
                ?? LockTable.current().held(by: Set(processes)).map { $0.words(of: processes) }
        } then: { [weak self] held in
            guard let self, workers[worker] === running else { return }
            inform(worker, .inspected(held == nil ? nil : .lock, detail: held))
        }
    }

    private func openDevice(of running: RunningWorker) -> (resource: HeldResource, detail: String)? {
        let devices = running.configuration.releasedDevices
        guard !devices.isEmpty else { return nil }
        guard let open = devices.firstOpen(in: processes(of: running)) else { return nil }
        return open.device.isAlways
            ? (.backgroundDevice, open.words + ", in the background") : (.device, open.words)
    }

    /// Looks at a worker in the background anew when a device that must not be open there is opened.
    func watchDevices(of running: RunningWorker) {
        let devices = running.configuration.releasedDevices.filter(\.isAlways).map(\.devices)
        guard !devices.isEmpty else { return }
        // Where there is no inotify, it is looked for at each end of work there.
        if deviceOpenings == nil {
            deviceOpenings = try? DeviceOpenings(on: loop) { [unowned self] in
                guard let running = workers[$0], let open = openDevice(of: running) else { return }
                if open.resource == .backgroundDevice {
                    inform($0, .inspected(open.resource, detail: open.detail))
                }
            }
        }
        deviceOpenings?.watch(running.id, devices)
    }

    /// Goes on where a predecessor has looked at a worker: at its locks where it sleeps, and at openings of devices elsewhere.
    func inspectAgain(_ running: RunningWorker) {
        if running.freeze.isNone {
            watchDevices(of: running)
        } else if running.freeze.isOurs, running.configuration.looksForLocks {
            sleeperLocks?.fellAsleep(running.id)
        }
    }

    /// The processes of a worker that sleeps by our freeze, where its locks are looked at.
    func sleepingMembers(of worker: WorkerID, _ tree: inout ProcessTree?) -> LockSight.Members? {
        guard let running = workers[worker], running.freeze.isOurs, running.configuration.looksForLocks else {
            return nil
        }
        if let group = running.group, !running.isOutsideGroup { return .group(group) }
        return .processes(processes(of: running, in: &tree))
    }

    /// Holds its CPU use down: `cpu.max` where its group has the controller, the lowest nice level elsewhere.
    package func throttle(_ worker: WorkerID, _ isHeldDown: Bool) {
        guard let running = workers[worker] else { return }
        if let group = running.group {
            // Half of what it may use, so that it is below that whatever is measured.
            let share = isHeldDown ? (running.configuration.cpuAllowance?.permyriad ?? 10_000) / 2 : nil
            if (try? group.setCPUMaximum(share)) != nil { return }
        }
        if isHeldDown {
            running.niceBefore.merge(NiceLevels.lower(processes(of: running))) { before, _ in before }
        } else {
            NiceLevels.restore(running.niceBefore)
            running.niceBefore = [:]
        }
    }
}
