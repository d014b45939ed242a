internal import ConfigurationSyntax
internal import WorkerFile

/// The foreign files, within bounds: 16 MiB each, and 64 MiB and 20000 files together.
final class ForeignFiles {
    private let source: any FileSource
    private var bytesLeft = 64 << 20
    private var filesLeft = 20_000

    init(_ source: any FileSource) { self.source = source }

    /// What `path` leads to; nil when nothing is there.
    func kind(of path: String) throws(FileSourceError) -> FileKind? { try source.kind(of: path) }

    /// The names in a directory, in the order of their bytes; none when there is no such directory.
    func names(in directory: String) throws(FileSourceError) -> [String] {
        try source.names(in: directory).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The bytes of a file.
    func bytes(of path: String) throws(FileSourceError) -> [UInt8] {
        filesLeft -= 1
        guard filesLeft >= 0 else {
            throw FileSourceError(path: path, reason: "more than 20000 files are to be imported together")
        }
        let bytes = try source.read(path, limit: 16 << 20)
        bytesLeft -= bytes.count
        guard bytesLeft >= 0 else {
            throw FileSourceError(path: path, reason: "the files to be imported exceed 64 MiB together")
        }
        return bytes
    }

    /// The text of a file; LF, CR LF and CR all end its lines.
    func text(of path: String) throws(ImportFailure) -> String {
        let bytes: [UInt8]
        do throws(FileSourceError) { bytes = try self.bytes(of: path) } catch { throw ImportFailure(error) }
        guard let text = ForeignText.decoded(bytes) else {
            let line = bytes.prefix { $0 != 0 }.count { $0 == .newline } + 1
            throw bytes.contains(0)
                ? ImportFailure(path, line, "a NUL byte", "text")
                : ImportFailure(path, 0, "invalid UTF-8", "text in UTF-8")
        }
        return text
    }

    /// The drop-ins in `directories`, as `DropIns` has them.
    func dropIns(in directories: [String]) throws(FileSourceError) -> [SourceFile] {
        try DropIns.collect(from: directories, source: Unlisted(source), limit: 4 << 20)
    }

    /// An existential as the loader wants it.
    private struct Unlisted: FileSource {
        let base: any FileSource
        init(_ base: any FileSource) { self.base = base }
        func names(in directory: String) throws(FileSourceError) -> [String] {
            try base.names(in: directory)
        }
        func kind(of path: String) throws(FileSourceError) -> FileKind? { try base.kind(of: path) }
        func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8] {
            try base.read(path, limit: limit)
        }
    }
}

/// Why a foreign file is refused.
struct ImportFailure: Error {
    let diagnostic: Diagnostic

    init(_ file: String, _ line: Int, _ problem: String, _ expected: String = "", key: String = "") {
        diagnostic = Diagnostic(
            .error, file: file, line: line, key: key, problem: problem, expected: expected)
    }

    init(_ error: FileSourceError) {
        diagnostic = Diagnostic(.error, file: error.path, problem: error.reason)
    }

    init(_ place: ForeignLine, _ error: ForeignTextError) {
        self.init(place.file, place.line, error.problem)
    }
}

/// What is wrong with a piece of foreign text, as a clause.
struct ForeignTextError: Error {
    let problem: String
    init(_ problem: String) { self.problem = problem.onOneLine }
}
