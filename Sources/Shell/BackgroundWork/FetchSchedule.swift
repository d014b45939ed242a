internal import Budgeting
internal import Lifecycle
internal import Linux
internal import Scheduling
package import Supervisor
package import SupervisorPorts
package import Systemd
package import WorkerFile

/// Wakes workers for background fetches as ``FetchPlan`` has it.
package final class FetchSchedule: NoticeObserver {
    private let supervisor: Supervisor
    private let loop: EventLoop
    private var plan = FetchPlan<WorkerID>()
    private let timer = SourceBox<TimeSource>()
    /// How late the timer may be, in microseconds.
    private var accuracy: Int64 = 0

    /// Wakes none yet.
    package init(_ supervisor: Supervisor, on loop: EventLoop) {
        self.supervisor = supervisor
        self.loop = loop
    }

    /// Whether no fetch is due: what came due meanwhile is due when this is over.
    package var isPaused: Bool {
        get { plan.isPaused }
        set {
            plan.isPaused = newValue
            arm()
        }
    }

    package var interest: NoticeKinds { .backgroundWork }

    /// The interval between two fetches of a worker as it is now.
    package func hear(_ notice: Notice, of worker: WorkerID) {
        guard case .budget(.fetched(let pace)) = notice else { return }
        plan.adapt(worker, to: pace)
        changed(worker)
    }

    /// Takes in what a worker's files say of fetches now.
    package func set(_ worker: WorkerID, _ definition: WorkerDefinition) {
        let background = definition.background
        let interval = background.modes.contains(.fetch) ? background.fetchInterval : nil
        if plan.set(worker, every: interval, at: now) { changed(worker) }
    }

    /// Goes on with the interval that has begun under a predecessor, for a worker that it knew.
    package func resume(_ worker: WorkerID) {
        let (due, pace) = supervisor.fetchPlan(of: worker)
        if let pace { plan.adapt(worker, to: pace) }
        plan.resume(worker, due: due)
        changed(worker)
    }

    /// Forgets a worker.
    package func remove(_ worker: WorkerID) {
        if plan.set(worker, every: nil, at: now) { arm() }
    }

    private func changed(_ worker: WorkerID) {
        supervisor.setFetchDue(plan.due(of: worker), of: worker)
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
            supervisor.setFetchDue(plan.due(of: worker), of: worker)
            supervisor.fetch(worker)
        }
        arm()
    }
}
