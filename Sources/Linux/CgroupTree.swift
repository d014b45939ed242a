internal import CLinux
internal import Glibc

/// The part of the machine's cgroup v2 tree where groups of ours may be made.
public struct CgroupTree: Hashable, Sendable {
    /// The group below which the workers' groups are made.
    ///
    /// It is not ours to write in.
    public let base: Cgroup
    /// Why groups may be made there, in words.
    public let reason: String

    /// The name of the leaf that the supervisor moves itself into below a delegated group.
    public static let supervisorLeaf = "supervisor"

    /// The group of worker `name`, below the base; nil when that makes no group's name.
    public func workerGroup(_ name: String) -> Cgroup? {
        CgroupName("worker-\(name)").map(base.child)
    }
}

/// How workers are put to sleep here.
public enum FreezeMethod: Hashable, Sendable {
    /// Each in a cgroup of its own, by the kernel's freezer.
    case cgroup(CgroupTree)
    /// By SIGSTOP and SIGCONT to every process, since there is no freezer for us, for `reason`.
    case signals(reason: String)

    /// Finds out which way this place allows, by looking and by making and removing one group.
    ///
    /// Groups are made only where they are ours: where systemd's mark of delegation is on our own group (or on the one
    /// above, when we are in our leaf), or where no systemd manages the tree.
    public static func detect() -> FreezeMethod {
        do {
            let mounts = CgroupMount.parse(mountinfo: try KernelFile.text("/proc/self/mountinfo"))
            let own = CgroupMount.ownGroup(parsing: try KernelFile.text("/proc/self/cgroup"))
            return decide(mounts: mounts, ownGroup: own, facts: .live)
        } catch {
            return .signals(reason: "/proc cannot be read (\(error))")
        }
    }
}

/// What the decision asks of the machine, so that tests can answer.
struct CgroupFacts {
    /// Whether the directory at the path carries systemd's mark of delegation.
    var isDelegated: (String) -> Bool
    /// Whether systemd manages this machine's or container's groups.
    var isManagedBySystemd: () -> Bool
    /// Why no group with a freezer can be made below the directory; nil when it can.
    var obstacle: (String) -> String?
}

extension FreezeMethod {
    static func decide(mounts: [CgroupMount], ownGroup: String?, facts: CgroupFacts) -> FreezeMethod {
        guard let ownGroup else { return .signals(reason: "this process is in no cgroup v2 group") }
        if mounts.isEmpty { return .signals(reason: "no cgroup v2 tree is mounted") }
        guard
            let (mount, directory) = mounts.lazy.compactMap({ mount in
                mount.directory(of: ownGroup).map { (mount, $0) }
            }).first
        else {
            return .signals(reason: "our own group \(ownGroup) is not visible under any mount")
        }
        if mount.isReadOnly { return .signals(reason: "\(mount.mountPoint) is mounted read-only") }
        guard let tree = claim(directory, mount.mountPoint, facts) else {
            return .signals(
                reason: "systemd manages \(directory) and has not delegated it (Delegate=yes would)")
        }
        if let obstacle = facts.obstacle(tree.base.path) { return .signals(reason: obstacle) }
        return .cgroup(tree)
    }

    /// The group that is ours to make groups in; nil when none is.
    private static func claim(_ directory: String, _ top: String, _ facts: CgroupFacts) -> CgroupTree? {
        if facts.isDelegated(directory) {
            return CgroupTree(base: Cgroup(path: directory), reason: "delegated to us by systemd")
        }
        let leaf = "/" + CgroupTree.supervisorLeaf
        let isInLeaf = directory.hasSuffix(leaf) && directory.utf8.count - leaf.utf8.count >= top.utf8.count
        let above = isInLeaf ? String(directory.dropLast(leaf.count)) : directory
        if isInLeaf && facts.isDelegated(above) {
            return CgroupTree(base: Cgroup(path: above), reason: "delegated to us by systemd")
        }
        if facts.isManagedBySystemd() { return nil }
        return CgroupTree(base: Cgroup(path: above), reason: "no systemd manages this tree")
    }
}

extension CgroupFacts {
    /// The machine as it is.
    static var live: CgroupFacts {
        CgroupFacts(
            isDelegated: { path in
                // `trusted` is root's to read, and all that older versions set; `user` anyone's.
                ["user.delegate", "trusted.delegate"].contains { (name: String) in
                    unsafe torpor_attribute_is_one(path, name) == 1
                }
            },
            isManagedBySystemd: {
                // sd_booted(3), and PID 1 really it: /run may be the host's, seen from inside a container.
                let init1 = (try? KernelFile.text("/proc/1/comm")) ?? "systemd\n"
                return unsafe access("/run/systemd/system", F_OK) == 0 && init1 == "systemd\n"
            },
            obstacle: obstacle)
    }

    /// Makes a group and removes it again: permissions, limits of depth and the kernel's age show at once.
    private static func obstacle(below path: String) -> String? {
        let base = Cgroup(path: path)
        guard unsafe faccessat(AT_FDCWD, base.file("cgroup.procs"), W_OK, AT_EACCESS) == 0 else {
            return "\(path) is not ours to start processes below (\(errorText(errno)))"
        }
        // Threads of one process may ask at once.
        let probe = Cgroup(path: base.file("torpor-probe-\(UInt32.random(in: 0 ... .max))"))
        guard unsafe mkdir(probe.path, 0o755) == 0 || errno == EEXIST else {
            return "no group can be made below \(path) (\(errorText(errno)))"
        }
        defer { unsafe _ = rmdir(probe.path) }
        let hasFreezer = unsafe access(probe.file("cgroup.freeze"), W_OK) == 0
        return hasFreezer ? nil : "this kernel has no freezer in cgroup v2 (Linux 5.2 has)"
    }
}
