internal import Glibc
package import Linux

/// A group that is in use, marked by a lock on its directory as in flock(2): the claim ends with its holder, however
/// that ends, and means the same in every pid namespace.
package final class CgroupClaim: Sendable {
    package let group: Cgroup
    private let descriptor: OwnedDescriptor

    private init(_ group: Cgroup, _ descriptor: consuming OwnedDescriptor) {
        self.group = group
        self.descriptor = descriptor
    }

    /// Claims `group`; nil when another process has it, or is just removing it, or it is gone.
    package static func take(_ group: Cgroup) -> CgroupClaim? {
        let raw = unsafe open(group.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else { return nil }
        let claim = CgroupClaim(group, OwnedDescriptor(adopting: raw))
        guard flock(raw, LOCK_EX | LOCK_NB) == 0 else { return nil }
        // A sweep holds the lock while it removes the group: the directory that was opened here may be gone since.
        var opened = stat()
        var named = stat()
        guard unsafe fstat(raw, &opened) == 0, unsafe stat(group.path, &named) == 0,
            opened.st_ino == named.st_ino
        else { return nil }
        return claim
    }
}

extension Cgroup {
    /// Makes a group below this one that no other process has, claimed; `names` yields a new name for each attempt.
    ///
    /// One that is there, empty and without a claim is as good as new.
    package func makeClaimedChild(named names: () -> CgroupName?) throws(LinuxError) -> CgroupClaim {
        for _ in 0..<8 {
            guard let name = names() else { break }
            let group = child(name)
            let isNew = group.make()
            guard isNew || errno == EEXIST else { throw .last("mkdir", group.path) }
            guard let claim = CgroupClaim.take(group) else {
                // Nothing is left of an attempt: a sweep has it, or no descriptor is free for the claim.
                if isNew { unsafe _ = rmdir(group.path) }
                continue
            }
            if isNew { return claim }
            if let events = try? group.events(), !events.isPopulated, !events.isFrozen { return claim }
        }
        throw LinuxError(errno: EEXIST, call: "mkdir", subject: path)
    }

    /// Removes the empty groups below whose name begins with `prefix` and that no process claims: their makers were killed.
    ///
    /// What a process lives in stays, and is thawed where it was left frozen: nothing else would ever let it run again.
    package func sweepChildren(prefix: String) {
        for group in subgroups() where group.name.hasPrefix(prefix) {
            guard let claim = CgroupClaim.take(group), let events = try? group.events() else { continue }
            guard !events.isPopulated else {
                // Ignoring a failure: the next sweep tries again.
                try? group.clearStaleFreeze()
                continue
            }
            // Ignoring a failure: the next sweep tries again.
            try? claim.group.remove(patience: 0)
        }
    }

}
