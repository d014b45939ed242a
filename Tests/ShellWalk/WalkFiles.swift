import ConfigurationSyntax
import WorkerFile

/// The worker files of a walk: they are written, half written, broken and removed, and cannot always be read.
final class WalkFiles: FileSource, @unchecked Sendable {
    /// Where the loader looks.
    static let directory = "/walk"
    private static let workers = directory + "/workers"

    private var files: [String: String] = [:]
    /// Those that cannot be read now.
    var unreadable: Set<String> = []
    /// The directory cannot be listed now.
    var isUnlistable = false

    /// Writes the file of a worker, or removes it.
    func write(_ text: String?, of worker: String) { files[worker + ".worker"] = text }

    func names(in directory: String) throws(FileSourceError) -> [String] {
        guard directory == Self.workers else { return [] }
        guard !isUnlistable else { throw FileSourceError(path: directory, reason: "input/output error") }
        return files.keys.sorted()
    }

    func kind(of path: String) throws(FileSourceError) -> FileKind? {
        file(path) == nil ? nil : .file
    }

    func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8] {
        guard let (name, text) = file(path) else {
            throw FileSourceError(path: path, reason: "no such file or directory")
        }
        guard !unreadable.contains(name) else {
            throw FileSourceError(path: path, reason: "input/output error")
        }
        return Array(text.utf8)
    }

    private func file(_ path: String) -> (name: String, text: String)? {
        guard path.hasPrefix(Self.workers + "/") else { return nil }
        let name = String(path.dropFirst(Self.workers.count + 1))
        return files[name].map { (String(name.dropLast(".worker".count)), $0) }
    }
}

/// The file of one worker, and what is known of the supervisor's reading of it.
struct WalkFile {
    /// How the file is.
    enum State: Hashable {
        /// It defines the worker.
        case whole
        /// It says what does not hold.
        case broken
        /// It is empty, as a mask is and what is about to be written.
        case empty
        case absent
    }

    /// What it says besides what changes.
    let settings: String
    /// What changes, as text of `IdleSec=`, and in microseconds; nil where it never sleeps by itself.
    var idle: Int?
    /// Told to its processes, so that it shows by which file they were launched.
    var revision = 1
    var state = State.whole
    /// The revision that the supervisor has read last, and the idle time with it; nil where it has read none.
    var read: (revision: Int, idle: Int?)?

    init(runs program: String, _ settings: String, idle: Int?) {
        self.idle = idle
        self.settings = "[Worker]\nExecStart=\(program)\nStandardOutput=null\nStandardError=null\n" + settings
    }

    /// Its content; nil where there is none.
    var text: String? {
        switch state {
        case .whole:
            settings + "\n[Worker]\nEnvironment=WALK_REVISION=\(revision)\n[Foreground]\nIdleSec="
                + (idle.map { "\($0)us" } ?? "infinity") + "\n"
        case .broken: "[Worker]\nType=notify\n"
        case .empty: ""
        case .absent: nil
        }
    }
}
