internal import Glibc
internal import Linux

/// What the kernel tells of the memory of one process.
package enum ProcessMemory {
    /// The bytes of `pid` that are in memory, as /proc/PID/statm tells (proc_pid_statm(5)); nil when it is gone.
    package static func resident(of pid: Int32) -> Int64? {
        guard let text = try? KernelFile.text("/proc/\(pid)/statm") else { return nil }
        let fields = text.fields(at: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return nil }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Its /proc/PID/status (proc_pid_status(5)); nil when it is gone.
    package static func status(of pid: Int32) -> String? { try? KernelFile.text("/proc/\(pid)/status") }

    /// Its /proc/PID/smaps_rollup (proc_pid_smaps(5)); nil where that may not be read, or it is gone.
    ///
    /// The kernel walks all its pages for it, which takes about a millisecond for each 100 MB.
    package static func rollup(of pid: Int32) -> String? { try? KernelFile.text("/proc/\(pid)/smaps_rollup") }
}
