package import Cgroups
internal import Linux
package import Systemd

/// The groups of workers that have ended, removed without a wait on the loop.
///
/// One that comes alone is removed at once, which takes some 30 µs; of many that end together a thread removes all but the first few. The
/// kernel lets a group go a moment after its last process was reaped, and not at all while a process of others lives in it. A group
/// that cannot be removed at once is tried again in turns of its own.
package final class LingeringGroups {
    /// How long after a failure a group is tried again, in microseconds, and how often.
    private static let (pause, most): (Int64, Int) = (500, 20)
    /// So many that end within ``burst`` microseconds are removed at once; the thread has those after them.
    private static let few = 4
    private static let burst: Int64 = 20_000
    /// So many are handed to the thread together; fewer by the next turn of the loop.
    private static let batch = 16

    private unowned let loop: EventLoop
    private let timer = SourceBox<TimeSource>()
    private let removals = GroupRemovals()
    /// What the thread is given next.
    private var unbegun: [GroupRemovals.Removal] = []
    private let handing = SourceBox<DeferSource>()
    /// How many have ended since when.
    private var lately: (count: Int, since: Int64) = (0, 0)
    private var groups: [GroupRemovals.Removal] = []

    /// None, on `loop`.
    package init(on loop: EventLoop) { self.loop = loop }

    /// Removes `group` now or soon; one in which others live stays, and one that is gone already is no failure.
    package func remove(_ group: Cgroup, _ claim: CgroupClaim?) {
        let removal = GroupRemovals.Removal(group: group, claim: claim)
        guard !isOfMany() else { return leave(removal) }
        if !removal.succeeds() { tryLater([removal]) }
    }

    /// Leaves `group` as it is: it is to be used again.
    package func keep(_ group: Cgroup) {
        if !unbegun.isEmpty { unbegun.removeAll { $0.group == group } }
        removals.takeBack(group)
        if !groups.isEmpty { groups.removeAll { $0.group == group } }
    }

    /// Removes them now, and waits for each up to `patience` microseconds: nothing runs on the loop any more.
    package func finish(patience: Int64 = 10_000) {
        for removal in removals.takeBackAll() + unbegun + groups { _ = removal.succeeds(patience: patience) }
        (unbegun, groups) = ([], [])
    }

    // MARK: many at once

    private func isOfMany() -> Bool {
        let now = KernelClock.monotonic
        if now - lately.since > Self.burst { lately = (0, now) }
        lately.count += 1
        return lately.count > Self.few
    }

    /// Leaves it to the thread, with others.
    private func leave(_ removal: GroupRemovals.Removal) {
        unbegun.append(removal)
        guard unbegun.count < Self.batch else { return handOver() }
        if handing.handle == nil {
            handing.handle = try? DeferSource(on: loop, enabled: .off, priority: .clients) { [unowned self] in
                handOver()
            }
        }
        handing.handle?.setEnabled(.oneshot)
        if handing.handle == nil { handOver() }
    }

    private func handOver() {
        guard !unbegun.isEmpty else { return }
        let given = unbegun
        unbegun = []
        let told: () -> Void = { [weak self] in
            guard let self else { return }
            tryLater(removals.takeRefused())
        }
        let (loop, answer) = (loop, LoopConfined(told, on: loop))
        let left = removals.begin(given) { loop.call { answer.value() } }
        tryLater(left.filter { !$0.succeeds() })
    }

    // MARK: again

    private func tryLater(_ removals: [GroupRemovals.Removal]) {
        guard !removals.isEmpty else { return }
        groups += removals
        if timer.handle == nil {
            timer.handle = try? TimeSource(on: loop, priority: .clients) { [unowned self] _ in tryAgain() }
        }
        arm()
    }

    private func tryAgain() {
        groups = groups.compactMap { removal in
            var removal = removal
            removal.tries += 1
            guard !removal.succeeds(), removal.tries < Self.most else { return nil }
            return removal
        }
        if !groups.isEmpty { arm() }
    }

    private func arm() {
        // Without a timer the group stays until it is used again, or swept.
        timer.handle?.arm(at: KernelClock.monotonic + Self.pause)
    }
}
