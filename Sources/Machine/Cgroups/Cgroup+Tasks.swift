internal import Glibc
package import Linux

/// How many processes and threads there may be, in a group and on the machine (Documentation/admin-guide/cgroup-v2.rst, "PID").
extension Cgroup {
    /// Whether the pids controller has been handed down to it.
    package var hasTaskController: Bool { unsafe access(file("pids.max"), F_OK) == 0 }

    /// The most processes and threads that it and the groups below it may have (`pids.max`); nil is as many as there can be.
    ///
    /// Those that are there already stay; what is over the limit is a fork(2) that fails with EAGAIN.
    package func setTaskMaximum(_ count: UInt64?) throws(LinuxError) {
        // The kernel takes no number above its own bound (PID_MAX_LIMIT), and that is no limit.
        let isBounded = count.map { $0 <= Self.taskBound } ?? false
        try KernelFile.write(isBounded ? String(count ?? 0) : "max", to: file("pids.max"))
    }

    /// PID_MAX_LIMIT of linux/threads.h.
    private static let taskBound: UInt64 = 4 << 20

    /// How many processes and threads there can be in this group, by the kernel's own bounds and by the limits of this group and
    /// those above it: what a percentage of `TasksMax=` is of, as with systemd.
    package var mostTasks: UInt64 {
        var bounds = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"].map(Self.number)
        var path = path
        while unsafe access("\(path)/cgroup.controllers", F_OK) == 0 {
            bounds.append(Self.number(in: "\(path)/pids.max"))
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
                break
            }
            path = String(path[..<slash])
        }
        return bounds.compactMap(\.self).min() ?? Self.taskBound
    }

    /// The number in a file of the kernel's; nil where there is none, and for `max`.
    private static func number(in path: String) -> UInt64? {
        guard let text = try? KernelFile.text(path) else { return nil }
        return UInt64(text.prefix { $0 != "\n" })
    }
}
