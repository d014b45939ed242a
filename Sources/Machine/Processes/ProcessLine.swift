/// What one process is, for a line of a list.
package struct ProcessLine: Hashable, Sendable {
    package let pid: Int32
    package let parent: Int32
    /// Its short name, up to 15 bytes that may be anything.
    package let name: String
    /// Its memory that is in RAM, in bytes; nil where it has just ended.
    package let resident: Int64?

    /// Reads what /proc says of `pid` (proc_pid_stat(5), proc_pid_statm(5)): two small files, some 30 us; nil when it is gone.
    ///
    /// Not its command line: that is read from the process's own memory, as long as the process likes, and waits where a page of it comes
    /// from a file system that does not answer.
    package static func read(_ pid: Int32) -> ProcessLine? {
        ProcessStat.read(pid: pid).map { stat in
            ProcessLine(
                pid: pid, parent: stat.parent, name: "\(stat.command)",
                resident: ProcessMemory.resident(of: pid))
        }
    }
}
