internal import ConfigurationSyntax
package import Lifecycle

/// Which worker does its long work when (`Modes=processing`): at a good time, one at a time, with iOS's BGProcessingTask as the model.
///
/// Work is due `ProcessingIntervalSec=` after the last was done, and at once where none was. It begins when the machine is looked at and
/// that is a good time for it; of several that are due, the one that has been due longest begins. Its time is over at its limit, when the
/// time becomes a bad one, or in low-power mode; then it is cut short, and tried again.
package struct ProcessingPlan<Worker: Hashable & Comparable & Sendable>: Sendable {
    /// What has happened.
    package enum Event: Hashable, Sendable {
        /// The file of a worker says this of long work now; nil is nothing.
        case set(Worker, ProcessingSettings?)
        /// The machine was looked at.
        case read(MachineReading)
        /// Low-power mode is on, or off.
        case lowPower(Bool)
        /// A worker that was to begin has not: it cannot now.
        case refused(Worker)
        /// The work of a worker has ended, by its own word.
        case done(Worker)
        /// The work of a worker was lost with the predecessor of this supervisor.
        case lost(Worker)
        /// A worker sleeps, or does not run: its work has ended, whatever it says.
        case rests(Worker)
    }

    /// What is to be done.
    package enum Action: Hashable, Sendable {
        /// Launches, wakes or tells a worker.
        case begin(Worker, limit: TimeSpan?)
        /// Tells a worker that its time is over.
        case revoke(Worker, because: End)
        /// The work of a worker is over.
        case over(Worker, isDone: Bool)
    }

    /// Why the time of a worker is over.
    package enum End: Hashable, Sendable {
        case limit
        case obstacle(ProcessingObstacle)

        /// The reason, in a clause.
        package var words: String {
            switch self {
            case .limit: "its time is over (ProcessingLimitSec=)"
            case .obstacle(let obstacle): obstacle.words
            }
        }
    }

    /// The work that is under way.
    package struct Running: Hashable, Sendable {
        package let worker: Worker
        package let since: Instant
        /// Why its time is over, and when it is given up; nil while it has time.
        package var end: End?
        package var givenUpAt: Instant?
    }

    private struct Entry: Hashable {
        var settings: ProcessingSettings
        var due: Instant
        /// What was in its way when that was looked at last, since it is due.
        var obstacle: ProcessingObstacle?
        /// When it is looked at again; where it is put off, not sooner.
        var retry: Instant

        /// Whether it is left alone for a while, however good the time is.
        var isPutOff: Bool { obstacle == .worker || obstacle == .cutShort }
    }

    /// How often the machine is looked at while work is due that it has no time for.
    package static var pause: TimeSpan { .seconds(60) }
    /// How often it is looked at while work is under way.
    package static var watch: TimeSpan { .seconds(15) }
    /// How long work that was cut short or refused is left alone, or its interval where that is shorter.
    package static var retryPause: TimeSpan { .seconds(300) }
    /// How long after its time work is waited for: past that the next one may begin.
    package static var patience: TimeSpan { .seconds(120) }
    /// The shortest interval: a file may ask for less.
    private static var shortestInterval: TimeSpan { .seconds(1) }

    private var entries: [Worker: Entry] = [:]
    /// The work that is under way; one at a time.
    package private(set) var running: Running?
    /// Whether low-power mode is on.
    package private(set) var isLowPower = false
    private var lastRead: Instant?

    /// No worker has long work.
    package init() {}

    /// When the machine is to be looked at next; nil where nothing depends on it.
    package var nextLook: Instant? {
        if let running {
            var next = (lastRead ?? running.since) + Self.watch
            if let limit = entries[running.worker]?.settings.limit.span, running.givenUpAt == nil {
                next = min(next, running.since + limit)
            }
            return running.givenUpAt.map { min(next, $0) } ?? next
        }
        guard !isLowPower else { return nil }
        return entries.values.map { max($0.due, $0.retry) }.min()
    }

    /// The workers that have long work, in their order.
    package var workers: [Worker] { entries.keys.sorted() }

    /// When the work of a worker is due; nil where it has none.
    package func due(of worker: Worker) -> Instant? { entries[worker]?.due }

    /// Since when a worker does its long work; nil where it does none.
    package func began(_ worker: Worker) -> Instant? { running?.worker == worker ? running?.since : nil }

    /// How a worker stands at `now`; nil where it has no long work.
    package func standing(of worker: Worker, at now: Instant) -> ProcessingStanding? {
        entries[worker].map {
            ProcessingStanding(due: $0.due, began: began(worker), obstacle: obstacle(of: worker, at: now))
        }
    }

    /// What is in the way of work that is due at `now`; nil where nothing is known to be, or none is due.
    package func obstacle(of worker: Worker, at now: Instant) -> ProcessingObstacle? {
        guard let entry = entries[worker], began(worker) == nil else { return nil }
        if entry.obstacle == .cutShort, entry.retry > now { return .cutShort }
        guard entry.due <= now else { return nil }
        if isLowPower { return .lowPower }
        if running != nil { return .anotherWorker }
        return entry.obstacle
    }

    /// Goes on with what a predecessor has left of a worker: when its work is due, and since when it does it.
    package mutating func resume(_ worker: Worker, due: Instant?, began: Instant?) {
        guard entries[worker] != nil else { return }
        if let due {
            entries[worker]?.due = due
            entries[worker]?.retry = due
        }
        if let began, running == nil { running = Running(worker: worker, since: began) }
    }

    /// Something has happened; answers what is to be done, in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .set(let worker, let settings): return set(worker, settings, at: now)
        case .lowPower(let isOn):
            isLowPower = isOn
            return isOn ? revoke(because: .obstacle(.lowPower), at: now) : []
        case .refused(let worker):
            guard running?.worker == worker else { return [] }
            running = nil
            putOff(worker, .worker, at: now)
            return []
        case .done(let worker): return end(worker, isDone: true, at: now)
        case .rests(let worker): return end(worker, isDone: running?.end == nil, at: now)
        case .lost(let worker):
            guard running?.worker == worker else { return [] }
            running = nil
            putOff(worker, .cutShort, at: now)
            return [.over(worker, isDone: false)]
        case .read(let machine): return take(machine, at: now)
        }
    }

    private mutating func set(_ worker: Worker, _ settings: ProcessingSettings?, at now: Instant) -> [Action]
    {
        guard let settings else {
            guard entries.removeValue(forKey: worker) != nil, running?.worker == worker else { return [] }
            running = nil
            return [.revoke(worker, because: .obstacle(.worker)), .over(worker, isDone: false)]
        }
        guard var entry = entries[worker] else {
            entries[worker] = Entry(settings: settings, due: now, retry: now)
            return []
        }
        // A shorter interval counts from the last time too; what is due stays due.
        if entry.due > now, settings.interval < entry.settings.interval {
            entry.due = max(now, entry.due + (settings.interval - entry.settings.interval))
        }
        if settings != entry.settings { entry.retry = now }
        entry.settings = settings
        entries[worker] = entry
        return []
    }

    private mutating func end(_ worker: Worker, isDone: Bool, at now: Instant) -> [Action] {
        guard let running, running.worker == worker, let entry = entries[worker] else { return [] }
        self.running = nil
        // One that has had all its time waits for the next, as if it had been done.
        if !isDone, case .obstacle = running.end {
            putOff(worker, .cutShort, at: now)
            return [.over(worker, isDone: false)]
        }
        entries[worker]?.obstacle = nil
        entries[worker]?.due = now + max(Self.shortestInterval, entry.settings.interval)
        entries[worker]?.retry = now
        return [.over(worker, isDone: isDone)]
    }

    /// The work of a worker stays due, and is left alone for a while.
    private mutating func putOff(_ worker: Worker, _ obstacle: ProcessingObstacle, at now: Instant) {
        guard let entry = entries[worker] else { return }
        entries[worker]?.obstacle = obstacle
        entries[worker]?.retry =
            now + min(Self.retryPause, max(Self.shortestInterval, entry.settings.interval))
    }

    private mutating func revoke(because end: End, at now: Instant) -> [Action] {
        guard let running, running.end == nil else { return [] }
        self.running?.end = end
        self.running?.givenUpAt = now + Self.patience
        return [.revoke(running.worker, because: end)]
    }

    private mutating func take(_ machine: MachineReading, at now: Instant) -> [Action] {
        lastRead = now
        var actions: [Action] = []
        if let running, let entry = entries[running.worker] {
            if let givenUpAt = running.givenUpAt {
                guard givenUpAt <= now else { return [] }
                actions += end(running.worker, isDone: false, at: now)
            } else if let limit = entry.settings.limit.span, running.since + limit <= now {
                return revoke(because: .limit, at: now)
            } else if let obstacle = entry.settings.obstacle(machine, isUnderWay: true, at: now) {
                return revoke(because: .obstacle(obstacle), at: now)
            } else {
                return []
            }
        }
        guard !isLowPower else { return actions }
        return actions + begin(machine, at: now)
    }

    private mutating func begin(_ machine: MachineReading, at now: Instant) -> [Action] {
        let due = entries.filter { $0.value.due <= now && ($0.value.retry <= now || !$0.value.isPutOff) }
            .sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
        var actions: [Action] = []
        for (worker, entry) in due {
            let obstacle = entry.settings.obstacle(machine, isUnderWay: false, at: now)
            entries[worker]?.obstacle = obstacle
            guard let obstacle else {
                if running == nil {
                    running = Running(worker: worker, since: now)
                    actions.append(.begin(worker, limit: entry.settings.limit.span))
                }
                continue
            }
            var retry = now + Self.pause
            if case .unusedSince(_, let until) = obstacle {
                retry = min(retry, max(until, now + .seconds(1)))
            }
            entries[worker]?.retry = retry
        }
        return actions
    }
}
