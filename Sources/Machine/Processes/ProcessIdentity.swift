internal import Glibc
package import Linux

/// One process and never another: its pid, and when it started.
package struct ProcessIdentity: Hashable, Sendable {
    /// The process id, which is given again some time after the process was reaped.
    package let pid: Int32
    /// When it started, in ticks of 10 ms since boot.
    package let startTime: UInt64

    /// The process that `stat` tells of.
    package init(_ stat: ProcessStat) {
        pid = stat.pid
        startTime = stat.startTime
    }

    /// The process that has `pid` now; nil when there is none.
    package init?(pid: Int32) {
        guard let stat = ProcessStat.read(pid: pid) else { return nil }
        self.init(stat)
    }

    /// Sends `signal` to this process; false when it is gone, even if another process has its pid now.
    package func send(_ signal: Signal) throws(LinuxError) -> Bool {
        do throws(LinuxError) {
            // The descriptor is taken first: what the check says is then said of its process.
            let pidfd = try Pidfd(pid: pid)
            guard ProcessIdentity(pid: pid) == self else { return false }
            try pidfd.send(signal)
            return true
        } catch {
            if error.errno == ESRCH { return false }
            throw error
        }
    }
}
