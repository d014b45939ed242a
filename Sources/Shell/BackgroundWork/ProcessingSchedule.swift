internal import Lifecycle
internal import Linux
internal import Processing
package import Supervisor
package import SupervisorPorts
package import SystemEvents
package import Systemd
package import WorkerFile

/// Has workers do their long work as ``ProcessingPlan`` has it: looks at the machine, and launches, wakes and tells workers.
package final class ProcessingSchedule: NoticeObserver {
    private let supervisor: Supervisor
    private let loop: EventLoop
    private var plan = ProcessingPlan<WorkerID>()
    private let timer = SourceBox<TimeSource>()
    private var glance: MachineGlance?
    private var isLooking = false
    private var isBegun = false

    /// Looks at nothing yet.
    package init(_ supervisor: Supervisor, on loop: EventLoop) {
        (self.supervisor, self.loop) = (supervisor, loop)
    }

    /// Begins to look at the machine at `places`, when workers have been taken over from a predecessor.
    package func begin(_ places: SystemPlaces) {
        glance = MachineGlance(on: loop, places) { [unowned self] in machineTurned() }
        isBegun = true
        arm()
    }

    /// Whether low-power mode is on: no long work is done then.
    package var isLowPower: Bool {
        get { plan.isLowPower }
        set { if newValue != plan.isLowPower { handle(.lowPower(newValue)) } }
    }

    /// Something about the machine has changed, so that a look at it is worth while.
    package func machineTurned() {
        guard
            plan.running != nil || plan.nextLook.map({ $0 <= now + ProcessingPlan<WorkerID>.pause }) ?? false
        else { return }
        look()
    }

    package var interest: NoticeKinds { [.changes, .ends, .backgroundWork] }

    /// The callback of a worker is over, or it sleeps or has ended.
    package func hear(_ notice: Notice, of worker: WorkerID) {
        guard plan.running?.worker == worker else { return }
        switch notice {
        case .processing(.completed(let isDone)): handle(isDone ? .done(worker) : .rests(worker))
        case .changed(let transition) where [.suspended, .notRunning].contains(transition.to):
            handle(.rests(worker))
        case .launchFailed, .ended: handle(.rests(worker))
        default: break
        }
    }

    /// Takes in what a worker's files say of long work now.
    package func set(_ worker: WorkerID, _ definition: WorkerDefinition) {
        let background = definition.background
        let settings = background.modes.contains(.processing) ? background.processing : nil
        guard settings != nil || plan.due(of: worker) != nil else { return }
        handle(.set(worker, settings))
        if settings == nil { note(worker) }
    }

    /// Goes on where a predecessor has left it, for a worker that it knew.
    package func resume(_ worker: WorkerID) {
        let standing = supervisor.processing(of: worker)
        plan.resume(worker, due: standing?.due, began: standing?.began)
        // What has ended since then is not told again, and the command of a hook is lost with a daemon that was killed.
        if let life = supervisor.life(of: worker), plan.running?.worker == worker {
            let isUnderWay = life.batchesInFlight.contains { $0.callback == .performProcessing }
            if life.restReason != nil {
                handle(.rests(worker))
            } else if !isUnderWay, !life.isLaunching,
                // Quiet tells that it is done where nothing else does: one that has a receiver answers.
                !life.awaitsQuiet || life.receivedCallbacks.contains(.performProcessing)
            {
                handle(.lost(worker))
            }
        }
        note(worker)
        arm()
    }

    /// Forgets a worker.
    package func remove(_ worker: WorkerID) {
        if plan.due(of: worker) != nil { handle(.set(worker, nil)) }
    }

    private var now: Instant { Instant(microseconds: KernelClock.monotonic) }

    private func handle(_ event: ProcessingPlan<WorkerID>.Event) {
        for action in plan.handle(event, at: now) { perform(action) }
        noteAll()
        arm()
    }

    private func perform(_ action: ProcessingPlan<WorkerID>.Action) {
        switch action {
        case .begin(let worker, let limit):
            // The next supervisor knows of it before the worker does.
            note(worker)
            if !supervisor.beginProcessing(of: worker, limit: limit) { handle(.refused(worker)) }
        case .revoke(let worker, let end): supervisor.revokeProcessing(of: worker, because: end.words)
        case .over(let worker, let isDone): supervisor.processingOver(of: worker, isDone: isDone)
        }
    }

    private func noteAll() {
        for worker in plan.workers { note(worker) }
    }

    private func note(_ worker: WorkerID) {
        supervisor.setProcessing(plan.standing(of: worker, at: now), of: worker)
    }

    private func arm() {
        guard isBegun, !isLooking, let next = plan.nextLook else {
            if !isLooking, plan.nextLook == nil { rest() }
            return
        }
        if timer.handle == nil {
            // Without a timer no long work is done, and everything else goes on.
            timer.handle = try? TimeSource(on: loop, accuracy: 1_000_000, priority: .clients) {
                [unowned self] _ in look()
            }
        }
        timer.handle?.arm(at: next.microseconds)
    }

    private func rest() {
        timer.handle = nil
        glance?.rest()
    }

    private func look() {
        guard isBegun, !isLooking, let glance else { return }
        isLooking = true
        glance.look { [weak self] machine in
            guard let self else { return }
            isLooking = false
            handle(.read(machine))
        }
    }
}
