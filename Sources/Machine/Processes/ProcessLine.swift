internal import Linux

/// What one process is, for a line of a list.
package struct ProcessLine: Hashable, Sendable {
    package let pid: Int32
    package let parent: Int32
    /// Its command line, its words apart by spaces; its short name in brackets where it has none.
    package let command: String
    /// Its memory that is in RAM, in bytes; nil where it has just ended.
    package let resident: Int64?

    /// The most characters of a command that are told.
    private static let longestCommand = 256

    /// Reads what /proc says of `pid` (proc_pid_stat(5), proc_pid_cmdline(5), proc_pid_statm(5)): three small files, some 50 us; nil when
    /// it is gone.
    package static func read(_ pid: Int32) -> ProcessLine? {
        guard let stat = ProcessStat.read(pid: pid) else { return nil }
        let words = (try? KernelFile.text("/proc/\(pid)/cmdline"))?.split(separator: "\0").joined(
            separator: " ")
        let command = words.flatMap { $0.isEmpty ? nil : $0 } ?? "[\(stat.command)]"
        return ProcessLine(
            pid: pid, parent: stat.parent, command: String(command.prefix(longestCommand)),
            resident: ProcessMemory.resident(of: pid))
    }
}
