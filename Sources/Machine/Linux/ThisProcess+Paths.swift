internal import Glibc

extension ThisProcess {
    /// Whether something may be at `path`: what another user's rights hide counts as there.
    package static func mayFind(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    /// `path` itself where it is absolute, else as it is seen from our working directory.
    package static func absolutePath(_ path: String) throws(LinuxError) -> String {
        if path.hasPrefix("/") { return path }
        guard let current = unsafe getcwd(nil, 0) else { throw .last("getcwd", path) }
        defer { unsafe free(current) }
        let directory = unsafe String(cString: current)
        // `.` and `./x` are read as a person means them.
        var rest = path[...]
        while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
        if rest.isEmpty || rest == "." { return directory }
        return (directory == "/" ? "" : directory) + "/" + rest
    }
}
