internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import WorkerFile
internal import WorkerIO

/// Priorities by state where the controllers of CPU and I/O do not give a worker its share (2.2).
extension Daemon {
    /// How long a worker that is on its way elsewhere is in the background before it gets the priorities of that state.
    ///
    /// Longer than what it is told on the way takes as a rule: a look at every thread takes longer than most of its callbacks.
    static let drowsiness = TimeSpan.milliseconds(100)

    /// Gives a worker the priorities of the state that it has come to.
    ///
    /// One that passes the background on its way to sleep, or to the foreground, needs none of that state. What has stayed there for a
    /// while gets them all the same.
    func prioritize(_ transition: Transition, of entry: RegisteredWorker) {
        guard !shares.givesAll else { return }
        let id = entry.id
        switch transition.to {
        case .inactive, .active: prioritize(entry, in: transition.to, after: transition.from)
        case .background:
            if supervisor.stateAndGoal(of: id)?.goal == .background {
                return prioritize(entry, in: .background, after: transition.from)
            }
            awaitBackgroundPriorities(of: id)
        case .notRunning, .suspended: break
        }
    }

    /// Gives a worker the priorities of the background if it is there still when ``drowsiness`` has passed.
    func awaitBackgroundPriorities(of id: WorkerID) {
        if drowsy.isEmpty { drowsyTimer.handle?.arm(at: (host.now + Self.drowsiness).microseconds) }
        drowsy.insert(id)
    }

    /// Gives those the priorities of the background that have stayed there.
    func prioritizeDrowsy() {
        let ids = drowsy
        drowsy = []
        for id in ids.sorted() {
            guard let entry = service.registry[id],
                supervisor.stateAndGoal(of: id)?.state == .background
            else { continue }
            prioritize(entry, in: .background, after: .inactive)
        }
    }

    private func prioritize(
        _ entry: RegisteredWorker, in state: Lifecycle.State, after before: Lifecycle.State
    ) {
        // Which priorities it has, the host knows, but of one that was taken over.
        let present = host.prioritizedState(of: entry.id) ?? before
        guard present == .notRunning || present.isForeground != state.isForeground,
            let definition = entry.loaded?.definition,
            let levels = StatePriorities(
                definition, controllers: shares.controllers, nice: niceLevel, mayLowerNice: mayLowerNice)
        else { return }
        // Asleep it has what it had in the background.
        func level(in state: Lifecycle.State) -> StatePriorities.Level {
            switch state {
            case .notRunning: levels.launched
            case .inactive, .active: levels.foreground
            case .background, .suspended: levels.background
            }
        }
        host.prioritize(entry.id, from: level(in: present), to: level(in: state))
        host.setPrioritizedState(state, of: entry.id)
    }
}
