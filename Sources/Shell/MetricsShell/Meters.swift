internal import Glibc
internal import Lifecycle
internal import Linux
package import Metering
internal import Notifications
internal import Processes
package import Supervisor
package import SupervisorPorts

/// Counts what happens to workers, and says what there is by now.
package final class Meters: NoticeObserver {
    private let supervisor: Supervisor
    private let version: String
    private var meters: [WorkerID: WorkerMeters] = [:]
    private var callbacks: [Callback: DurationHistogram] = [:]
    /// The workers by name, as of the last snapshot; a name does not change.
    private var order: [WorkerID] = []
    /// The clock of the machine's users when this was made, and the loop's: microseconds.
    private let startedAt: Int64
    /// How short the machine is of memory; nil where that is not looked at.
    package var memory: () -> MetricsSnapshot.Memory? = { nil }
    /// The longest pause of the loop of late, in microseconds; nil where there was none.
    package var pause: () -> Int64? = { nil }
    /// Where the group of a worker is; nil where it has none.
    package var group: (WorkerID) -> String? = { _ in nil }

    /// The group of a worker.
    package struct Group: Sendable {
        /// Which of the snapshot's workers has it.
        package let worker: Int
        package let path: String
    }

    /// Meters of all workers of a supervisor, from now on.
    package init(_ supervisor: Supervisor, version: String) {
        (self.supervisor, self.version) = (supervisor, version)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        startedAt = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        supervisor.observe(as: .metrics, self)
    }

    package var interest: NoticeKinds { [.changes, .ends, .wakes, .others] }

    /// Counts it.
    package func hear(_ notice: Notice, of worker: WorkerID) {
        switch notice {
        case .changed(let transition):
            // What was given back is known until the worker runs again.
            if transition.from == .suspended, let reclaim = supervisor.workers[worker]?.reclaim {
                count(worker) { $0.gave(back: reclaim.givenBack) }
            }
            count(worker) { $0.changed(by: transition) }
        case .ended(let record): count(worker) { $0.ended(by: record.cause) }
        case .woken(let origin): count(worker) { $0.woken(by: origin.reason) }
        case .warned, .hookFailed: count(worker) { $0.warned() }
        case .completed(let callback, _, let took):
            callbacks[callback, default: DurationHistogram()].count(took)
        case .launchFailed, .launchCompleted, .said, .refused, .surprised, .hookPrinted, .watched, .opened,
            .interrupted, .interruptionOver, .notificationSetAside, .notificationRemoved, .commandFailed,
            .commandPrinted, .ignored, .remarked, .budget, .processing, .handoff:
            break
        }
    }

    /// Counts memory that the end of a worker has given back, in bytes.
    package func freed(_ bytes: Int64, by worker: WorkerID) { count(worker) { $0.gave(back: bytes) } }

    /// More meters than twice the workers there are, and these: some are of workers that are gone.
    private static let spareMeters = 16

    private func count(_ id: WorkerID, _ change: (inout WorkerMeters) -> Void) {
        if let index = meters.index(forKey: id) {
            change(&meters.values[index])
        } else {
            let known = supervisor.workers
            if meters.count > 2 * known.count + Self.spareMeters {
                meters = meters.filter { known[$0.key] != nil }
            }
            var fresh = WorkerMeters(since: supervisor.workers[id]?.since ?? moment)
            if let state = supervisor.workers[id]?.life.state { fresh.takeOver(state, at: fresh.since) }
            change(&fresh)
            meters[id] = fresh
        }
    }

    private var moment: Instant { Instant(microseconds: KernelClock.monotonic) }

    /// Everything as it is now, and the groups of the workers that have one, in their order.
    ///
    /// What is read of files is not in it: that is for a thread that may wait.
    package func snapshot() -> (snapshot: MetricsSnapshot, groups: [Group]) {
        let known = supervisor.workers
        if meters.count > known.count { meters = meters.filter { known[$0.key] != nil } }
        var workers: [MetricsSnapshot.Worker] = []
        var groups: [Group] = []
        workers.reserveCapacity(known.count)
        groups.reserveCapacity(known.count)
        for worker in ordered(known) {
            var own = meters[worker.id] ?? WorkerMeters(since: worker.since)
            // A predecessor has left it so.
            let state = worker.life.state
            if own.state != state { own.takeOver(state, at: worker.since) }
            workers.append(
                MetricsSnapshot.Worker(
                    name: worker.configuration.name, meters: own,
                    queueLength: worker.inbox?.queue.count ?? 0))
            if let path = group(worker.id) {
                groups.append(Group(worker: workers.count - 1, path: path))
            }
        }
        let snapshot = MetricsSnapshot(
            version: version, now: moment, workers: workers, callbacks: callbacks, cost: cost,
            memory: memory())
        return (snapshot, groups)
    }

    /// The workers by name; sorted anew only where others are there than the last time.
    private func ordered(_ known: [WorkerID: Worker]) -> [Worker] {
        if order.count == known.count {
            let workers = order.compactMap { known[$0] }
            if workers.count == known.count { return workers }
        }
        let workers = known.values.sorted { $0.configuration.name < $1.configuration.name }
        order = workers.map(\.id)
        return workers
    }

    /// What the supervisor itself costs, as it is now.
    package var cost: MetricsSnapshot.Cost {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        var limit = rlimit()
        let hasLimit = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return MetricsSnapshot.Cost(
            cpu: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000,
            resident: ProcessMemory.resident(of: ThisProcess.pid),
            mostDescriptors: hasLimit ? Int(clamping: limit.rlim_cur) : nil, startedAt: startedAt,
            pause: pause())
    }
}
