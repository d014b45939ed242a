internal import Cgroups
package import Lifecycle
internal import Linux
internal import Processes
package import SupervisorPorts
package import WorkerIO

/// What a thread had before its worker went to the background.
struct ThreadPriorities: Hashable {
    var nice: Int32?
    var io: IOPriority?
}

/// Nice levels and I/O priorities by state, where no controller gives a worker its share of the machine (2.2).
extension LinuxHost {
    /// Gives every thread of the worker what `level` says instead of what `before` said.
    ///
    /// On the way down what is lower already stays as it is. On the way up a thread gets back what it had; one that was born on the way
    /// gets what its worker has. What a program has set for itself meanwhile stays.
    package func prioritize(
        _ worker: WorkerID, from before: StatePriorities.Level, to level: StatePriorities.Level
    ) {
        guard before != level, let running = workers[worker], running.reaping == nil else { return }
        var done: Set<Int32> = []
        // Threads that came during the first look have what their parents had.
        for _ in 0..<3 {
            let threads = Set(processes(of: running).flatMap(ProcessStat.threads(of:))).subtracting(done)
            if threads.isEmpty { break }
            for thread in threads { prioritize(thread, of: running, from: before, to: level) }
            done.formUnion(threads)
        }
        // Those that have gone need nothing, and their numbers may be others'.
        running.priorities = running.priorities.filter { done.contains($0.key) }
    }

    /// The state whose priorities a worker has; nil where that is not known.
    package func prioritizedState(of worker: WorkerID) -> Lifecycle.State? {
        workers[worker]?.prioritizedState
    }

    /// Keeps in mind whose state's priorities a worker has.
    package func setPrioritizedState(_ state: Lifecycle.State, of worker: WorkerID) {
        workers[worker]?.prioritizedState = state
    }

    private func prioritize(
        _ thread: Int32, of running: RunningWorker, from before: StatePriorities.Level,
        to level: StatePriorities.Level
    ) {
        var kept = running.priorities[thread] ?? ThreadPriorities()
        // Ignoring failures: the thread has ended, or belongs to a user that the supervisor may not steer.
        if let from = before.nice, let to = level.nice, from != to, let nice = NiceLevel.of(thread) {
            if to > from, nice < to {
                if (try? NiceLevel.set(to, of: thread)) != nil { kept.nice = nice }
            } else if to < from, nice == from {
                try? NiceLevel.set(kept.nice ?? to, of: thread)
                kept.nice = nil
            }
        }
        if let from = before.io, let to = level.io, from != to, let io = IOPriority.of(thread) {
            if to != .none, io != to {
                if (try? to.set(of: thread)) != nil { kept.io = io }
            } else if to == .none, io == from {
                try? (kept.io ?? to).set(of: thread)
                kept.io = nil
            }
        }
        running.priorities[thread] = kept == ThreadPriorities() ? nil : kept
    }
}
