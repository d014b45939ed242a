package import ConfigurationSyntax
package import ControlAPI
package import WorkerFile

/// What `torpor verify` finds in files, wherever they lie, without a supervisor.
package struct Verification<Source: FileSource> {
    private let loader: WorkerLoader<Source>
    /// What is wrong, in the order of the files.
    package private(set) var diagnostics: [Diagnostic] = []
    /// The workers that hold, and the directories that they lie in.
    private var workers: [String: (worker: LoadedWorker, folder: String)] = [:]
    private let isThere: (String) -> Bool
    private let hasUser: (String) -> Bool
    private let hasGroup: (String) -> Bool

    /// A verification of files that come from `source`, with specifiers as they are at `place`; `isThere` says whether a program can be
    /// found under a name or a path, and `hasUser` and `hasGroup` whether there is an account of a name.
    package init(
        source: Source, place: SpecifierContext.Place = .init(),
        isThere: @escaping (String) -> Bool = { _ in true },
        hasUser: @escaping (String) -> Bool = { _ in true },
        hasGroup: @escaping (String) -> Bool = { _ in true }
    ) {
        (self.isThere, self.hasUser, self.hasGroup) = (isThere, hasUser, hasGroup)
        loader = WorkerLoader(directories: [], source: source, place: place)
    }

    /// Whether all files hold; a warning is an error here, and what merely comes to nothing is none.
    package var holds: Bool { diagnostics.allSatisfy { $0.severity == .advice } }

    /// Reads the file at `path`: a worker with the drop-ins beside it, a drop-in with its worker, or torpord.conf with its own.
    package mutating func verify(_ path: String) {
        do throws(FileSourceError) {
            let (folder, file) = path.splitAtLastSlash
            switch try loader.source.kind(of: path) {
            case nil: return report(path, "no such file")
            case .other where !isThere(path.contains("/") ? path : "./\(path)"):
                return report(path, "no such file: dangling symbolic link")
            case .other, .file, .null, .directory: break
            }
            if file == "torpord.conf" { return try verifyDaemon(at: path, in: folder) }
            if file.hasSuffix(WorkerName.suffix) { return try verifyWorker(at: path, in: folder, file) }
            let parent = folder.dropLast(folder == "/" ? 0 : 1)
            if file.hasSuffix(".conf"), parent.hasSuffix(".d") {
                return try verifyOwner(of: path, String(parent))
            }
            report(
                path, "unknown kind of file",
                "the name NAME.worker, torpord.conf or NAME.worker.d/NAME.conf")
        } catch {
            report(error.path, error.reason)
        }
    }

    /// Reads the worker or the daemon's file that the drop-in at `path` belongs to, or the drop-in alone where there is none.
    private mutating func verifyOwner(of path: String, _ parent: String) throws(FileSourceError) {
        let owner = String(parent.dropLast(2))
        let (folder, file) = owner.splitAtLastSlash
        if file == "torpord.conf" { return try verifyDaemon(at: owner, in: folder) }
        guard file.hasSuffix(WorkerName.suffix) else {
            return report(
                path, "unknown kind of drop-in", "a directory NAME.worker.d or torpord.conf.d")
        }
        if try loader.source.kind(of: owner) != nil { return try verifyWorker(at: owner, in: folder, file) }
        report(path, "\(owner), to which it belongs, does not exist", "its worker beside it")
    }

    private mutating func verifyWorker(at path: String, in folder: String, _ file: String)
        throws(FileSourceError)
    {
        var name: WorkerName
        do throws(ValueError) {
            name = try WorkerName(file)
            // A template is read as its instance of any name.
            if name.isTemplate { name = try name.instance("instance") }
        } catch {
            return report(path, error.problem, error.expected)
        }
        switch try read(path, in: folder, as: name) {
        case .worker(let worker):
            add(worker.warnings)
            add(missingPrograms(of: worker) + missingAccounts(of: worker))
            workers[name.text] = (worker, folder)
        case .invalid(let found): add(found)
        case .missing, .masked: break
        }
    }

    /// The programs of a worker's commands that are not there; it may be meant for another machine, so that this is advice.
    private func missingPrograms(of worker: LoadedWorker) -> [Diagnostic] {
        let definition = worker.definition
        let commands = [
            ("ExecStart", definition.startCommands), ("ExecStartPre", definition.startPreCommands),
            ("ExecStartPost", definition.startPostCommands), ("ExecReload", definition.reloadCommands),
        ]
        return commands.flatMap { key, commands in
            commands.filter { !isThere($0.program) }.map { command in
                Diagnostic(
                    .advice, file: worker.files.first ?? worker.name.fileName, key: key,
                    problem: "“\(command.program)” does not exist")
            }
        }
    }

    /// The accounts that a worker's file names and that do not exist here; advice as well.
    private func missingAccounts(of worker: LoadedWorker) -> [Diagnostic] {
        let (execution, foreground) = (worker.definition.execution, worker.definition.foreground)
        let users = [("User", execution.user), ("SocketUser", foreground.socketUser)]
        let groups =
            [("Group", execution.group), ("SocketGroup", foreground.socketGroup)]
            + execution.supplementaryGroups.map { ("SupplementaryGroups", $0) }
        func missing(
            _ accounts: [(String, Account?)], _ kind: String, _ isThere: (String) -> Bool
        ) -> [Diagnostic] {
            accounts.compactMap { key, account in
                // The kernel asks for no entry of a number.
                guard case .name(let name)? = account, !isThere(name) else { return nil }
                return Diagnostic(
                    .advice, file: worker.files.first ?? worker.name.fileName, key: key,
                    problem: "\(kind) “\(name)” does not exist")
            }
        }
        return missing(users, "user", hasUser) + missing(groups, "group", hasGroup)
    }

    /// The worker in the file at `path`, with the drop-ins beside it.
    private func read(
        _ path: String, in folder: String, as name: WorkerName
    ) throws(FileSourceError) -> WorkerLoader<Source>.Found {
        guard let bytes = try bytes(of: path) else { return .masked(path: path) }
        // The template's drop-ins come first, so that those of the instance go over them.
        let names = [name.template, name].compactMap { $0?.fileName }
        let dropIns = try dropIns(in: names.map { folder + $0 + ".d" })
        return loader.read([SourceFile(path: path, bytes: bytes)] + dropIns, as: name)
    }

    /// Reads what the workers that were verified say of each other, and of those beside them and in the configuration `directories`.
    package mutating func verifyTogether(with directories: [String] = []) {
        let given = workers
        var known = given.mapValues(\.worker)
        var missing: Set<String> = []
        var queue = given.values.map { ($0.worker, $0.folder) }
        while let (worker, folder) = queue.popLast() {
            for name in Dependencies(worker.definition).names
            where known[name] == nil && !missing.contains(name) {
                if let found = neighbour(name, in: [folder] + directories.map { $0 + "/workers/" }) {
                    known[name] = found.worker
                    queue.append(found)
                } else {
                    missing.insert(name)
                }
            }
        }
        let check = DependencyCheck(of: known.values.sorted { $0.name < $1.name }) { !missing.contains($0) }
        for finding in check.errors + check.warnings {
            // What is wrong with others is told when they are verified.
            if given[finding.worker] != nil { add([finding.diagnostic]) }
        }
    }

    /// A worker that another names, where it can be read.
    private func neighbour(_ text: String, in folders: [String]) -> (worker: LoadedWorker, folder: String)? {
        guard let name = try? WorkerName(text) else { return nil }
        for folder in folders {
            for candidate in [name, name.template].compactMap(\.self) {
                // Ignoring a failure: that file is told of when it is verified itself.
                let path = folder + candidate.fileName
                guard let kind = try? loader.source.kind(of: path), kind == .file else { continue }
                if let worker = (try? read(path, in: folder, as: name))?.worker { return (worker, folder) }
            }
        }
        return nil
    }

    private mutating func verifyDaemon(at path: String, in folder: String) throws(FileSourceError) {
        let directory = folder.isEmpty ? "." : String(folder.dropLast(folder == "/" ? 0 : 1))
        if try loader.source.kind(of: path) == nil { return report(path, "no such file") }
        let daemon = DaemonLoader(directories: [directory], source: loader.source, place: loader.place)
        add(daemon.load().diagnostics)
    }

    /// The bytes of a worker's file; nil for a mask, which is as good as any file.
    private func bytes(of path: String) throws(FileSourceError) -> [UInt8]? {
        switch try loader.source.kind(of: path) {
        case .file:
            let bytes = try loader.source.read(path, limit: loader.bounds.file)
            return bytes.isEmpty ? nil : bytes
        case .null: return nil
        case nil: throw FileSourceError(path: path, reason: "no such file")
        case .directory, .other: throw FileSourceError(path: path, reason: "not a regular file")
        }
    }

    private func dropIns(in folders: [String]) throws(FileSourceError) -> [SourceFile] {
        var paths: [String: String] = [:]
        for folder in folders {
            for name in try loader.source.names(in: folder)
            where name.hasSuffix(".conf") && !name.hasPrefix(".") {
                paths[name] = "\(folder)/\(name)"
            }
        }
        var files: [SourceFile] = []
        for (_, path) in paths.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard try loader.source.kind(of: path) == .file else { continue }
            files.append(
                SourceFile(path: path, bytes: try loader.source.read(path, limit: loader.bounds.file)))
        }
        return files
    }

    private mutating func report(_ path: String, _ problem: String, _ expected: String = "") {
        add([Diagnostic(.error, file: path, problem: problem, expected: expected)])
    }

    /// Adds what is new: two files of one worker find the same.
    private mutating func add(_ found: [Diagnostic]) {
        for diagnostic in found where !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
    }
}

extension String {
    /// The directory with its slash, empty without one, and the name behind it.
    fileprivate var splitAtLastSlash: (folder: String, file: String) {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", self) }
        let next = utf8.index(after: slash)
        return (String(self[..<next]), String(self[next...]))
    }
}

/// What `torpor verify --json` prints: the diagnostics, as Reload's reply would have them.
package struct VerificationReply: Codable, Hashable, Sendable {
    package let failed: [SupervisorInterface.Diagnostic]

    /// A reply of `diagnostics`.
    package init(_ diagnostics: [Diagnostic]) {
        failed = diagnostics.map { found in
            let message =
                found.expected.isEmpty ? found.problem : "\(found.problem); expected \(found.expected)"
            return .init(
                file: found.file, line: found.line > 0 ? Int64(found.line) : nil,
                key: found.key.isEmpty ? nil : found.key, message: message)
        }
    }
}
