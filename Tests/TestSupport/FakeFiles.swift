package import WorkerFile

/// Files in a dictionary; a value of nil is a symlink to /dev/null.
package struct FakeFiles: FileSource {
    /// Contents by path.
    package var files: [String: [UInt8]?] = [:]
    /// Paths that cannot be read.
    package var unreadable: Set<String> = []
    /// Paths that are directories.
    package var directories: Set<String> = []

    /// These files, with these texts.
    package init(_ files: [String: String?]) {
        self.files = files.mapValues { $0.map { Array($0.utf8) } }
    }

    /// The names below `directory`.
    package func names(in directory: String) throws(FileSourceError) -> [String] {
        if unreadable.contains(directory) {
            throw FileSourceError(path: directory, reason: "permission denied")
        }
        return Set(
            files.keys.filter { $0.hasPrefix(directory + "/") }.compactMap {
                $0.dropFirst(directory.count + 1).split(separator: "/").first.map(String.init)
            }
        ).sorted(by: >)
    }

    /// What is at `path`.
    package func kind(of path: String) throws(FileSourceError) -> FileKind? {
        if directories.contains(path) { return .directory }
        guard let file = files[path] else { return nil }
        return file == nil ? .null : .file
    }

    /// The content of the file at `path`.
    package func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8] {
        if unreadable.contains(path) { throw FileSourceError(path: path, reason: "permission denied") }
        guard let file = files[path], let bytes = file else {
            throw FileSourceError(path: path, reason: "no such file")
        }
        guard bytes.count <= limit else {
            throw FileSourceError(path: path, reason: "exceeds \(limit) bytes")
        }
        return bytes
    }
}
