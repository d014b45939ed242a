internal import Glibc
package import Linux
package import Processes

/// What ``ProcessFreezer`` learns from look to look.
struct FreezePass {
    /// All that was ever seen of the worker.
    private(set) var known: [Int32: ProcessIdentity] = [:]
    /// The processes that got their first SIGSTOP here, in order.
    private(set) var stopped: [ProcessIdentity] = []
    /// What was still running at the last look.
    private(set) var running: [Int32] = []
    /// How many at the last look had not been seen before, or ran without having been stopped here.
    private(set) var fresh = 0
    /// Whether some waited in the kernel at the last look, their stop pending.
    private(set) var hasHeldInKernel = false

    private var stoppedSet: Set<ProcessIdentity> = []

    /// Whether the last look found nothing to do.
    var isQuiet: Bool { fresh == 0 && running.isEmpty }

    /// Sends SIGSTOP to those of `members` that run.
    mutating func stop(_ members: [ProcessStat]) throws(FreezeError) {
        running = []
        fresh = 0
        hasHeldInKernel = false
        for member in members {
            let identity = ProcessIdentity(member)
            if known.updateValue(identity, forKey: member.pid) != identity { fresh += 1 }
            switch StopState(of: member) {
            case .still: continue
            // One signal suffices: it holds once the tracer lets it go on.
            case .heldByTracer:
                if stoppedSet.insert(identity).inserted { try send(to: identity, true) }
            case .heldInKernel: hasHeldInKernel = true
            // Again, if it was stopped here already: another process may have continued it.
            case .runs: try send(to: identity, stoppedSet.insert(identity).inserted)
            }
        }
    }

    private mutating func send(to process: ProcessIdentity, _ isFirst: Bool) throws(FreezeError) {
        do throws(LinuxError) {
            guard try process.send(.stop) else { return }
        } catch {
            throw FreezeError(reason: .failed(error), running: [process.pid], stopped: stopped)
        }
        running.append(process.pid)
        if isFirst { stopped.append(process) }
    }
}

/// An attempt to stop all processes of a worker, between two turns of it (``ProcessFreezer/proceed(with:for:looks:)``).
package struct FreezeAttempt: Sendable {
    var pass = FreezePass()
    private var quietLooks = 0
    /// How often the processes have been looked at.
    package private(set) var looks = 0

    /// An attempt that has not begun.
    package init() {}

    /// What it has stopped so far, in order.
    package var stopped: [ProcessIdentity] { pass.stopped }

    /// What there is to say where it is given up.
    package var failure: FreezeError {
        FreezeError(reason: .outrun, running: pass.running, stopped: pass.stopped)
    }

    /// Stops those of `members` that run; true when that was not necessary any more.
    mutating func take(_ members: [ProcessStat]) throws(FreezeError) -> Bool {
        looks += 1
        try pass.stop(members)
        quietLooks = pass.isQuiet ? quietLooks + 1 : 0
        // A fork under way in the kernel shows at the next look.
        return quietLooks >= (pass.hasHeldInKernel ? 2 : 1)
    }
}

/// A worker that could not be stopped as a whole.
package struct FreezeError: Error, Hashable, Sendable {
    /// What kept it from being stopped.
    package enum Reason: Hashable, Sendable {
        /// New processes kept coming, or some did not stop, for longer than allowed.
        case outrun
        /// A process could not be signalled.
        case failed(LinuxError)
    }

    /// What kept it from being stopped.
    package let reason: Reason
    /// The processes that were seen running last.
    package let running: [Int32]
    /// What has been stopped and is stopped still: for ``ProcessFreezer/resume(_:)``.
    package let stopped: [ProcessIdentity]
}

extension FreezeError: CustomStringConvertible {
    /// One line: what still runs, and why.
    package var description: String {
        let pids = running.prefix(8).map { String($0) }.joined(separator: ", ")
        return switch reason {
        case .outrun: "cannot stop all processes in time, still running or new: \(running.count) (\(pids))"
        case .failed(let error): "cannot stop process \(pids): \(error)"
        }
    }
}
