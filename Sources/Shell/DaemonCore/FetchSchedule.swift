internal import Lifecycle
internal import Linux
internal import Scheduling
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import WorkerFile

/// Wakes workers for background fetches as ``FetchPlan`` has it.
final class FetchSchedule {
    private let supervisor: Supervisor
    private let loop: EventLoop
    private var plan = FetchPlan<WorkerID>()
    private let timer = SourceBox<TimeSource>()
    /// How late the timer may be, in microseconds.
    private var accuracy: Int64 = 0

    init(_ supervisor: Supervisor, on loop: EventLoop) {
        self.supervisor = supervisor
        self.loop = loop
    }

    /// Takes in what a worker's files say of fetches now.
    func set(_ worker: WorkerID, _ definition: WorkerDefinition) {
        let background = definition.background
        let interval = background.modes.contains(.fetch) ? background.fetchInterval : nil
        if plan.set(worker, every: interval, at: now) { changed(worker) }
    }

    /// Goes on with the interval that has begun under a predecessor, for a worker that it knew.
    func resume(_ worker: WorkerID) {
        plan.resume(worker, due: supervisor.fetchDue(of: worker))
        changed(worker)
    }

    /// Forgets a worker.
    func remove(_ worker: WorkerID) {
        if plan.set(worker, every: nil, at: now) { arm() }
    }

    private func changed(_ worker: WorkerID) {
        if let due = plan.due(of: worker) { supervisor.setFetchDue(due, of: worker) }
        arm()
    }

    private var now: Instant { Instant(microseconds: KernelClock.monotonic) }

    private func arm() {
        guard let next = plan.nextDue, let slack = plan.slack else {
            timer.handle = nil
            return
        }
        if timer.handle == nil || accuracy != slack.microseconds {
            accuracy = slack.microseconds
            // Without a timer there is no fetch, and everything else goes on.
            timer.handle = try? TimeSource(on: loop, accuracy: accuracy, priority: .clients) {
                [unowned self] _ in fetch()
            }
        }
        timer.handle?.arm(at: next.microseconds)
    }

    private func fetch() {
        for worker in plan.takeDue(at: now) {
            if let due = plan.due(of: worker) { supervisor.setFetchDue(due, of: worker) }
            supervisor.fetch(worker)
        }
        arm()
    }
}

extension Supervisor {
    /// When a worker is woken for a fetch next; nil where it does not fetch.
    func fetchDue(of id: WorkerID) -> Instant? { workers[id]?.fetchDue }

    /// Stores that for the next supervisor, with the next event of the worker.
    func setFetchDue(_ due: Instant, of id: WorkerID) {
        workers[id]?.fetchDue = due
        workers[id]?.isUnrecorded = true
    }

    /// Wakes a worker for a fetch, if it is one that fetches and has nothing of the kind under way.
    func fetch(_ id: WorkerID) {
        guard let worker = workers[id], !worker.contents.values.contains(where: { $0.content == .fetch }),
            worker.life.mayFetch(hasHook: worker.configuration.hooks[.performFetch] != nil)
        else { return }
        let inbound = take(.fetch, .fetch, for: worker) { _ in }
        rouse(worker, Wake(.fetch, intoForeground: false, bringing: inbound), WakeOrigin(.fetch))
    }
}
