internal import Glibc

extension Directory {
    /// Makes directory `path` below `root`, with all that is missing above it, and gives it to its owner.
    ///
    /// What is there already keeps its mode, and changes its owner only where that is another. Below `root` no symbolic link is
    /// followed, since the present owner of a directory could point it anywhere; above it, those of root and of the process's user are.
    package static func make(
        _ path: String, below root: String, mode: UInt32, user: UInt32?, group: UInt32?
    ) throws(LinuxError) {
        let base = try PathWalk.directory(root, making: 0o755)
        // A name more has the walk make all but the last directory.
        let (parent, name) = try place(of: path, below: base)
        let whole = parent.path(of: name)
        let isNew = try parent.make(name, mode: 0o700)
        let directory = try parent.open(name, O_RDONLY | O_DIRECTORY)
        let status = try directory.status(whole)
        let (user, group) = (user ?? status.st_uid, group ?? status.st_gid)
        if user != status.st_uid || group != status.st_gid {
            try check(fchown(directory.rawValue, user, group), "fchown", whole)
        }
        // After its owner: changing that may take bits away.
        if isNew { try check(fchmod(directory.rawValue, mode), "fchmod", whole) }
    }

    /// The directory in which the last name of `path` is, and that name; no link is at either.
    private static func place(
        of path: String, below base: WalkedDirectory
    ) throws(LinuxError) -> (WalkedDirectory, String) {
        switch try PathWalk.place(of: path, below: base, making: 0o755) {
        case .missing(let parent, let name): return (parent, name)
        case .directory(let directory):
            guard let parent = directory.parent, let slash = directory.path.lastIndex(of: "/") else { break }
            return (parent, String(directory.path[directory.path.index(after: slash)...]))
        case .entry(let parent, let name, _):
            throw LinuxError(errno: ENOTDIR, call: "open", subject: parent.path(of: name))
        }
        throw LinuxError(errno: EINVAL, call: "mkdir", subject: path)
    }

    /// Makes the directory at `path`, for the user of this process alone, with all that is missing above it; what is there stays as it is.
    package static func makePrivate(_ path: String) throws(LinuxError) { try makeOwn(path, mode: 0o711) }

    /// Makes the directory at `path` with `mode`, and all that is missing above it; fails where another user can have put
    /// something into it, or can put another one in its place.
    ///
    /// What is there stays as it is, but for a directory of the process's user that others may write to and have put nothing into, as a
    /// fresh tmpfs(5) is: from now on they may not.
    package static func makeOwn(_ path: String, mode: UInt32) throws(LinuxError) {
        switch try PathWalk.place(of: path, making: 0o755) {
        case .directory(let directory):
            if directory.isOpenToOthers { try directory.closeToOthers() } else { try directory.requireOurs() }
        case .entry(let parent, let name, _):
            throw LinuxError(errno: ENOTDIR, call: "mkdir", subject: parent.path(of: name))
        case .missing(let parent, let name):
            if case .others(let theirs) = parent.standing {
                throw .refused(EPERM, parent.path(of: name), theirs)
            }
            let isNew = try parent.make(name, mode: 0o700)
            let directory = try parent.open(name, O_RDONLY | O_DIRECTORY)
            guard isNew else { return try makeOwn(path, mode: mode) }
            try check(fchmod(directory.rawValue, mode), "fchmod", path)
        }
    }

    /// Fails unless the directory at `path` is there, and only root and we can put anything into it.
    package static func requireOwn(_ path: String) throws(LinuxError) {
        try PathWalk.directory(path).requireOurs()
    }

    /// The names in the directory at `path`, which only root and we can have put there.
    package static func ownNames(in path: String, limit: Int = 100_000) throws(LinuxError) -> [String] {
        let directory = try PathWalk.directory(path)
        try directory.requireOurs()
        return try names(in: directory.open(".", O_RDONLY | O_DIRECTORY), path, limit: limit)
    }
}
