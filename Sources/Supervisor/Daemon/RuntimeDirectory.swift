internal import Glibc
internal import Linux

/// The directory of the sockets.
enum RuntimeDirectory {
    /// Makes it, with those above it that are missing; what is there stays as it is.
    static func make(_ path: String) throws(LinuxError) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            if mkdir(made, 0o755) != 0, errno != EEXIST {
                throw LinuxError(errno: errno, call: "mkdir", subject: made)
            }
        }
        guard access(path, W_OK) == 0 else { throw LinuxError(errno: errno, call: "access", subject: path) }
    }
}
