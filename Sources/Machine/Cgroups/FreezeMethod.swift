internal import Linux

/// How workers are put to sleep here.
package enum FreezeMethod: Hashable, Sendable {
    /// Each in a cgroup of its own, by the kernel's freezer.
    case cgroup(CgroupTree)
    /// By SIGSTOP and SIGCONT to every process, since no freezer is available, for `reason`.
    case signals(reason: String)

    /// Finds out which way this place allows, by looking and by making and removing one group.
    ///
    /// Groups are made only where this process may: where systemd's mark of delegation is on its own group (or on the one
    /// above, when it is in its leaf), or where no systemd manages the tree. A unit `holder` beside its own that is there for the
    /// workers comes first: what lives in it outlives this process.
    ///
    /// The group has the name `kept` and stays where that is given and groups can be made.
    package static func detect(holder: String? = nil, keeping kept: CgroupName? = nil) -> FreezeMethod {
        do {
            let mounts = CgroupMount.parse(mountinfo: try KernelFile.text("/proc/self/mountinfo"))
            let own = CgroupMount.ownGroup(parsing: try KernelFile.text("/proc/self/cgroup"))
            return decide(mounts: mounts, ownGroup: own, holder: holder, facts: .live(keeping: kept))
        } catch {
            return .signals(reason: "cannot read /proc (\(error))")
        }
    }
}

extension FreezeMethod {
    static func decide(
        mounts: [CgroupMount], ownGroup: String?, holder: String? = nil, facts: CgroupFacts
    ) -> FreezeMethod {
        guard let ownGroup else { return .signals(reason: "this process is not in a cgroup v2 tree") }
        if mounts.isEmpty { return .signals(reason: "no cgroup v2 tree is mounted") }
        guard
            let (mount, directory) = mounts.lazy.compactMap({ mount in
                mount.directory(of: ownGroup).map { (mount, $0) }
            }).first
        else {
            return .signals(reason: "the supervisor's own cgroup \(ownGroup) is not visible under any mount")
        }
        if mount.isReadOnly { return .signals(reason: "\(mount.mountPoint) is mounted read-only") }
        let held = holder.flatMap { claim(holder: $0, beside: directory, mount.mountPoint, facts) }
        if let held, facts.obstacle(held.base.path) == nil { return .cgroup(held) }
        guard let tree = claim(directory, mount.mountPoint, facts) else {
            return .signals(
                reason: "\(directory) is managed by systemd and not delegated (set Delegate=yes)")
        }
        if let obstacle = facts.obstacle(tree.base.path) { return .signals(reason: obstacle) }
        return .cgroup(tree)
    }

    /// The group of the unit `holder`, where that stands beside our own and has been delegated.
    ///
    /// The managers of users, in systemd 252, put no mark on what they delegate; there the holder's keeper, in a leaf of its own, is
    /// the sign that the group is for workers.
    private static func claim(
        holder: String, beside directory: String, _ top: String, _ facts: CgroupFacts
    ) -> CgroupTree? {
        let leaf = "/" + CgroupTree.supervisorLeaf
        let unit = directory.hasSuffix(leaf) ? directory.dropLast(leaf.utf8.count) : directory[...]
        guard unit.utf8.count > top.utf8.count, let slash = unit.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            return nil
        }
        let group = "\(unit[..<slash])/\(holder)"
        guard facts.isDelegated(group) || facts.exists("\(group)/\(CgroupTree.keeperLeaf)") else {
            return nil
        }
        return CgroupTree(
            base: Cgroup(path: group), reason: "held by \(holder)", isDelegated: true, outlivesUs: true)
    }

    /// The group in which this process may make groups; nil when there is none.
    private static func claim(_ directory: String, _ top: String, _ facts: CgroupFacts) -> CgroupTree? {
        if facts.isDelegated(directory) {
            return CgroupTree(
                base: Cgroup(path: directory), reason: "delegated by systemd", isDelegated: true)
        }
        let leaf = "/" + CgroupTree.supervisorLeaf
        let isInLeaf = directory.hasSuffix(leaf) && directory.utf8.count - leaf.utf8.count >= top.utf8.count
        let above = isInLeaf ? String(directory.dropLast(leaf.count)) : directory
        if isInLeaf && facts.isDelegated(above) {
            return CgroupTree(
                base: Cgroup(path: above), reason: "delegated by systemd", isDelegated: true)
        }
        if facts.isManagedBySystemd() { return nil }
        return CgroupTree(base: Cgroup(path: above), reason: "not managed by systemd")
    }
}
