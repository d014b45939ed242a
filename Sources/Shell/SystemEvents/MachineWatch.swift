internal import Interrupting
internal import Lifecycle
internal import Linux
internal import SupervisorPorts
internal import Systemd

/// Brings workers to rest before the machine sleeps or ends, and back after it has slept.
///
/// Its delay lock is taken beforehand, released when all are there or `grace` has passed, and taken again after waking.
final class MachineWatch {
    private var monitor: LoginMonitor?
    private let timer = SourceBox<TimeSource>()
    private let sources: Unowned
    /// What the machine is about to do, and the workers that it concerns.
    private var ahead: (state: Set<State>, workers: [WorkerID])?
    /// Workers that were put to sleep with the machine.
    private var asleep: [WorkerID] = []
    /// How long login1 is kept waiting for workers that do not come to rest.
    private let grace: Int64

    private struct Unowned {
        unowned let sources: SystemMonitors
    }

    init(on loop: EventLoop, _ places: SystemPlaces, for sources: SystemMonitors) throws {
        self.sources = Unowned(sources: sources)
        grace = places.grace
        timer.handle = try TimeSource(on: loop) { [unowned self] _ in letGo() }
        monitor = try LoginMonitor(on: loop, address: places.bus) { [unowned self] in take($0) }
        try monitor?.delay()
    }

    private func take(_ news: LoginMonitor.News) {
        let sources = sources.sources
        switch news {
        case .sleeps:
            asleep = sources.followers.filter { ![.suspended, .notRunning].contains(sources.state(of: $0)) }
            begin([.suspended, .notRunning], .suspended, asleep)
        case .shutsDown: begin([.notRunning], .notRunning, sources.followers)
        case .woke:
            letGo()
            // Ignoring a refusal: without the lock we are merely told too late.
            try? monitor?.delay()
            // It comes before willEnterForeground, as everything queued does (2.4).
            sources.timeTurned("wake")
            for worker in asleep { sources.receiver?.receive(.resumeRequested(.machine), for: worker) }
            asleep = []
        case .locked(let session): sources.sessionsTurned(.locked(session))
        case .unlocked(let session): sources.sessionsTurned(.unlocked(session))
        case .sessionEnded(let session): sources.sessionsTurned(.ended(session))
        case .sessions(let sessions):
            sources.sessionsTurned(
                .listed(sessions.map { SessionLocks.Session(id: $0.id, uid: $0.uid, user: $0.user) }))
        case .delays: sources.machineDelayed?()
        }
    }

    private func begin(_ states: Set<State>, _ goal: Goal, _ workers: [WorkerID]) {
        ahead = (states, workers)
        timer.handle?.arm(at: KernelClock.monotonic + grace)
        let receiver = sources.sources.receiver
        for worker in workers { receiver?.receive(.requested(Request(goal, by: .machine)), for: worker) }
        look()
    }

    /// A worker has changed: perhaps it was the last one.
    func look() {
        guard let ahead, ahead.workers.allSatisfy({ ahead.state.contains(sources.sources.state(of: $0)) })
        else {
            return
        }
        letGo()
    }

    private func letGo() {
        timer.handle?.disarm()
        ahead = nil
        monitor?.release()
    }
}
