internal import Lifecycle
internal import Linux
package import Processes
internal import Scheduling
package import SupervisorPorts
package import Systemd

/// Locks of workers that sleep (`HeldLocks=warn`): told when another process waits for one, also when it begins to during the sleep.
///
/// When a worker has fallen asleep /proc/locks is read once, for all that have by then; where it holds a lock, again as ``LockVigil`` has
/// it, since no event of the kernel tells of a waiter. Where no sleeper holds one, nothing is read and no timer runs.
package final class SleeperLocks {
    /// The processes of a worker that sleeps and whose locks are to be looked at; nil for any other.
    ///
    /// What is known of all processes is kept for the next question.
    package typealias Members = (WorkerID, inout ProcessTree?) -> LockSight.Members?

    private let lookups: DiskQueue
    private let members: Members
    private let tell: (WorkerID, String?) -> Void
    private let inspection = SourceBox<TimeSource>()
    private let vigilTimer = SourceBox<TimeSource>()
    private var fresh: [WorkerID] = []
    private var vigil = LockVigil<WorkerID>()

    /// How long after it was put to sleep a worker is looked at: one that is woken again by then needs no look.
    private static let delay = TimeSpan.milliseconds(20)

    /// `tell` hears of each worker that has fallen asleep what waits for a lock of it, or nil; and of a waiter that comes later.
    package init(
        on loop: EventLoop, _ lookups: DiskQueue, members: @escaping Members,
        tell: @escaping (WorkerID, String?) -> Void
    ) throws {
        (self.lookups, self.members, self.tell) = (lookups, members, tell)
        inspection.handle = try TimeSource(
            on: loop, accuracy: Self.delay.microseconds, priority: .clients
        ) { [unowned self] _ in inspect() }
        vigilTimer.handle = try TimeSource(
            on: loop, accuracy: LockVigil<WorkerID>.slack.microseconds, priority: .clients
        ) { [unowned self] _ in keepVigil() }
    }

    /// A worker has fallen asleep.
    package func fellAsleep(_ worker: WorkerID) {
        if fresh.isEmpty { inspection.handle?.arm(at: KernelClock.monotonic + Self.delay.microseconds) }
        fresh.append(worker)
    }

    private func inspect() {
        let workers = fresh
        fresh = []
        look(at: workers, answersAll: true)
    }

    private func keepVigil() {
        let now = Instant(microseconds: KernelClock.monotonic)
        // Of those that sleep no more nothing is read.
        let due = vigil.takeDue(at: now) { _ in true }
        arm()
        look(at: due, answersAll: false)
    }

    private func arm() {
        if let due = vigil.nextDue {
            vigilTimer.handle?.arm(at: due.microseconds)
        } else {
            vigilTimer.handle?.disarm()
        }
    }

    private func look(at workers: [WorkerID], answersAll: Bool) {
        var tree: ProcessTree?
        var asked: [(worker: WorkerID, members: LockSight.Members)] = []
        for worker in workers {
            if let members = members(worker, &tree) {
                asked.append((worker, members))
            } else {
                vigil.forget(worker)
            }
        }
        guard !asked.isEmpty else { return arm() }
        let members = asked.map(\.members)
        lookups.perform {
            LockSight.look(at: members)
        } then: { [weak self] sights in
            guard let self else { return }
            for (worker, sight) in zip(asked.map(\.worker), sights) {
                take(sight, of: worker, answersAll: answersAll)
            }
            arm()
        }
    }

    private func take(_ sight: LockSight, of worker: WorkerID, answersAll: Bool) {
        var tree: ProcessTree?
        guard members(worker, &tree) != nil else { return vigil.forget(worker) }
        switch sight {
        case .none:
            vigil.forget(worker)
            if answersAll { tell(worker, nil) }
        case .held:
            vigil.watch(worker, at: Instant(microseconds: KernelClock.monotonic))
            if answersAll { tell(worker, nil) }
        case .contested(let words):
            vigil.forget(worker)
            tell(worker, words)
        }
    }
}
