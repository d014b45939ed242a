internal import CLinux
internal import Glibc
internal import Linux

/// What the decision asks of the machine, so that tests can answer.
struct CgroupFacts {
    /// Whether the directory at the path carries systemd's mark of delegation.
    var isDelegated: (String) -> Bool
    /// Whether there is a group at the path.
    var exists: (String) -> Bool
    /// Whether systemd manages this machine's or container's groups.
    var isManagedBySystemd: () -> Bool
    /// Why no group with a freezer can be made below the directory; nil when it can.
    var obstacle: (String) -> String?
}

extension CgroupFacts {
    /// The machine as it is; a group that was made to see whether one can be stays where its name is given.
    static func live(keeping kept: CgroupName? = nil) -> CgroupFacts {
        CgroupFacts(
            isDelegated: { path in
                // `trusted` is root's to read, and all that older versions set; `user` any user's.
                ["user.delegate", "trusted.delegate"].contains { (name: String) in
                    unsafe torpor_attribute_is_one(path, name) == 1
                }
            },
            exists: { Cgroup(path: $0).exists },
            isManagedBySystemd: { Machine.isUnderSystemd },
            obstacle: { obstacle(below: $0, keeping: kept) })
    }

    /// Makes a group, and removes it again unless it is to be kept: permissions, limits of depth and the kernel's age show at once.
    private static func obstacle(below path: String, keeping kept: CgroupName?) -> String? {
        let base = Cgroup(path: path)
        guard unsafe faccessat(AT_FDCWD, base.file("cgroup.procs"), W_OK, AT_EACCESS) == 0 else {
            return
                "the supervisor may not start processes below \(path) (\(errorText(errno)))"
        }
        // Threads of one process may ask at once.
        let probe =
            kept.map(base.child) ?? Cgroup(path: base.file("torpor-probe-\(UInt32.random(in: 0 ... .max))"))
        guard probe.make() || errno == EEXIST else {
            return "cannot create a cgroup below \(path) (\(errorText(errno)))"
        }
        let hasFreezer = unsafe access(probe.file("cgroup.freeze"), W_OK) == 0
        if !hasFreezer || kept == nil { unsafe _ = rmdir(probe.path) }
        return hasFreezer ? nil : "this kernel has no cgroup v2 freezer (requires Linux 5.2)"
    }
}
