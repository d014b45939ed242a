package import ConfigurationSyntax

/// Finds and reads `torpord.conf` and `torpord.conf.d/*.conf`.
package struct DaemonLoader<Source: FileSource> {
    /// The configuration directories; later ones win.
    package let directories: [String]
    /// Where files come from.
    package let source: Source
    /// What specifiers stand for.
    package var place: SpecifierContext.Place
    /// Bounds on what is read.
    package var bounds = ConfigurationFile.Bounds()

    /// A loader of what is in `directories`.
    package init(directories: [String], source: Source, place: SpecifierContext.Place = .init()) {
        self.directories = directories
        self.source = source
        self.place = place
    }

    /// Reads the configuration; none at all is one of defaults.
    ///
    /// `torpord.conf` comes from the last directory that has it, the drop-ins from all of them.
    package func load() -> DefinitionReading<DaemonDefinition> {
        do throws(FileSourceError) {
            let sections = Set(DaemonDefinition.sections)
            let files = try files().map {
                ConfigurationFile(path: $0.path, bytes: $0.bytes, sections: sections, bounds: bounds)
            }
            return DefinitionReading(files, named: "torpord.conf", context: SpecifierContext(place: place))
        } catch {
            return DefinitionReading(
                failure: Diagnostic(.error, file: error.path, problem: error.description))
        }
    }

    /// The files that count, in the order in which they do.
    package func files() throws(FileSourceError) -> [SourceFile] {
        var files: [SourceFile] = []
        for directory in directories.reversed() {
            let path = directory + "/torpord.conf"
            guard let kind = try source.kind(of: path) else { continue }
            switch kind {
            case .file: files.append(SourceFile(path: path, bytes: try source.read(path, limit: bounds.file)))
            case .null: break
            case .directory, .other: throw FileSourceError(path: path, reason: "not a regular file")
            }
            break
        }
        let folders = directories.map { $0 + "/torpord.conf.d" }
        return files + (try DropIns.collect(from: folders, source: source, limit: bounds.file))
    }
}
