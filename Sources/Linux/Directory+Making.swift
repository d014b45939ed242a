internal import Glibc

extension Directory {
    /// Makes directory `path` below `root`, with all that is missing above it, and gives it to its owner.
    ///
    /// What is there already keeps its mode, and changes its owner only where that is another. No symlink is followed at
    /// the last step: its present owner could point it anywhere.
    public static func make(
        _ path: String, below root: String, mode: UInt32, user: UInt32?, group: UInt32?
    ) throws(LinuxError) {
        try makeParents(of: root + "/" + path)
        let whole = root + "/" + path
        let isNew = unsafe mkdir(whole, 0o700) == 0
        if !isNew, errno != EEXIST { throw .last("mkdir", whole) }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let directory = OwnedDescriptor(adopting: try unsafe check(open(whole, flags), "open", whole))
        var status = stat()
        try unsafe check(fstat(directory.rawValue, &status), "fstat", whole)
        let (user, group) = (user ?? status.st_uid, group ?? status.st_gid)
        if user != status.st_uid || group != status.st_gid {
            try check(fchown(directory.rawValue, user, group), "fchown", whole)
        }
        // After its owner: changing that may take bits away.
        if isNew { try check(fchmod(directory.rawValue, mode), "fchmod", whole) }
    }

    /// Makes the directory at `path`, for ourselves alone, with all that is missing above it; what is there stays as it is.
    public static func makePrivate(_ path: String) throws(LinuxError) {
        try makeParents(of: path)
        if unsafe mkdir(path, 0o711) != 0, errno != EEXIST { throw .last("mkdir", path) }
    }

    private static func makeParents(of path: String) throws(LinuxError) {
        var index = path.startIndex
        while let slash = path[index...].dropFirst().firstIndex(of: "/") {
            let parent = String(path[..<slash])
            if unsafe mkdir(parent, 0o755) != 0, errno != EEXIST {
                let reason = errno
                // Where we may not make one, one that is there will do.
                guard unsafe access(parent, F_OK) == 0 else {
                    throw LinuxError(errno: reason, call: "mkdir", subject: parent)
                }
            }
            index = slash
        }
    }
}
