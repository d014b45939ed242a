internal import ConfigurationSyntax
internal import WorkerFile

/// The paths that a pattern of glob(7) stands for.
enum ForeignGlob {
    /// The existing paths, sorted; a pattern without signs is one path, where something is there.
    static func paths(of pattern: String, in files: ForeignFiles) throws(FileSourceError) -> [String] {
        var paths = [""]
        for part in pattern.utf8.split(separator: UInt8(ascii: "/")) {
            let name = String(decoding: part, as: UTF8.self)
            guard part.contains(where: { "*?[".utf8.contains($0) }),
                let glob = try? PathGlob(parsing: "/" + name)
            else {
                paths = paths.map { "\($0)/\(name)" }
                continue
            }
            var next: [String] = []
            for directory in paths {
                for found in try files.names(in: directory.isEmpty ? "/" : directory)
                where glob.matches("/" + found) {
                    // As glob(7): a dot at the beginning is matched by a dot alone.
                    if found.utf8.first == .dot, part.first != .dot { continue }
                    next.append("\(directory)/\(found)")
                }
            }
            paths = next
            guard paths.count <= 20_000 else {
                throw FileSourceError(path: pattern, reason: "matches more than 20000 files")
            }
        }
        var existing: [String] = []
        for path in paths where try files.kind(of: path) != nil { existing.append(path) }
        return existing.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
