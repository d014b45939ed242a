internal import Cgroups
internal import Lifecycle
internal import Linux
internal import Pressure
internal import Systemd

/// Which workers the kernel's OOM killer has ended, by its own counts and not by guessing.
extension LinuxHost {
    /// How long a process that the OOM killer has chosen may take to be gone.
    private static let longestOOMDeath = TimeSpan.seconds(10)

    /// Whether the kernel's OOM killer has ended the main process, which died of `status`.
    func wasOOMKilled(_ running: RunningWorker, _ status: ExitStatus) -> Bool {
        guard case .killed(signal: 9, coreDumped: _) = status, !running.wasKilledByUs else { return false }
        guard running.hasMemoryController, let text = running.group?.memoryEventsText(),
            let events = MemoryEvents(parsing: text)
        else { return hasLegacyKill(running) }
        if events.oomKill > running.memoryEvents.oomKill {
            // Told before the exit, as it would have been had the news of it come first.
            tell(events, of: running)
            return true
        }
        return running.oomKilledAt.map { now - $0 < Self.longestOOMDeath } ?? false
    }

    // MARK: cgroup v1

    /// How long moving a new worker to another group may take.
    private static let (settling, newness) = (TimeSpan.milliseconds(200), TimeSpan.milliseconds(50))
    private static let mostLegacyLooks = 8
    private static let mostLegacyGroups = 1024

    /// Looks in a moment whether a new worker was put into a group of cgroup v1; there is no asking when it has died.
    func watchRecentLaunch(_ running: RunningWorker) {
        guard mayHaveLegacyMemory, !running.hasMemoryController else { return }
        recentLaunches.append(running.id)
        guard recentLaunches.count == 1 else { return }
        if recentLaunchTimer.handle == nil {
            // Nothing depends on the very moment: wake-ups may be shared.
            let slack = Self.settling.microseconds / 2
            recentLaunchTimer.handle = try? TimeSource(on: loop, accuracy: slack) { [unowned self] _ in
                checkRecentLaunches()
            }
        }
        recentLaunchTimer.handle?.arm(at: (now + Self.settling).microseconds)
    }

    private func checkRecentLaunches() {
        let arrived = recentLaunches
        recentLaunches = []
        mayHaveLegacyMemory = legacyMemory != nil
        var later: [RunningWorker] = []
        for id in arrived {
            guard let running = workers[id] else { continue }
            let isNew = now - running.launchedAt < Self.settling || !unbegun.isEmpty
            if isNew { later.append(running) } else { noteLegacyGroup(of: running) }
        }
        for running in later { watchRecentLaunch(running) }
    }

    /// Remembers the group of cgroup v1 that the worker was put into; at first no time has passed for that.
    func noteLegacyGroup(of running: RunningWorker) {
        guard let legacyMemory, !running.hasMemoryController, running.legacyGroup == nil,
            unbegun.isEmpty, running.reaping == nil, now - running.launchedAt > Self.newness,
            running.legacyLooks < Self.mostLegacyLooks
        else { return }
        running.legacyLooks += 1
        guard let group = LegacyMemory.ownGroup(of: running.main, below: legacyMemory) else { return }
        // A group that was made for it had counted nothing before; another one may have, by now or then.
        let isItsOwn = group.isYounger(than: running.launchedAt.microseconds, on: now.microseconds)
        running.legacyGroup = (group, isItsOwn ? 0 : legacyKills[group] ?? group.oomKills())
    }

    /// Whether the count of that group has risen in its time.
    private func hasLegacyKill(_ running: RunningWorker) -> Bool {
        guard let (group, before) = running.legacyGroup, let before, let kills = group.oomKills() else {
            return false
        }
        if legacyKills.count >= Self.mostLegacyGroups { legacyKills = [:] }
        legacyKills[group] = kills
        return kills > before
    }
}
