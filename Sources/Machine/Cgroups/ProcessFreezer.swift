internal import Glibc
package import Linux
package import Processes

/// Stops and continues all processes of a worker by signals, where there is no cgroup freezer.
///
/// A worker's processes are its roots and all that descends from them, whole sessions, and the members of a group. Our own
/// process is never one of them.
package struct ProcessFreezer: Hashable, Sendable {
    /// The processes it started from.
    package var roots: [Int32]
    /// The sessions that are the worker's as a whole, so that daemons which left their parent are found.
    package var sessions: [Int32]
    /// The group all of whose processes are the worker's; nil for none.
    package var cgroup: Cgroup?

    /// A freezer of these processes.
    package init(roots: [Int32], sessions: [Int32] = [], cgroup: Cgroup? = nil) {
        self.roots = roots
        self.sessions = sessions
        self.cgroup = cgroup
    }

    /// Stops every process by SIGSTOP until none is left running and no new one has come, and returns those it stopped.
    ///
    /// What was stopped before is left out, so that ``resume(_:)`` leaves it as it was. It looks at least twice, since
    /// what runs can fork between look and signal. When `patience` microseconds do not suffice, because forks outrun it,
    /// it fails and names what runs; what it has stopped stays stopped and is in the error.
    package func stop(patience: Int64 = 100_000) throws(FreezeError) -> [ProcessIdentity] {
        var attempt = FreezeAttempt()
        // On a machine under load the time may be over before there was any look.
        guard try proceed(with: &attempt, for: patience, looks: Self.leastLooks) else {
            throw attempt.failure
        }
        return attempt.stopped
    }

    private static let leastLooks = 20

    /// Goes on with an attempt to stop every process for `span` microseconds, and for so many looks at least; true when all are
    /// stopped.
    ///
    /// An attempt may have any number of such turns: what it has stopped stays stopped between them, and what has come meanwhile
    /// is stopped in the next one.
    package func proceed(
        with attempt: inout FreezeAttempt, for span: Int64, looks: Int = 1
    ) throws(FreezeError) -> Bool {
        let deadline = KernelClock.monotonic + span
        var left = looks
        while true {
            if try attempt.take(members(in: .snapshot(), besides: attempt.pass.known)) { return true }
            left -= 1
            guard left > 0 || KernelClock.monotonic < deadline else { return false }
            // Another processor takes a moment to stop what it runs.
            if attempt.pass.fresh == 0 { usleep(100) }
        }
    }

    /// Continues the processes that ``stop(patience:)`` returned, the last stopped first; those that are gone are passed
    /// over.
    ///
    /// All are tried; then the first failure is thrown.
    package static func resume(_ stopped: [ProcessIdentity]) throws(LinuxError) {
        var failure: LinuxError?
        for process in stopped.reversed() {
            do throws(LinuxError) { _ = try process.send(.resume) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Continues every process of the worker that is stopped, whatever stopped it: for a caller that does not know what was.
    package func resume() throws(LinuxError) {
        let members = members(in: .snapshot(), besides: [:])
        try Self.resume(members.filter(StopState.isStopped).map(ProcessIdentity.init))
    }

    /// Whether no process of the worker is running at this look, nor can be before it is continued.
    package func isStill() -> Bool {
        members(in: .snapshot(), besides: [:]).allSatisfy { StopState(of: $0) != .runs }
    }

    /// The worker's processes, with what descends from those `known` before: a dead parent does not free its children.
    private func members(
        in tree: ProcessTree, besides known: [Int32: ProcessIdentity]
    ) -> [ProcessStat] {
        let still = known.filter { pid, identity in tree.processes[pid].map(ProcessIdentity.init) == identity
        }
        let listed = cgroup.flatMap { try? $0.processes() } ?? []
        var pids = Set(sessions.filter { $0 > 0 }.flatMap(tree.members(ofSession:)))
        pids.formUnion(roots)
        pids.formUnion(listed)
        pids.formUnion(still.keys)
        for pid in pids where pid > 0 { pids.formUnion(tree.descendants(of: pid)) }
        return pids.filter { $0 > 0 && $0 != getpid() }.sorted().compactMap { pid in
            // The group's list may be newer than the walk.
            tree.processes[pid] ?? ProcessStat.read(pid: pid)
        }
    }
}
