internal import ConfigurationSyntax
package import WorkerFile

/// Makes worker files of other supervisors' files.
package struct Importer {
    private let source: any FileSource
    private let context: ImportContext

    /// An importer of files of `source`.
    package init(source: any FileSource, context: ImportContext) {
        self.source = source
        self.context = context
    }

    /// What is to be written for the files and directories at `paths`, absolute ones.
    ///
    /// Each is of `format`, or of the one that its name and content tell. Where a path is refused, `problems` say why.
    package func plan(for paths: [String], as format: ImportFormat? = nil) -> ImportPlan {
        var plan = ImportPlan()
        var work = Work(ForeignFiles(source), context)
        for path in paths {
            do throws(ImportFailure) { try work.read(path, as: format) } catch {
                plan.problems.append(error.diagnostic)
            }
        }
        guard plan.problems.isEmpty else { return plan }
        let drafts = work.finish()
        plan.notes = work.notes
        var names = WorkerNames()
        var byID: [String: WorkerName] = [:]
        var named: [(WorkerDraft, WorkerName)] = []
        for draft in drafts {
            guard let name = names.name(for: draft.wantedName, mayBeInstance: draft.mayBeInstance) else {
                continue
            }
            named.append((draft, name))
            if byID[draft.id] == nil, !name.isTemplate { byID[draft.id] = name }
        }
        ReferenceCircles.open(&named, byID)
        // One that cannot be made is no dependency of another.
        var made: [ImportedWorker?] = []
        for (draft, name) in named {
            switch draft.finished(as: name, among: [:]) {
            case .success(let worker): made.append(worker)
            case .failure(let failure):
                made.append(nil)
                plan.notes.append(ImportNote(ForeignLine(file: draft.origin), failure.reason))
                if byID[draft.id] == name { byID[draft.id] = nil }
            }
        }
        for ((draft, name), worker) in zip(named, made) {
            guard let worker else { continue }
            if draft.references.isEmpty {
                plan.workers.append(worker)
            } else if case .success(let whole) = draft.finished(as: name, among: byID) {
                plan.workers.append(whole)
            }
        }
        return plan
    }

    /// What was read so far.
    private struct Work {
        let files: ForeignFiles
        let context: ImportContext
        var drafts: [WorkerDraft] = []
        var notes: [ImportNote] = []
        var units: UnitImport
        var directories: ServiceDirectoryImport

        init(_ files: ForeignFiles, _ context: ImportContext) {
            self.files = files
            self.context = context
            units = UnitImport(files, context)
            directories = ServiceDirectoryImport(files)
        }

        mutating func read(_ path: String, as format: ImportFormat?) throws(ImportFailure) {
            let kind: FileKind?
            do throws(FileSourceError) { kind = try files.kind(of: path) } catch {
                throw ImportFailure(error)
            }
            switch kind {
            case .directory: try readDirectory(path, as: format)
            case .file, .null, nil: try readFile(path, as: format, isThere: kind != nil)
            case .other: throw ImportFailure(path, 0, "is no file and no directory")
            }
        }

        private mutating func readFile(_ path: String, as format: ImportFormat?, isThere: Bool)
            throws(ImportFailure)
        {
            let name = ForeignText.split(path).name
            var known = format ?? ImportFormat.named(name)
            if known == nil {
                guard isThere else { throw ImportFailure(path, 0, "no such file") }
                known = .holding(try files.text(of: path))
            }
            switch known {
            case nil:
                throw ImportFailure(
                    path, 0, "the format cannot be told by the name and the content",
                    "--format \(ImportFormat.expectation)")
            case .supervisord:
                var work = SupervisordImport(files, context)
                try work.read(path)
                (drafts, notes) = (drafts + work.drafts, notes + work.notes)
            case .procfile:
                var work = ProcfileImport(files)
                try work.read(path)
                (drafts, notes) = (drafts + work.drafts, notes + work.notes)
            case .systemd: try units.read(path)
            case .compose:
                var work = ComposeImport(files, context)
                try work.read(path)
                (drafts, notes) = (drafts + work.drafts, notes + work.notes)
            case .s6, .runit:
                throw ImportFailure(
                    path, 0, "is no directory", "a service directory, with the program “run” in it")
            }
        }

        private mutating func readDirectory(_ path: String, as format: ImportFormat?) throws(ImportFailure) {
            do throws(FileSourceError) {
                let names = try files.names(in: path)
                if ServiceDirectoryImport.isService(names), format == nil || format == .s6 || format == .runit
                {
                    return try service(path, as: format)
                }
                let units = names.filter { $0.hasSuffix(".service") || $0.hasSuffix(".socket") }
                if !units.isEmpty, format == nil || format == .systemd {
                    for name in units where try files.kind(of: "\(path)/\(name)") != .directory {
                        try unit("\(path)/\(name)")
                    }
                    return
                }
                var found = 0
                for name in names where !name.hasPrefix(".") {
                    let inner = "\(path)/\(name)"
                    guard try files.kind(of: inner) == .directory,
                        ServiceDirectoryImport.isService(try files.names(in: inner))
                    else { continue }
                    found += 1
                    try service(inner, as: format)
                }
                if found > 0 { return }
            } catch {
                throw ImportFailure(error)
            }
            throw ImportFailure(
                path, 0, "nothing to import in this directory",
                "units, or service directories with a program “run”")
        }

        private mutating func service(_ path: String, as format: ImportFormat?) throws(FileSourceError) {
            do throws(ImportFailure) { try directories.read(path, as: format) } catch {
                throw FileSourceError(error)
            }
        }

        private mutating func unit(_ path: String) throws(FileSourceError) {
            do throws(ImportFailure) { try units.read(path) } catch { throw FileSourceError(error) }
        }

        mutating func finish() -> [WorkerDraft] {
            units.finish()
            notes += units.notes + directories.notes
            return drafts + units.drafts + directories.drafts
        }
    }
}

extension FileSourceError {
    fileprivate init(_ failure: ImportFailure) {
        let found = failure.diagnostic
        self.init(
            path: found.line > 0 ? "\(found.file):\(found.line)" : found.file,
            reason: found.expected.isEmpty ? found.problem : "\(found.problem); expected \(found.expected)")
    }
}
