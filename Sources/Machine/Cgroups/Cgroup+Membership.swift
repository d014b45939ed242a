internal import Glibc
internal import Linux

extension Cgroup {
    /// Whether process `pid` is in this very group or below, as /proc/PID/cgroup tells; it does so for zombies too.
    ///
    /// The whole path counts, from the root of the tree: groups of others may have any name.
    package func contains(process pid: Int32) -> Bool {
        guard let own = Self.ofProcess(pid) else { return false }
        return contains(own)
    }

    /// The path of the group that process `pid` is in, from the root of the cgroup namespace; nil when the process, or its group, is
    /// gone.
    package static func ofProcess(_ pid: Int32) -> String? {
        guard let text = try? KernelFile.text("/proc/\(pid)/cgroup") else { return nil }
        return CgroupMount.ownGroup(parsing: text)
    }

    /// Whether the group of that path, from the root of the cgroup namespace, is this one or below.
    package func contains(_ group: String) -> Bool {
        guard let path = pathInTree else { return false }
        return group == path || group.hasPrefix(path == "/" ? path : path + "/")
    }

    /// Whether a group of that id, as the kernel tells it of processes, is this one or below.
    package func contains(group id: UInt64) -> Bool {
        if self.id == id { return true }
        return subgroups().contains { $0.contains(group: id) }
    }

    /// The id that the kernel knows the group by: the inode of its directory; nil when it is gone.
    package var id: UInt64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return UInt64(status.st_ino)
    }

    /// Its path as processes are told it: from the root of the cgroup namespace; nil where it is not below a mount of the tree.
    var pathInTree: String? {
        CgroupMount.seen.lazy.compactMap { $0.group(at: path) }.first
    }

    /// How many processes of the group the kernel's OOM killer has ended, as `memory.events` counts them; 0 without that file.
    package func oomKills() -> UInt64 {
        guard let text = try? KernelFile.text("\(path)/memory.events") else { return 0 }
        for line in text.lines where line.hasPrefix("oom_kill ") {
            return UInt64(line.dropFirst(9)) ?? 0
        }
        return 0
    }
}

extension CgroupMount {
    /// The mounts of the tree, as they were when they were first asked for.
    static let seen: [CgroupMount] =
        (try? KernelFile.text("/proc/self/mountinfo")).map { parse(mountinfo: $0) } ?? []

    /// The group whose directory is `path`, from the namespace's root; nil when that is not below this mount.
    func group(at path: String) -> String? {
        let top = mountPoint == "/" ? "" : mountPoint
        guard path == top || path.hasPrefix(top + "/") else { return nil }
        let below = Substring(path.utf8.dropFirst(top.utf8.count))
        if root == "/" { return below.isEmpty ? "/" : String(below) }
        return root + below
    }
}
