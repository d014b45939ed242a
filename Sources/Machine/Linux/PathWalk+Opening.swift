internal import Glibc

extension PathWalk {
    /// Opens the file at `path` with `flags`, unless another user may have decided which one that is; without waiting.
    ///
    /// With O_CREAT one that is missing is made with `mode`. ``PathTrust/any`` is not for here.
    static func open(
        _ path: String, _ flags: Int32, mode: UInt32 = 0, trusting trust: PathTrust,
        for users: TrustedUsers = .current, in pass: DirectoryPass? = nil
    ) throws(LinuxError) -> OwnedDescriptor {
        let known = try pass?.place(of: path, for: users)
        let place = if let known { known } else { try place(of: path, for: users) }
        switch place {
        case .directory(let directory):
            if trust == .whole { try directory.requireOurs() }
            // What is to be written cannot be a directory; the kernel says it best.
            return try directory.open(".", flags & ~O_CREAT)
        case .entry(let directory, let name, let status):
            if status.st_mode & S_IFMT == S_IFLNK, trust != .whole {
                // One of /proc/PID/fd, of a process of the same user.
                return OwnedDescriptor(
                    adopting: try unsafe check(
                        openat(directory.descriptor.rawValue, name, flags & ~O_CREAT | O_CLOEXEC), "open",
                        path))
            }
            return try open(name, in: directory, flags, mode, trust)
        case .missing(let directory, let name):
            if trust == .whole { try directory.requireOurs() }
            return try open(name, in: directory, flags, mode, trust)
        }
    }

    private static func open(
        _ name: String, in directory: WalkedDirectory, _ flags: Int32, _ mode: UInt32, _ trust: PathTrust
    ) throws(LinuxError) -> OwnedDescriptor {
        let opened = try directory.open(name, flags, mode: mode)
        let path = directory.path(of: name)
        let status = try opened.status(path)
        let theirs = directory.others(deciding: status, name)
        if status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1, let theirs {
            throw .refused(
                EMLINK, path,
                "it has several hard links, and another user may have created one (\(theirs))")
        }
        guard trust == .whole else { return opened }
        if let theirs {
            throw .refused(EPERM, path, "\(theirs), not to root or the supervisor's user")
        }
        guard directory.users.contains(owner: status.st_uid) else {
            throw .refused(
                EPERM, path,
                "it belongs to user \(status.st_uid), not to root or the supervisor's user")
        }
        if directory.users.lets(others: status) {
            throw .refused(EPERM, path, "it is writable by other users (mode \(status.permissions))")
        }
        return opened
    }
}

/// A pass over many files on one thread: the directory of one is not walked to again for the next.
package final class DirectoryPass {
    /// The directory of the last file, and how that was named.
    private var last: (name: String, directory: WalkedDirectory)?

    /// A pass that begins.
    package init() {}

    fileprivate func place(of path: String, for users: TrustedUsers) throws(LinuxError) -> PathWalk.Place? {
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return nil }
        let parent = String(path[...slash])
        if last?.name != parent || last?.directory.users != users {
            last = (parent, try PathWalk.directory(parent, for: users))
        }
        guard let directory = last?.directory else { return nil }
        return try PathWalk.place(of: String(path[path.index(after: slash)...]), below: directory, by: .own)
    }
}

extension WalkedDirectory {
    /// Whether it belongs to the process's user, as its name does, and nothing but its mode lets others write to it.
    var isOpenToOthers: Bool {
        guard let parent, status.st_uid == users.user, users.lets(others: status) else { return false }
        if case .others = parent.standing { return false }
        return true
    }

    /// Takes the right to write to it from others; fails where one of them has put something into it.
    func closeToOthers() throws(LinuxError) {
        let directory = try open(".", O_RDONLY | O_DIRECTORY)
        try check(fchmod(directory.rawValue, status.st_mode & 0o755), "fchmod", path)
        // From here on nothing comes any more.
        for name in try Directory.names(in: directory, path, limit: 100_000) {
            let status = try look(at: name).status(path(of: name))
            let isLinked = status.st_mode & S_IFMT != S_IFDIR && status.st_nlink > 1
            guard users.contains(owner: status.st_uid), !isLinked else {
                throw .refused(EPERM, path(of: name), "another user may have created it")
            }
        }
    }

    /// Fails unless only root and we can put anything into it.
    func requireOurs() throws(LinuxError) {
        switch standing {
        case .ours: return
        case .sticky:
            throw .refused(EPERM, path, "it is writable by other users (mode \(status.permissions))")
        case .others(let theirs): throw .refused(EPERM, path, theirs)
        }
    }
}
