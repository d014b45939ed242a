package import ConfigurationSyntax

/// Why a file or a directory could not be read.
package struct FileSourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path.
    package let path: String
    /// The reason, as a clause (`permission denied`, `is a directory`, `has more than 4194304 bytes`).
    package let reason: String
    /// Whether it could be read, and is not because another user could have put it there.
    package let isRefusal: Bool

    /// A failure to read `path`.
    package init(path: String, reason: String, isRefusal: Bool = false) {
        self.path = path
        self.reason = reason
        self.isRefusal = isRefusal
    }

    /// Both as a clause.
    package var description: String { "cannot read \(path.quoted): \(reason)" }
}

/// What a path leads to, as far as configuration cares.
package enum FileKind: Hashable, Sendable {
    /// A regular file, or a symlink to one.
    case file
    /// A symlink to /dev/null: what it stands for is masked.
    case null
    /// A directory.
    case directory
    /// Anything else, which is not opened: a socket, a FIFO, a device, a broken symlink.
    case other
}

/// The file system as the loader needs it: the real one elsewhere, a dictionary in tests.
package protocol FileSource {
    /// The names in `directory`, in any order; none when there is no such directory.
    func names(in directory: String) throws(FileSourceError) -> [String]
    /// What `path` leads to; nil when nothing is there.
    func kind(of path: String) throws(FileSourceError) -> FileKind?
    /// The bytes of the file at `path`; fails when there are more than `limit`, without reading them all.
    func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8]
    /// The home of a user; nil when there is no such user, or none is known.
    func home(of user: Account) -> String?
    /// The same files for one pass over many of them: what is looked at for one may hold for the next.
    func forOnePass() -> Self
}

extension FileSource {
    /// Knows no users, unless it says otherwise.
    package func home(of user: Account) -> String? { nil }

    /// Has nothing to keep for that, unless it says otherwise.
    package func forOnePass() -> Self { self }
}
