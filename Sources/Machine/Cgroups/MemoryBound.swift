internal import Linux

/// A group whose limit of memory holds for what lives in it and below, as a container's does.
package struct MemoryBound: Hashable, Sendable {
    /// Its directory.
    package let path: String
    /// Whether it is one of cgroup v1.
    let isLegacy: Bool

    /// The group at `path`, of cgroup v2 or v1.
    package init(path: String, isLegacy: Bool = false) {
        self.path = path
        self.isLegacy = isLegacy
    }

    /// The groups that `group` is in, itself first, up to the outermost that can be seen; nil is the group of this process.
    ///
    /// Where cgroup v1 has the memory controller they are those of this process there: workers are not moved elsewhere.
    package static func all(above group: Cgroup? = nil) -> [MemoryBound] {
        guard let mounts = try? KernelFile.text("/proc/self/mountinfo"),
            let groups = try? KernelFile.text("/proc/self/cgroup")
        else { return [] }
        return all(above: group, mountinfo: mounts, groups: groups)
    }

    static func all(above group: Cgroup?, mountinfo: String, groups: String) -> [MemoryBound] {
        let legacy = chain(
            CgroupMount.parse(mountinfo: mountinfo, .legacyMemory), LegacyMemory.group(parsing: groups), nil)
        if !legacy.isEmpty { return legacy.map { MemoryBound(path: $0, isLegacy: true) } }
        return chain(
            CgroupMount.parse(mountinfo: mountinfo), CgroupMount.ownGroup(parsing: groups), group?.path
        ).map { MemoryBound(path: $0, isLegacy: false) }
    }

    /// The directories from the innermost to that of the mount under which it is seen.
    private static func chain(_ mounts: [CgroupMount], _ own: String?, _ directory: String?) -> [String] {
        for mount in mounts {
            let seen = directory.flatMap { mount.isAbove($0) ? $0 : nil }
            guard var path = seen ?? own.flatMap(mount.directory(of:)) else { continue }
            var chain = [path]
            while path != mount.mountPoint, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
                slash > path.startIndex
            {
                path = String(path[..<slash])
                chain.append(path)
            }
            return chain
        }
        return []
    }

    // MARK: figures

    /// Its limit as the kernel tells it; nil where it has none to tell, as the root of the tree.
    package var limit: String? { text(isLegacy ? "memory.limit_in_bytes" : "memory.max") }

    /// Above what it is throttled and reclaimed from; nil where there is no such limit to tell.
    package var high: String? { isLegacy ? nil : text("memory.high") }

    /// What it has.
    package var usage: String? { text(isLegacy ? "memory.usage_in_bytes" : "memory.current") }

    /// Of what that consists (`memory.stat`).
    package var stat: String? { text("memory.stat") }

    private func text(_ name: String) -> String? { try? KernelFile.text("\(path)/\(name)") }
}

extension CgroupMount {
    /// Whether `path` is at or below the mount point.
    fileprivate func isAbove(_ path: String) -> Bool {
        path == mountPoint || path.hasPrefix(mountPoint == "/" ? "/" : mountPoint + "/")
    }
}
