internal import Glibc

/// Whether a process executes anything of its program.
enum Stillness {
    /// It may.
    case runs
    /// It waits in the kernel with a stop pending, and stops before it comes out: a vfork(2) parent whose child was stopped
    /// stays there until that goes on.
    case heldInKernel
    /// It is stopped, traced or dead, with all its threads.
    case still

    /// Looks at all threads of `process`: the first may be a zombie, or already stopped, while others run.
    init(of process: ProcessStat) {
        var states = [process.state]
        if process.threadCount > 1 {
            states = Directory.entries(of: "/proc/\(process.pid)/task").compactMap { thread in
                ProcessStat.read(path: "/proc/\(process.pid)/task/\(thread)/stat")?.state
            }
        }
        if states.allSatisfy(\.isStill) {
            self = .still
        } else if states.allSatisfy({ $0.isStill || $0 == .uninterruptible }) {
            // Once a thread has taken the signal it is pending no more, but holds for all of them.
            let isStopping = states.contains(.stopped) || Self.isStopPending(process.pid)
            self = isStopping ? .heldInKernel : .runs
        } else {
            self = .runs
        }
    }

    /// Whether SIGSTOP is among the pending signals of proc_pid_status(5).
    private static func isStopPending(_ pid: Int32) -> Bool {
        guard let status = try? KernelFile.text("/proc/\(pid)/status") else { return false }
        return status.lines.contains { line in
            guard line.hasPrefix("SigPnd:\t") || line.hasPrefix("ShdPnd:\t") else { return false }
            let set = UInt64(line.dropFirst(8), radix: 16) ?? 0
            return set & 1 << (SIGSTOP - 1) != 0
        }
    }
}
