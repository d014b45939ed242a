internal import ConfigurationSyntax
import Linux
import Operator

/// A path that means the same everywhere: the supervisor has another working directory than we.
struct AbsolutePath {
    let text: String

    /// `path` itself, or as seen from our working directory.
    init(_ path: String) throws(Failure) {
        do throws(LinuxError) { text = try ThisProcess.absolutePath(path) } catch {
            throw Failure(.usage, "cannot resolve “\(path)”: \(error); give an absolute path")
        }
    }
}
