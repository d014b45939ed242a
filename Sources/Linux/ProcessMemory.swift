internal import Glibc

/// Memory of one process, as /proc/PID/statm tells (proc_pid_statm(5)).
public enum ProcessMemory {
    /// The bytes of `pid` that are in memory; nil when it is gone.
    public static func resident(of pid: Int32) -> Int64? {
        guard let text = try? KernelFile.text("/proc/\(pid)/statm") else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return nil }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
