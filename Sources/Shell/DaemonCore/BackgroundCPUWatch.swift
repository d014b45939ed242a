internal import Lifecycle
internal import Linux
internal import SupervisorPorts
internal import Systemd
internal import WorkerFile

/// Sees to `CPULimit=` of workers that are awake in the background; where there are none, it never wakes the daemon.
final class BackgroundCPUWatch {
    private struct Watched {
        var use: CPUUse
        let interval: TimeSpan
        var due: Instant
    }

    private let used: (WorkerID) -> TimeSpan?
    private let exceeded: (WorkerID) -> Void
    private var watched: [WorkerID: Watched] = [:]
    private let timer = SourceBox<TimeSource>()

    /// Asks `used` for the CPU time of a worker, and tells `exceeded` of one that has used more than it may.
    init(
        on loop: EventLoop, used: @escaping (WorkerID) -> TimeSpan?, exceeded: @escaping (WorkerID) -> Void
    ) throws {
        self.used = used
        self.exceeded = exceeded
        // Nothing depends on the very moment: wake-ups may be shared.
        timer.handle = try TimeSource(on: loop, accuracy: 100_000) { [unowned self] _ in look() }
    }

    /// A worker is in another state now, with this allowance, which is asked for in the background alone.
    func changed(_ worker: WorkerID, to state: State, _ allowance: @autoclosure () -> CPUAllowance?) {
        let allowance = state == .background ? allowance() : nil
        if watched.isEmpty, allowance == nil { return }
        watched[worker] = nil
        defer { arm() }
        guard let allowance, let used = used(worker) else { return }
        let now = Instant(microseconds: KernelClock.monotonic)
        var use = CPUUse(allowance)
        _ = use.isExceeded(with: used, at: now)
        watched[worker] = Watched(use: use, interval: allowance.interval, due: now + allowance.interval)
    }

    private func look() {
        let now = Instant(microseconds: KernelClock.monotonic)
        var found: [WorkerID] = []
        for (worker, var entry) in watched where entry.due <= now {
            guard let used = used(worker) else {
                watched[worker] = nil
                continue
            }
            if entry.use.isExceeded(with: used, at: now) { found.append(worker) }
            entry.due = now + entry.interval
            watched[worker] = entry
        }
        arm()
        // Last: it may change which workers are watched.
        for worker in found.sorted() { exceeded(worker) }
    }

    private func arm() {
        guard let next = watched.values.map(\.due).min() else { return timer.handle?.disarm() ?? () }
        timer.handle?.arm(at: next.microseconds)
    }
}
