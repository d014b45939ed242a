internal import Lifecycle
internal import Linux
internal import Pressure
internal import Systemd

/// Whom the kernel's OOM killer has ended, by its own counts and not by guessing.
extension LinuxHost {
    /// How long a process that the OOM killer has chosen may take to be gone.
    private static let longestOOMDeath = TimeSpan.seconds(10)

    /// Whether the kernel's OOM killer has ended the main process, which died of `status`.
    func wasOOMKilled(_ hosted: HostedWorker, _ status: ExitStatus) -> Bool {
        guard case .killed(signal: 9, coreDumped: _) = status, !hosted.wasKilledByUs else { return false }
        guard hosted.hasMemoryController, let text = hosted.group?.memoryEventsText(),
            let events = MemoryEvents(parsing: text)
        else { return hasLegacyKill(hosted) }
        if events.oomKill > hosted.memoryEvents.oomKill {
            // Told before the exit, as it would have been had the news of it come first.
            tell(events, of: hosted)
            return true
        }
        return hosted.oomKilledAt.map { now - $0 < Self.longestOOMDeath } ?? false
    }

    // MARK: cgroup v1

    /// How long whoever moves a new worker to another group may take for it.
    private static let settling = TimeSpan.milliseconds(200)
    private static let mostLegacyLooks = 8
    private static let mostLegacyGroups = 1024

    /// Looks in a moment whether somebody has put a new worker into a group of cgroup v1; there is no asking when it has died.
    func watchNewcomer(_ hosted: HostedWorker) {
        guard legacyMemory != nil, !hosted.hasMemoryController else { return }
        newcomers.append(hosted.id)
        guard newcomers.count == 1 else { return }
        if newcomerTimer.handle == nil {
            // Nothing depends on the very moment: wake-ups may be shared.
            let slack = Self.settling.microseconds / 2
            newcomerTimer.handle = try? TimeSource(on: loop, accuracy: slack) { [unowned self] _ in
                greetNewcomers()
            }
        }
        newcomerTimer.handle?.arm(at: (now + Self.settling).microseconds)
    }

    private func greetNewcomers() {
        let arrived = newcomers
        newcomers = []
        var later: [HostedWorker] = []
        for id in arrived {
            guard let hosted = workers[id] else { continue }
            if now - hosted.launchedAt < Self.settling {
                later.append(hosted)
            } else {
                noteLegacyGroup(of: hosted)
            }
        }
        for hosted in later { watchNewcomer(hosted) }
    }

    /// Remembers the group of cgroup v1 that somebody has put the worker into.
    func noteLegacyGroup(of hosted: HostedWorker) {
        guard let legacyMemory, !hosted.hasMemoryController, hosted.legacyGroup == nil, hosted.burial == nil,
            hosted.legacyLooks < Self.mostLegacyLooks
        else { return }
        hosted.legacyLooks += 1
        guard let group = LegacyMemory.ownGroup(of: hosted.main, below: legacyMemory) else { return }
        // A group that was made for it had counted nothing before; another one may have, by now or then.
        let isItsOwn = group.isYounger(than: hosted.launchedAt.microseconds, on: now.microseconds)
        hosted.legacyGroup = (group, isItsOwn ? 0 : legacyKills[group] ?? group.oomKills())
    }

    /// Whether the count of that group has risen in its time.
    private func hasLegacyKill(_ hosted: HostedWorker) -> Bool {
        guard let (group, before) = hosted.legacyGroup, let before, let kills = group.oomKills() else {
            return false
        }
        if legacyKills.count >= Self.mostLegacyGroups { legacyKills = [:] }
        legacyKills[group] = kills
        return kills > before
    }
}
