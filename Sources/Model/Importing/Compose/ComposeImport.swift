internal import ConfigurationSyntax
internal import WorkerFile

/// Workers of a compose file (the Compose Specification): its services as programs of this machine, without images.
struct ComposeImport {
    private let files: ForeignFiles
    private let context: ImportContext
    private(set) var drafts: [WorkerDraft] = []
    private(set) var notes: [ImportNote] = []
    /// What `.env` says.
    private var dotVariables: [String: String] = [:]
    /// Services of which others wait until they have done what they are for, by the ids of their drafts, and where that is said.
    var completing: [String: ForeignLine] = [:]

    init(_ files: ForeignFiles, _ context: ImportContext) {
        self.files = files
        self.context = context
    }

    /// Reads the file at `path`, an absolute one.
    mutating func read(_ path: String) throws(ImportFailure) {
        let directory = ForeignText.split(path).directory
        var variables: [String: String] = [:]
        let dot = ForeignText.path(".env", in: directory)
        if let file = try variableFile(dot, mayBeMissing: true, knowing: context.environment) {
            for (name, value) in file.variables { variables[name] = value }
        }
        dotVariables = variables
        variables.merge(context.environment) { _, own in own }
        var document = try ComposeDocument(try files.text(of: path), path: path, variables: variables)
        var services: YAMLNode?
        for entry in try document.entries(document.root, of: "") {
            switch entry.key {
            case "services": services = entry.value
            case "include":
                throw document.failure(
                    entry.value, "other files are not included", "the output of 'docker compose config'",
                    key: "include")
            default:
                if let reason = Self.reason(entry.key) { notes.append(ImportNote(entry.source, reason)) }
            }
        }
        guard let services else { throw ImportFailure(path, 0, "no services", "services: with a mapping") }
        for entry in try document.entries(services, of: "services") {
            try readService(entry, &document, in: directory)
        }
        for index in drafts.indices {
            guard let source = completing[drafts[index].id] else { continue }
            drafts[index].set("Type", "oneshot", from: source)
            if !drafts[index].has("StartLimitIntervalSec") {
                drafts[index].set("StartLimitIntervalSec", "0", from: source)
            }
            drafts[index].note(
                source,
                "it runs each time that a worker is launched which requires it, also after a crash of that one"
            )
        }
    }

    private static func reason(_ key: String) -> String? {
        switch key {
        case "version", "name": nil
        case "networks": "workers use the network of the machine"
        case "volumes": "workers use the directories of the machine"
        case "secrets", "configs": "workers read files of the machine"
        default: key.hasPrefix("x-") ? nil : "compose files have no such key"
        }
    }

    /// A file of `NAME=VALUE`, as `env_file` and `.env` are read; nil where it may be missing and is.
    ///
    /// Variables of a value that stands in no single quotes are those of `known`, or of lines before it.
    private func variableFile(
        _ path: String, mayBeMissing: Bool, knowing known: [String: String]
    ) throws(ImportFailure) -> VariableFile? {
        do throws(FileSourceError) {
            let kind = try files.kind(of: path)
            if mayBeMissing, kind == nil || kind == .null { return nil }
        } catch { throw ImportFailure(error) }
        let text = try files.text(of: path)
        var file = VariableFile(path: path)
        let lines = ForeignText.lines(text).map { String($0) }
        var (next, values) = (0, known)
        while next < lines.count {
            let index = next
            var line = lines[index].trimmed
            next += 1
            if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
            if line.hasPrefix("export ") { line = String(line.dropFirst(7)).trimmed }
            guard let mark = line.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(line[..<mark]).trimmed
            guard (try? VariableName(parsing: name)) != nil else {
                throw ImportFailure(
                    path, index + 1, "\(name.quoted) is no name of a variable", VariableName.expectation)
            }
            var value = String(line[line.utf8.index(after: mark)...]).trimmed
            // A value in quotes goes on to the line where they end.
            while Self.isOpen(value), next < lines.count {
                value += "\n" + lines[next]
                next += 1
            }
            var read = Self.unquoted(value)
            if value.utf8.first != UInt8(ascii: "'") {
                do throws(ForeignTextError) { read = try ComposeVariables.expand(read) { values[$0] } } catch
                {
                    throw ImportFailure(path, index + 1, error.problem)
                }
            }
            file.add(name, read)
            if known[name] == nil { values[name] = read }
        }
        file.compare(with: text)
        return file
    }

    /// Whether the quotes of a value have not ended.
    private static func isOpen(_ value: String) -> Bool {
        let bytes = Array(value.utf8)
        guard let mark = bytes.first, mark == UInt8(ascii: "'") || mark == UInt8(ascii: "\"") else {
            return false
        }
        var index = 1
        while index < bytes.count {
            if mark == UInt8(ascii: "\""), bytes[index] == UInt8(ascii: "\\") {
                index += 1
            } else if bytes[index] == mark {
                return false
            }
            index += 1
        }
        return true
    }

    /// The value of a line: without its quotes, or without a comment behind a blank.
    private static func unquoted(_ value: String) -> String {
        let bytes = Array(value.utf8)
        guard let mark = bytes.first, mark == UInt8(ascii: "'") || mark == UInt8(ascii: "\"") else {
            var end = bytes.count
            for index in bytes.indices.dropFirst()
            where bytes[index] == UInt8(ascii: "#") && bytes[index - 1].isBlank {
                end = index
                break
            }
            return String(decoding: bytes[..<end], as: UTF8.self).trimmed
        }
        var result: [UInt8] = []
        var index = 1
        while index < bytes.count, bytes[index] != mark {
            if mark == UInt8(ascii: "\""), bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
                index += 1
                switch bytes[index] {
                case UInt8(ascii: "n"): result.append(.newline)
                case UInt8(ascii: "t"): result.append(0x09)
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): result.append(bytes[index])
                default: result += [UInt8(ascii: "\\"), bytes[index]]
                }
            } else {
                result.append(bytes[index])
            }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    // MARK: services

