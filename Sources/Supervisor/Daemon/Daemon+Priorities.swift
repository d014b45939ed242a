internal import Lifecycle
internal import Linux
internal import Systemd
internal import WorkerFile

/// Priorities by state where the controllers of CPU and I/O do not give a worker its share (2.2).
extension Daemon {
    /// Gives a worker the priorities of the state that it has come to.
    ///
    /// One that passes the background on its way to sleep, or to the foreground, needs none of that state: every thread would be
    /// looked at twice for a moment. What stays there after all gets them in a turn of its own.
    func prioritize(_ transition: Transition, of entry: RosterEntry) {
        let id = entry.id
        guard [Lifecycle.State.inactive, .active, .background].contains(transition.to) else { return }
        let passes =
            transition.to == .background
            && supervisor.assumeIsolated { $0.life(of: id)?.goal != .background }
        guard !passes else {
            drowsy.append(id)
            drowsyTurn.handle?.setEnabled(.oneshot)
            return
        }
        prioritize(entry, in: transition.to, after: transition.from)
    }

    /// Gives those the priorities of the background that have stayed there.
    func prioritizeDrowsy() {
        let ids = drowsy
        drowsy = []
        for id in ids {
            guard let entry = service.roster[id],
                supervisor.assumeIsolated({ $0.life(of: id)?.state }) == .background
            else { continue }
            prioritize(entry, in: .background, after: .inactive)
        }
    }

    private func prioritize(_ entry: RosterEntry, in state: Lifecycle.State, after before: Lifecycle.State) {
        let needsNone = shares.controllers.isSuperset(of: [.cpu, .io])
        guard !needsNone, let definition = entry.loaded?.definition,
            let levels = StatePriorities(
                definition, controllers: shares.controllers, nice: niceLevel, mayLowerNice: mayLowerNice)
        else { return }
        // Asleep it has what it had in the background; which priorities it has, the host knows, but of one that was taken over.
        func level(in state: Lifecycle.State) -> StatePriorities.Level {
            switch state {
            case .notRunning: levels.launched
            case .inactive, .active: levels.foreground
            case .background, .suspended: levels.background
            }
        }
        let present = host.prioritizedState(of: entry.id) ?? before
        host.prioritize(entry.id, from: level(in: present), to: level(in: state))
        host.setPrioritizedState(state, of: entry.id)
    }
}
