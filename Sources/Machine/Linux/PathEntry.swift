internal import Glibc

/// What one name in a directory is, without following it (lstat(2)).
package enum PathEntry: Hashable, Sendable {
    /// Nothing is there, or it cannot be looked at.
    case missing
    /// A directory.
    case directory
    /// A symbolic link, with what is written in it.
    case link(String)
    /// Anything else.
    case file

    /// What `path` is, its last component not followed.
    package init(at path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            self = .missing
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: self = .directory
        case S_IFLNK: self = Self.target(of: path).map(PathEntry.link) ?? .missing
        default: self = .file
        }
    }

    private static func target(of path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink(path, &target, target.count)
        // Gone or replaced since: the watcher looks again.
        guard length > 0 else { return nil }
        return String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
