internal import Linux
internal import Processes

/// Whether a process executes anything of its program.
enum StopState {
    /// It may.
    case runs
    /// It is in the kernel with a stop pending, and stops before it comes out.
    ///
    /// A vfork(2) parent whose child was stopped stays there until that goes on, and a runnable task on a busy
    /// machine until it gets a CPU. Neither forks any more: fork(2) begins anew where a signal is pending.
    case heldInKernel
    /// A tracer has stopped it, in some of its threads at least, and may let it go on at any time: it stops then, if a stop was sent.
    ///
    /// Whether one was does not show: a stop by a signal is one by the tracer too, ptrace(2).
    case heldByTracer
    /// It is stopped or dead, with all its threads.
    case still

    /// Looks at all threads of `process`: the first may be a zombie, or already stopped, while others run.
    ///
    /// One that ran with its stop pending when `process` was read may have stopped since: it has no pending stop any more, and
    /// is looked at again.
    init(of process: ProcessStat) {
        let first = Self(process.pid, Self.states(of: process))
        self = first == .runs ? Self(process.pid, Self.statesNow(of: process)) : first
    }

    private init(_ pid: Int32, _ states: [ProcessStat.State]) {
        if states.allSatisfy(\.isStill) {
            self = states.contains(.traced) ? .heldByTracer : .still
        } else if Self.isStopping(pid, states) {
            self = .heldInKernel
        } else {
            self = .runs
        }
    }

    /// Whether `process` was stopped, even if the stop is still pending, or may have been, by what its tracer shows of it.
    static func isStopped(_ process: ProcessStat) -> Bool {
        let stops: Set<ProcessStat.State> = [.stopped, .traced]
        return !stops.isDisjoint(with: states(of: process)) || isStopPending(process.pid)
            || !stops.isDisjoint(with: statesNow(of: process))
    }

    /// The states of its threads as they are now, not as they were when `process` was read; none of one that is gone.
    private static func statesNow(of process: ProcessStat) -> [ProcessStat.State] {
        guard let now = ProcessStat.read(pid: process.pid), ProcessIdentity(now) == ProcessIdentity(process)
        else { return [] }
        return states(of: now)
    }

    private static func states(of process: ProcessStat) -> [ProcessStat.State] {
        guard process.threadCount > 1 else { return [process.state] }
        return Directory.entries(of: "/proc/\(process.pid)/task").compactMap { thread in
            ProcessStat.read(path: "/proc/\(process.pid)/task/\(thread)/stat")?.state
        }
    }

    /// Whether a stop that was sent holds for every thread that is not still.
    private static func isStopping(_ pid: Int32, _ states: [ProcessStat.State]) -> Bool {
        let moving = states.filter { !$0.isStill }
        guard moving.allSatisfy({ $0 == .uninterruptible || $0 == .running }) else { return false }
        // Once a thread has taken the signal it is pending no more, but holds for all of them. Before, only the one that is to
        // take it is kept from its program.
        if states.contains(.stopped) { return true }
        return (moving.count == 1 || !moving.contains(.running)) && isStopPending(pid)
    }

    private static func isStopPending(_ pid: Int32) -> Bool {
        ProcessStat.pendingSignals(of: pid).contains(.stop)
    }
}
