package import ConfigurationSyntax
internal import Glibc
package import Linux
package import WorkerFile

/// The file system as the loader of definitions sees it.
///
/// Nothing is waited for but the disk: only regular files are opened.
package struct DiskFileSource: FileSource, Sendable {
    private let trust: PathTrust
    /// That of a source that one loader has for one pass, on one thread.
    nonisolated(unsafe) private var pass: DirectoryPass?

    /// The file system as it is, but for paths in which another user has more of a say than `trust` lets it.
    package init(trusting trust: PathTrust = .any) { self.trust = trust }

    /// The same files for one pass over many of them, on one thread.
    package func forOnePass() -> DiskFileSource {
        var source = self
        source.pass = DirectoryPass()
        return source
    }

    /// The names in `directory`; none when there is no such directory.
    package func names(in directory: String) throws(FileSourceError) -> [String] {
        do throws(LinuxError) {
            if trust == .whole { return try Directory.ownNames(in: directory) }
            return try Directory.names(in: directory)
        } catch {
            if error.errno == ENOENT { return [] }
            throw Self.failure(error, directory, limit: 100_000, "names")
        }
    }

    /// What `path` leads to; nil when nothing is there.
    package func kind(of path: String) throws(FileSourceError) -> FileKind? {
        do throws(LinuxError) {
            switch try RegularFile.kind(of: path) {
            case nil: return nil
            case .regular: return .file
            case .null:
                // A link to /dev/null says that something is not there.
                if trust == .whole, let slash = path.lastIndex(of: "/") {
                    try Directory.requireOwn(String(path[...slash]))
                }
                return .null
            case .directory: return .directory
            case .other: return .other
            }
        } catch {
            throw Self.failure(error, path, limit: 0, "bytes")
        }
    }

    /// The bytes of the file at `path`; fails when there are more than `limit`, without reading them all.
    package func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8] {
        do throws(LinuxError) {
            return try RegularFile.read(path, limit: limit, trusting: trust, in: pass)
        } catch {
            throw Self.failure(error, path, limit: limit, "bytes")
        }
    }

    /// The home of a user, as the system's databases have it.
    package func home(of user: Account) -> String? {
        // Ignoring a failure: `%h` is not known then, and User= says why.
        switch user {
        case .name(let name): (try? UserAccount.named(name)).flatMap { $0?.home }
        case .id(let id): (try? UserAccount.numbered(id)).flatMap { $0?.home }
        }
    }

    private static func failure(
        _ error: LinuxError, _ path: String, limit: Int, _ unit: String
    ) -> FileSourceError {
        let reason =
            switch error.errno {
            case ENOENT: "no such file"
            case EISDIR: "is a directory"
            case ENOTDIR: "is not a directory"
            case EINVAL: "is not a regular file"
            case EFBIG: "exceeds \(limit) \(unit)"
            default: error.reason.prefix(1).lowercased() + error.reason.dropFirst()
            }
        if let refusal = error.refusal {
            let isSaid = error.subject == path || refusal.contains(error.subject)
            return FileSourceError(
                path: path, reason: isSaid ? refusal : "\(error.subject): \(refusal)", isRefusal: true)
        }
        return FileSourceError(path: path, reason: reason)
    }
}
