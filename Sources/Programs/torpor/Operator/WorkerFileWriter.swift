import Glibc
import Operator

/// Writes several files of workers, all of them or none.
struct WorkerFileWriter {
    let directory: String
    /// Whether files that exist are replaced.
    let replaces: Bool

    /// Writes the files by name, with their texts; one that `isPrivate` can be read by its owner alone.
    ///
    /// Each is written beside its place first, so that a full disk or a file in the way leaves the directory as it was.
    func write(_ files: [(name: String, text: String, isPrivate: Bool)]) throws(Failure) {
        try makeDirectory()
        if !replaces {
            for file in files where isThere("\(directory)/\(file.name)") { throw taken(file.name) }
        }
        var drafts: [String] = []
        var placed: [String] = []
        do throws(Failure) {
            for file in files { drafts.append(try draft(file)) }
            for (file, draft) in zip(files, drafts) {
                try place(draft, as: file.name)
                if !replaces { placed.append(file.name) }
            }
        } catch {
            // Ignoring failures: the first one is the one that is said.
            for path in drafts { unlink(path) }
            for name in placed { unlink("\(directory)/\(name)") }
            throw error
        }
        if !replaces { for path in drafts { unlink(path) } }
    }

    private func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func taken(_ name: String) -> Failure {
        Failure(.usage, "\(directory)/\(name) exists, and nothing was written; --force replaces it")
    }

    private func makeDirectory() throws(Failure) {
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/\(part)"
            guard mkdir(path, 0o755) != 0, errno != EEXIST, !isThere(path) else { continue }
            throw failure("make the directory \(path)")
        }
    }

    /// The file under a name that no supervisor reads; its path.
    private func draft(_ file: (name: String, text: String, isPrivate: Bool)) throws(Failure) -> String {
        let path = "\(directory)/.\(file.name).\(getpid())"
        unlink(path)
        let descriptor = open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, file.isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw failure("write \(directory)/\(file.name)") }
        defer { close(descriptor) }
        var rest = Array(file.text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                let failure = failure("write \(directory)/\(file.name)")
                unlink(path)
                throw failure
            }
        }
        return path
    }

    private func place(_ draft: String, as name: String) throws(Failure) {
        let path = "\(directory)/\(name)"
        // A link fails where a file has come meanwhile.
        guard replaces ? rename(draft, path) != 0 : link(draft, path) != 0 else { return }
        throw errno == EEXIST ? taken(name) : failure("write \(path)")
    }

    private func failure(_ what: String) -> Failure {
        let code = errno
        let isForbidden = code == EACCES || code == EPERM || code == EROFS
        return Failure(
            isForbidden ? .notAllowed : .usage,
            "cannot \(what): \(String(cString: strerror(code))); nothing was written")
    }
}
