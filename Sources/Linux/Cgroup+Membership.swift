extension Cgroup {
    /// Whether process `pid` is in this group or below, as /proc/PID/cgroup tells; it does so for zombies too.
    public func contains(process pid: Int32) -> Bool {
        guard let text = try? KernelFile.text("/proc/\(pid)/cgroup"),
            let own = CgroupMount.ownGroup(parsing: text)
        else { return false }
        // The path that a process is told begins at the root of its cgroup namespace, ours at a mount: the end is common.
        return own.split(separator: "/").contains(name)
    }

    /// How many processes of the group the kernel's OOM killer has ended, as `memory.events` counts them; 0 without that file.
    public func oomKills() -> UInt64 {
        guard let text = try? KernelFile.text("\(path)/memory.events") else { return 0 }
        for line in text.lines where line.hasPrefix("oom_kill ") {
            return UInt64(line.dropFirst(9)) ?? 0
        }
        return 0
    }
}
