internal import Glibc

/// How much of a path other users may have decided.
package enum PathTrust: Hashable, Sendable {
    /// The path is followed wherever it leads, as open(2) does.
    case any
    /// A symbolic link is followed only where root or we have made it.
    ///
    /// A link that another user may have put there is refused. So is a file with a second name (a hard link) in a directory
    /// of that user, which may be another user's file.
    case ownLinks
    /// Only root and we can have made, named or written any part of it.
    case whole
}

/// The users and groups that can do as much as we can, so that nothing is gained by keeping them out.
struct TrustedUsers: Hashable, Sendable {
    /// The user that we are.
    let user: UInt32
    /// What user id root's files have here.
    var root: UInt32 = 0

    /// Those of this process.
    static var current: TrustedUsers { TrustedUsers(user: ThisProcess.effectiveUser, root: rootHere) }

    private static let rootHere: UInt32 = {
        guard let map = try? KernelFile.text("/proc/self/uid_map"),
            let text = try? KernelFile.text("/proc/sys/kernel/overflowuid"),
            let overflow = UInt32(text.lines.first ?? "")
        else { return 0 }
        return root(in: map, overflow: overflow)
    }()

    /// The id that root's files show in a user namespace with `map`, as /proc/PID/uid_map has it (user_namespaces(7)).
    ///
    /// Where 0 of its parent has no mapping that is the `overflow` id, which means root only where no user has that number.
    static func root(in map: String, overflow: UInt32) -> UInt32 {
        for line in map.lines {
            let numbers = line.fields(at: " ").compactMap { UInt64($0) }
            guard numbers.count == 3 else { return 0 }
            let (inside, outside, count) = (numbers[0], numbers[1], numbers[2])
            let (end, isBeyond) = inside.addingReportingOverflow(count)
            if outside == 0 || isBeyond || (inside..<end).contains(UInt64(overflow)) { return 0 }
        }
        return overflow
    }

    func contains(owner: UInt32) -> Bool { owner == user || owner == 0 || owner == root }

    /// Whether others may write to what has this status.
    ///
    /// The group of root counts as root, and the group of a user's own number as that user (useradd(8) makes such groups, for a
    /// umask of 002). A POSIX access list shows in the bits of the group (acl(5)).
    func lets(others status: stat) -> Bool {
        if status.st_mode & 0o002 != 0 { return true }
        let isOwn = status.st_gid == 0 || user != 0 && status.st_gid == user
        return status.st_mode & 0o020 != 0 && !isOwn
    }
}
