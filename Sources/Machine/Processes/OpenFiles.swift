internal import Glibc
internal import Linux

/// The files that a process has open, as /proc/PID/fd shows them (proc_pid_fd(5)).
package enum OpenFiles {
    /// The first path open in `pid` that satisfies `isWanted`; nil when there is none, or the process may not be looked at.
    package static func first(of pid: Int32, where isWanted: (String) -> Bool) -> String? {
        let directory = "/proc/\(pid)/fd"
        for name in Directory.entries(of: directory) {
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = unsafe readlink("\(directory)/\(name)", &target, target.count)
            guard length > 0, let path = path(of: target.prefix(length).map(UInt8.init(bitPattern:))) else {
                continue
            }
            if isWanted(path) { return path }
        }
        return nil
    }

    /// The path that a link of /proc/PID/fd names; nil for what has none (`pipe:[1]`, `anon_inode:[eventfd]`).
    ///
    /// A file that was removed keeps the path that it had.
    static func path(of link: [UInt8]) -> String? {
        guard link.first == UInt8(ascii: "/") else { return nil }
        let text = String(decoding: link, as: UTF8.self)
        let mark = " (deleted)"
        return text.hasSuffix(mark) ? String(text.dropLast(mark.count)) : text
    }
}
