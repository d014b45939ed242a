internal import Glibc
package import Linux

extension Cgroup {
    /// Allows its processes `share` ten-thousandths of one CPU in every 100 ms (`cpu.max`); nil is as much as there is.
    ///
    /// Fails with ENOENT where the controller is not handed down.
    package func setCPUMaximum(_ share: Int?) throws(LinuxError) {
        // The kernel takes no quota below a millisecond.
        let quota = share.map { String(max($0 * 10, 1000)) } ?? "max"
        try KernelFile.write("\(quota) 100000", to: file("cpu.max"))
    }
}

/// The nice value of processes, as in setpriority(2).
package enum NiceLevel {
    /// The nice value of `pid`, from -20 to 19; nil when there is none.
    package static func of(_ pid: Int32) -> Int32? {
        errno = 0
        let nice = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(pid))
        return nice == -1 && errno != 0 ? nil : nice
    }

    /// Sets it; fails with EACCES where it would be lowered without the right to.
    package static func set(_ nice: Int32, of pid: Int32) throws(LinuxError) {
        try check(
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(pid), nice), "setpriority",
            "process \(pid)")
    }
}
