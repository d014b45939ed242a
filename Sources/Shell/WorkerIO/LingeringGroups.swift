package import Cgroups
internal import Linux
package import Systemd

/// The groups of workers that have ended, removed without a wait on the loop.
///
/// The kernel lets a group go a moment after its last process was reaped, and not at all while a process of others lives in it. A group
/// that cannot be removed at once is tried again in turns of its own.
package final class LingeringGroups {
    /// How long after a failure a group is tried again, in microseconds, and how often.
    private static let (pause, most): (Int64, Int) = (500, 20)

    private struct Lingering {
        let group: Cgroup
        /// Held until it is gone.
        let claim: CgroupClaim?
        var tries = 0
    }

    private unowned let loop: EventLoop
    private let timer = SourceBox<TimeSource>()
    private var groups: [Lingering] = []

    /// None, on `loop`.
    package init(on loop: EventLoop) { self.loop = loop }

    /// Removes `group` now or soon; one in which others live stays, and one that is gone already is no failure.
    package func remove(_ group: Cgroup, _ claim: CgroupClaim?) {
        guard !Self.remove(group, patience: 0) else { return }
        groups.append(Lingering(group: group, claim: claim))
        if timer.handle == nil {
            timer.handle = try? TimeSource(on: loop, priority: .clients) { [unowned self] _ in tryAgain() }
        }
        arm()
    }

    /// Leaves `group` as it is: it is to be used again.
    package func keep(_ group: Cgroup) {
        if !groups.isEmpty { groups.removeAll { $0.group == group } }
    }

    /// Removes them now, and waits for that: nothing runs on the loop any more.
    package func finish() {
        for lingering in groups { _ = Self.remove(lingering.group, patience: 10_000) }
        groups = []
    }

    private func tryAgain() {
        groups = groups.compactMap { lingering in
            var lingering = lingering
            lingering.tries += 1
            guard !Self.remove(lingering.group, patience: 0), lingering.tries < Self.most else { return nil }
            return lingering
        }
        if !groups.isEmpty { arm() }
    }

    private func arm() {
        // Without a timer the group stays until it is used again, or swept.
        timer.handle?.arm(at: KernelClock.monotonic + Self.pause)
    }

    private static func remove(_ group: Cgroup, patience: Int64) -> Bool {
        (try? group.remove(patience: patience)) != nil
    }
}
