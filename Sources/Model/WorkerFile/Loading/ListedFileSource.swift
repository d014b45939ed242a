package import ConfigurationSyntax

/// Files of a source whose directories are looked through once: for one pass over all that is in them.
///
/// What a listing does not have is not asked for one by one: no worker's folder of drop-ins is opened in vain. What comes or goes
/// while the pass lasts is found by the next one.
package final class ListedFileSource<Base: FileSource>: FileSource {
    private let base: Base
    private let directories: Set<String>
    /// The names in each directory; nil in one that can be entered and not listed.
    private var listings: [String: Set<String>?] = [:]

    /// The files of `base`; what is in `directories` is listed when it is first asked for.
    package init(_ base: Base, listing directories: [String]) {
        self.base = base.forOnePass()
        self.directories = Set(directories)
    }

    /// The names in `directory`; none when there is no such directory.
    package func names(in directory: String) throws(FileSourceError) -> [String] {
        guard directories.contains(directory) else {
            return isMissing(directory) ? [] : try base.names(in: directory)
        }
        if case .some(.some(let known)) = listings[directory] { return Array(known) }
        let names = try base.names(in: directory)
        listings[directory] = Set(names)
        return names
    }

    /// What `path` leads to; nil when nothing is there.
    package func kind(of path: String) throws(FileSourceError) -> FileKind? {
        isMissing(path) ? nil : try base.kind(of: path)
    }

    /// The bytes of the file at `path`; fails when there are more than `limit`, without reading them all.
    package func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8] {
        try base.read(path, limit: limit)
    }

    /// The home of a user.
    package func home(of user: Account) -> String? { base.home(of: user) }

    /// Whether the listing of its directory lacks it.
    private func isMissing(_ path: String) -> Bool {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
        let directory = String(path[..<slash])
        guard directories.contains(directory) else { return false }
        if listings[directory] == nil {
            listings[directory] = .some((try? base.names(in: directory)).map(Set.init))
        }
        guard case .some(.some(let names)) = listings[directory] else { return false }
        return !names.contains(String(path[path.utf8.index(after: slash)...]))
    }
}
