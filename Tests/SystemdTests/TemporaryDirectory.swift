import Glibc
import Systemd

/// A directory of its own for a test, removed at its end with the files right below it.
struct TemporaryDirectory: ~Copyable {
    let path: String

    init() throws(SystemdError) {
        var template = Array("/tmp/torpor-systemd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemdError(errno: errno, operation: "mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                unlink(path + "/" + name)
            }
            closedir(directory)
        }
        rmdir(path)
    }
}
