import Glibc
import Operator

/// A file that a picture is written to.
enum PictureFile {
    /// Writes `text` to the file at `path`, in place of what it held; `-` is standard output.
    static func write(_ text: String, to path: String, _ console: Console) throws(Failure) {
        guard path != "-" else { return console.print(text) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw failure(path)
            }
        }
    }

    private static func failure(_ path: String) -> Failure {
        let code = errno
        let reason = String(cString: strerror(code))
        return Failure(
            code == EACCES || code == EPERM || code == EROFS ? .notAllowed : .usage,
            "cannot write \(path): \(reason)")
    }
}
