package import ConfigurationSyntax

/// Finds and reads worker files: directories, drop-ins, templates and masks as systemd.unit(5) has them.
package struct WorkerLoader<Source: FileSource> {
    /// The configuration directories, each with `workers/` in it; later ones win.
    package let directories: [String]
    /// Where files come from.
    package let source: Source
    /// What specifiers stand for.
    package var place: SpecifierContext.Place
    /// Specifier characters that are left for the launch to fill in (`SpecifierContext.markers`).
    package var markers: Set<UInt8>
    /// Bounds on what is read.
    package var bounds = ConfigurationFile.Bounds()

    /// The directories of a system's supervisor, in order.
    package static var systemDirectories: [String] { ["/usr/lib/torpor", "/run/torpor", "/etc/torpor"] }

    /// A loader of what is in `directories`.
    package init(
        directories: [String], source: Source, place: SpecifierContext.Place = .init(),
        markers: Set<UInt8> = [UInt8(ascii: "u")]
    ) {
        self.directories = directories
        self.source = source
        self.place = place
        self.markers = markers
    }

    /// The same loader for one pass over all workers, which looks through each directory once.
    package func listing() -> WorkerLoader<ListedFileSource<Source>> {
        var loader = WorkerLoader<ListedFileSource<Source>>(
            directories: directories, source: ListedFileSource(source, listing: workerDirectories),
            place: place,
            markers: markers)
        loader.bounds = bounds
        return loader
    }

    /// What is there for a name.
    package enum Found: Sendable {
        /// No file.
        case missing
        /// A symlink to /dev/null, or an empty file, at this path.
        case masked(path: String)
        /// Files that make a worker.
        case worker(LoadedWorker)
        /// Files that do not.
        case invalid([Diagnostic])

        /// The worker, where it was read.
        package var worker: LoadedWorker? {
            guard case .worker(let worker) = self else { return nil }
            return worker
        }
    }

    /// The names that have a file, templates included, sorted; and what is wrong with the rest.
    ///
    /// Masked names are among them. Names of files that do not end in `.worker` are left out silently. What is in `unlisted` directories
    /// is not known: their files may be there as before.
    package func names() -> (names: [WorkerName], diagnostics: [Diagnostic], unlisted: [String]) {
        var names: Set<WorkerName> = []
        var diagnostics: [Diagnostic] = []
        var unlisted: [String] = []
        for directory in workerDirectories {
            do throws(FileSourceError) {
                for file in try source.names(in: directory).sorted(by: precedes) where isWorkerFile(file) {
                    do throws(ValueError) { names.insert(try WorkerName(file)) } catch {
                        diagnostics.append(
                            Diagnostic(
                                .error, file: directory, problem: "ignoring a file: \(error.problem)",
                                expected: error.expected))
                    }
                }
            } catch {
                diagnostics.append(Diagnostic(.error, file: directory, problem: error.description))
                unlisted.append(directory)
            }
        }
        return (names.sorted(), diagnostics, unlisted)
    }

    /// Reads the worker called `name`, its template and its drop-ins.
    package func load(_ name: WorkerName) -> Found {
        guard !name.isTemplate else {
            return .invalid([
                Diagnostic(
                    .error, file: name.fileName, problem: "a template itself cannot be launched",
                    expected: "an instance such as \(name.text)1")
            ])
        }
        do throws(FileSourceError) {
            switch try files(for: name) {
            case .missing: return .missing
            case .masked(let path): return .masked(path: path)
            case .files(let files): return read(files, as: name)
            }
        } catch {
            return .invalid([Diagnostic(.error, file: error.path, problem: error.description)])
        }
    }

    /// Reads `files` as the worker called `name`, wherever they lie; what `verify` does.
    package func read(_ files: [SourceFile], as name: WorkerName) -> Found {
        let sections = WorkerDefinition.sectionNames
        let parsed = files.map {
            ConfigurationFile(path: $0.path, bytes: $0.bytes, sections: sections, bounds: bounds)
        }
        let context = context(for: parsed.flatMap(\.assignments), of: name)
        let reading = DefinitionReading<WorkerDefinition>(
            parsed, named: files.first?.path ?? name.fileName, context: context)
        guard let definition = reading.definition else { return .invalid(reading.diagnostics) }
        return .worker(
            LoadedWorker(
                name: name, definition: definition, files: files.map(\.path), warnings: reading.diagnostics))
    }

    /// What specifiers stand for in these assignments: `%h` is the home of the last `User=` among them.
    package func context(for assignments: [Assignment], of name: WorkerName) -> SpecifierContext {
        var context = SpecifierContext(worker: name, place: place, markers: markers)
        // Looking a user up may ask the network: only where that is wanted.
        guard assignments.contains(where: { $0.value.contains("%h") }),
            let user = assignments.last(where: { $0.section == "Worker" && $0.key == "User" })?.value,
            !user.isEmpty, let account = try? Account(parsing: user, in: context)
        else { return context }
        context.place.home = source.home(of: account)
        return context
    }

    /// The files of a name.
    package enum Files: Hashable, Sendable {
        /// None.
        case missing
        /// A mask at this path.
        case masked(path: String)
        /// The worker's file first, then its drop-ins in the order in which they count.
        case files([SourceFile])
    }

    /// The files that make up `name`, for a template too; `catalogue` shows them.
    package func files(for name: WorkerName) throws(FileSourceError) -> Files {
        let candidates = [name, name.template].compactMap { $0 }
        for candidate in candidates {
            for directory in workerDirectories.reversed() {
                let path = "\(directory)/\(candidate.fileName)"
                switch try source.kind(of: path) {
                case nil: continue
                case .null: return .masked(path: path)
                case .directory, .other: throw FileSourceError(path: path, reason: "not a regular file")
                case .file:
                    let bytes = try source.read(path, limit: bounds.file)
                    if bytes.isEmpty { return .masked(path: path) }
                    // The template's drop-ins come first, so that those of the instance go over them.
                    let folders = candidates.reversed().map { $0.fileName + ".d" }
                    return .files([SourceFile(path: path, bytes: bytes)] + (try dropIns(in: folders)))
                }
            }
        }
        return .missing
    }

    private var workerDirectories: [String] { directories.map { $0 + "/workers" } }

    /// The drop-ins of all directories by file name; of two of one name the later directory's counts, and in one
    /// directory the later folder's.
    private func dropIns(in folders: [String]) throws(FileSourceError) -> [SourceFile] {
        var paths: [String] = []
        for directory in workerDirectories { paths += folders.map { "\(directory)/\($0)" } }
        return try DropIns.collect(from: paths, source: source, limit: bounds.file)
    }

    private func isWorkerFile(_ name: String) -> Bool {
        name.utf8.count > WorkerName.suffix.utf8.count
            && name.utf8.suffix(WorkerName.suffix.utf8.count).elementsEqual(WorkerName.suffix.utf8)
    }
}

extension WorkerLoader: Sendable where Source: Sendable {}

/// The drop-ins of systemd.unit(5).
package enum DropIns {
    /// The files `*.conf` of `directories` in the order of their names; of two of one name the later directory's counts, and
    /// one that is masked counts as nothing.
    package static func collect(
        from directories: [String], source: some FileSource, limit: Int
    ) throws(FileSourceError) -> [SourceFile] {
        var paths: [String: String] = [:]
        for directory in directories {
            for name in try source.names(in: directory) where name.utf8.suffix(5).elementsEqual(".conf".utf8)
            {
                if name.utf8.first != .dot { paths[name] = "\(directory)/\(name)" }
            }
        }
        var files: [SourceFile] = []
        for (_, path) in paths.sorted(by: { precedes($0.key, $1.key) }) {
            switch try source.kind(of: path) {
            case .file: files.append(SourceFile(path: path, bytes: try source.read(path, limit: limit)))
            case .null, nil: continue
            case .directory, .other: throw FileSourceError(path: path, reason: "not a regular file")
            }
        }
        return files
    }
}

/// The order of bytes, whatever the language.
private func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
}
