internal import Definitions
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import OperatorService
internal import Scheduling
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import WorkerFile
internal import WorkerIO

/// Priorities by state where the controllers of CPU and I/O do not give a worker its share (2.2).
extension Daemon {
    /// Gives a worker the priorities of the state that it has come to, as ``PriorityPlan`` has it.
    func prioritize(_ transition: Transition, of id: WorkerID) {
        guard !shares.givesAll else { return }
        // Where it is wanted matters in the background alone.
        let goal = transition.to == .background ? supervisor.stateAndGoal(of: id)?.goal : nil
        let isNow = priorities.changed(id, to: transition.to, goal: goal, at: transition.at)
        if isNow { prioritize(id, in: transition.to, after: transition.from) }
        armPriorities()
    }

    /// Gives a worker the priorities of the background if it stays there.
    func awaitBackgroundPriorities(of id: WorkerID) {
        priorities.wait(for: id, at: host.now)
        armPriorities()
    }

    /// Gives those the priorities of the background that have stayed there.
    func prioritizeBackground() {
        for id in priorities.takeDue(at: host.now, state: { supervisor.stateAndGoal(of: $0)?.state }) {
            prioritize(id, in: .background, after: .inactive)
        }
        armPriorities()
    }

    private func armPriorities() {
        let isArmed = priorityTimer.handle?.isArmed ?? true
        if let due = priorities.nextDue {
            if !isArmed { priorityTimer.handle?.arm(at: due.microseconds) }
        } else if isArmed {
            priorityTimer.handle?.disarm()
        }
    }

    private func prioritize(
        _ id: WorkerID, in state: Lifecycle.State, after before: Lifecycle.State
    ) {
        // Which priorities it has, the host knows, but of one that was taken over.
        let present = host.prioritizedState(of: id) ?? before
        guard PriorityPlan<WorkerID>.areOther(in: state, than: present),
            let definition = service.registry[id]?.loaded?.definition,
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
        host.prioritize(id, from: level(in: present), to: level(in: state))
        host.setPrioritizedState(state, of: id)
    }
}
