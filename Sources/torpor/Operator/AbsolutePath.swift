import Glibc
import Operator

/// A path that means the same everywhere: the supervisor has another working directory than we.
struct AbsolutePath {
    let text: String

    /// `path` itself, or as seen from our working directory.
    init(_ path: String) throws(Failure) {
        if path.hasPrefix("/") {
            text = path
            return
        }
        guard let current = getcwd(nil, 0) else {
            let reason = String(cString: strerror(errno))
            throw Failure(.usage, "cannot tell where “\(path)” is (\(reason)); give an absolute path")
        }
        defer { free(current) }
        text = String(cString: current) + "/" + path
    }
}