    private mutating func readService(
        _ service: ComposeDocument.Entry, _ document: inout ComposeDocument, in directory: String
    )
        throws(ImportFailure)
    {
        let entries = try document.entries(service.value, of: service.key)
        var draft = WorkerDraft(
            id: "\(document.path):\(service.key)", name: service.key,
            origin: "the service “\(service.key)” in \(document.path)")
        func entry(_ key: String) -> ComposeDocument.Entry? { entries.first { $0.key == key } }
        let whole = ForeignLine(file: document.path, line: service.source.line, text: "\(service.key):")
        if let extends = entry("extends") {
            throw document.failure(
                extends.value, "other services are not extended", "the output of 'docker compose config'",
                key: "extends")
        }
        let entrypoint = try entry("entrypoint").map { entry throws(ImportFailure) in
            try document.words(entry.value, of: "entrypoint")
        }
        let command = try entry("command").map { entry throws(ImportFailure) in
            try document.words(entry.value, of: "command")
        }
        let words = (entrypoint ?? []) + (command ?? [])
        guard let program = words.first, !program.isEmpty else {
            notes.append(ImportNote(whole, "its command is in its image; give it command:"))
            return
        }
        try writeCommand(
            words, entry("working_dir"), from: (entry("entrypoint") ?? entry("command"))?.source ?? whole,
            document, &draft)
        draft.set(
            "Launch", entry("profiles") == nil ? "boot" : "on-demand",
            from: entry("profiles")?.source ?? whole)
        if entry("stop_grace_period") == nil { draft.set("TimeoutStopSec", "10s", from: whole) }
        if entry("restart") == nil { draft.set("Restart", "no", from: whole) }
        try writeEnvironment(entry("environment"), entry("env_file"), &document, in: directory, &draft)
        for entry in entries { try take(entry, &document, &draft) }
        drafts.append(draft)
    }

    private func writeCommand(
        _ words: [String], _ workingDirectory: ComposeDocument.Entry?, from source: ForeignLine,
        _ document: ComposeDocument,
        _ draft: inout WorkerDraft
    ) throws(ImportFailure) {
        var words = words
        var base = "/"
        if let entry = workingDirectory, let text = try document.text(entry.value, of: "working_dir") {
            base = ForeignText.path(text, in: "/")
            draft.set("WorkingDirectory", WrittenValue.plain(base), from: entry.source)
        }
        let program = words[0]
        if program.utf8.contains(UInt8(ascii: "/")), !program.hasPrefix("/") {
            // The program sees the name that it was given.
            words[0] = ForeignText.path(program, in: base)
            let rest = WrittenValue.command([program] + words.dropFirst())
            return draft.set("ExecStart", "@\(WrittenValue.command([words[0]])) \(rest)", from: source)
        }
        draft.set("ExecStart", WrittenValue.command(words), from: source)
    }

    /// `environment` goes over `env_file`, and of several files later ones over earlier ones.
    private func writeEnvironment(
        _ own: ComposeDocument.Entry?, _ fileEntry: ComposeDocument.Entry?, _ document: inout ComposeDocument,
        in directory: String,
        _ draft: inout WorkerDraft
    ) throws(ImportFailure) {
        var values: [String: String] = [:]
        if let own {
            for (name, value) in try document.variables(own.value, of: "environment") {
                // A name alone is one of the caller's, or of `.env`.
                guard let value = value ?? (context.environment[name] == nil ? dotVariables[name] : nil)
                else {
                    draft.set("PassEnvironment", name, from: own.source)
                    continue
                }
                guard (try? VariableName(parsing: name)) != nil else {
                    draft.note(own.source, "\(name.quoted) is no name of a variable")
                    continue
                }
                values[name] = value
            }
        }
        let source = own?.source ?? fileEntry?.source ?? ForeignLine(file: document.path)
        var found: [VariableFile] = []
        for (path, isRequired) in try variableFiles(fileEntry, &document) {
            let file = try variableFile(
                ForeignText.path(path, in: directory), mayBeMissing: !isRequired, knowing: document.variables)
            if let file { found.append(file) }
        }
        if found.count == 1 {
            found[0].write(into: &draft, overridden: values, from: source)
        } else {
            var merged = VariableFile(path: fileEntry?.source.file ?? "")
            for file in found { for (name, value) in file.variables { merged.add(name, value) } }
            merged.write(into: &draft, overridden: values, from: source)
        }
    }

    private func variableFiles(_ entry: ComposeDocument.Entry?, _ document: inout ComposeDocument)
        throws(ImportFailure) -> [(path: String, isRequired: Bool)]
    {
        guard let entry else { return [] }
        let items: [YAMLNode]
        if case .sequence(let nodes) = entry.value.content { items = nodes } else { items = [entry.value] }
        var paths: [(path: String, isRequired: Bool)] = []
        for item in items {
            if item.text != nil {
                if let path = try document.text(item, of: "env_file") { paths.append((path, true)) }
                continue
            }
            var (path, isRequired): (String?, Bool) = (nil, true)
            for part in try document.entries(item, of: "env_file") {
                if part.key == "path" { path = try document.text(part.value, of: "env_file") }
                if part.key == "required" { isRequired = part.value.text != "false" }
            }
            guard let path else { throw document.failure(item, "a file without path:", key: "env_file") }
            paths.append((path, isRequired))
        }
        return paths
    }
}
