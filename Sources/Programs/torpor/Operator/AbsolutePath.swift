internal import ConfigurationSyntax
import Linux
import Operator

/// A path that means the same everywhere: the supervisor has another working directory than we.
struct AbsolutePath {
    let text: String

    /// `path` itself, or as seen from our working directory, which means nothing on another machine.
    init(_ path: String, on host: RemoteHost? = nil) throws(Failure) {
        if let host, !path.hasPrefix("/") {
            throw Failure(
                .usage, "“\(path)” is a path of this machine; give an absolute path of \(host.name)")
        }
        do throws(LinuxError) { text = try ThisProcess.absolutePath(path) } catch {
            throw Failure(.usage, "cannot resolve “\(path)”: \(error); give an absolute path")
        }
    }
}
