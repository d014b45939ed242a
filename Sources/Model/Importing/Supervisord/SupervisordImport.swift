internal import ConfigurationSyntax
internal import WorkerFile

/// Workers of supervisord.conf and the files that it includes (supervisord's manual, "Configuration File").
struct SupervisordImport {
    private let files: ForeignFiles
    private let context: ImportContext
    private(set) var drafts: [WorkerDraft] = []
    private(set) var notes: [ImportNote] = []
    private var ini = IniFile()
    /// `%(ENV_NAME)s`: the caller's environment, then `environment=` of [supervisord].
    private var environment: [String: String]
    private var common: [(name: String, value: String)] = []
    /// Programs that were taken, with what they are ordered by.
    private var order: [(draft: Int, group: Int, program: Int)] = []
    private var hasPriorities = false

    init(_ files: ForeignFiles, _ context: ImportContext) {
        self.files = files
        self.context = context
        environment = context.environment
    }

    /// Reads the file at `path`, an absolute one, and all that it includes.
    mutating func read(_ path: String) throws(ImportFailure) {
        try ini.read(try files.text(of: path), path: path)
        try include(from: path)
        try readMain()
        var grouped: Set<String> = []
        notes.append(ImportNote(ForeignLine(file: path), ForeignText.inheritance("supervisord")))
        for section in ini.sections where section.name.hasPrefix("group:") {
            try readGroup(section, &grouped)
        }
        for section in ini.sections where !grouped.contains(section.name) {
            if section.name.hasPrefix("program:") {
                try readProgram(section, group: section.label, priority: nil)
            } else {
                noteSection(section)
            }
        }
        orderByPriority()
    }

    // MARK: the files

    private mutating func include(from path: String) throws(ImportFailure) {
        guard let section = ini["include"] else { return }
        guard let option = section["files"] else {
            throw ImportFailure(path, section.source.line, "[include] without files=")
        }
        let directory = ForeignText.split(path).directory
        var seen: Set<String> = [path]
        for pattern in try expanded(option, here: directory).split(whereSeparator: \.isWhitespace) {
            let whole = ForeignText.path(String(pattern), in: directory)
            let found: [String]
            do throws(FileSourceError) { found = try ForeignGlob.paths(of: whole, in: files) } catch {
                throw ImportFailure(error)
            }
            if found.isEmpty { notes.append(ImportNote(option.source, "no file matches \(whole)")) }
            for file in found {
                guard seen.insert(file).inserted else {
                    notes.append(ImportNote(option.source, "\(file) is included a second time"))
                    continue
                }
                try ini.read(try files.text(of: file), path: file)
                if let inner = ini["include"]?["files"], inner.source.file == file {
                    notes.append(
                        ImportNote(inner.source, "supervisord reads no [include] of an included file"))
                }
            }
        }
    }

    private func expanded(_ option: IniFile.Option, here: String? = nil, _ more: [String: String] = [:])
        throws(ImportFailure) -> String
    {
        do throws(ForeignTextError) {
            return try PythonFormat.expand(option.value) { name in
                if let value = more[name] { return value }
                switch name {
                case "here": return here ?? option.here
                case "host_node_name": return context.hostName
                default: return name.hasPrefix("ENV_") ? environment[String(name.dropFirst(4))] : nil
                }
            }
        } catch { throw ImportFailure(option.source, error) }
    }

    // MARK: [supervisord]

    /// What applies to every program.
    private mutating func readMain() throws(ImportFailure) {
        guard let main = ini["supervisord"] else { return }
        for option in main.options {
            switch option.name {
            case "environment":
                common = try Self.variables(try expanded(option), option.source)
                for (name, value) in common { environment[name] = value }
            case "minfds", "umask", "directory", "nodaemon": continue
            default:
                notes.append(
                    ImportNote(option.source, Self.mainReasons[option.name] ?? "concerns supervisord itself"))
            }
        }
    }

    private static let mainReasons = [
        "user": "the supervisor's own user; each worker has User=",
        "minprocs": "the limit of processes is the supervisor's; a worker has TasksMax= and LimitNPROC=",
        "loglevel": "LogLevel= in torpord.conf",
        "logfile": "torpord logs to the journal", "logfile_maxbytes": "torpord logs to the journal",
        "logfile_backups": "torpord logs to the journal",
        "childlogdir": "output goes to the journal",
        "pidfile": "torpord has no pid file",
    ]

    private func setCommon(in draft: inout WorkerDraft, of section: IniFile.Section) {
        guard let main = ini["supervisord"] else { return }
        if let option = main["minfds"], let count = ForeignText.integer(option.value), count > 1024 {
            // It raises the soft limit; the hard one of a service is 524288 (systemd.exec(5)).
            draft.set(
                "LimitNOFILE", count < 524_288 ? "\(count):524288" : "\(count)", from: option.source)
        }
        // Only a supervisord in the background changes its own mask and directory.
        guard main["nodaemon"].map({ !Self.isTrue($0.value) }) ?? true else { return }
        if section["umask"] == nil, let option = main["umask"] {
            draft.set("UMask", Self.octal(option.value), from: option.source)
        }
        if section["directory"] == nil, let option = main["directory"] {
            draft.set("WorkingDirectory", WrittenValue.plain(option.value), from: option.source)
        }
    }

    /// The sections that are no programs.
    private mutating func noteSection(_ section: IniFile.Section) {
        let kind = section.name.prefix { $0 != ":" }
        let reason: String
        switch kind {
        case "supervisord", "include", "group": return
        case "eventlistener":
            reason = "event listeners have no counterpart; 'torpor watch --json=short' tells of every change"
        case "fcgi-program":
            reason = "a socket as standard input has no counterpart; ListenStream= passes it as descriptor 3"
        case "unix_http_server", "inet_http_server", "rpcinterface":
            reason = "the control socket of torpord takes its place"
        case "supervisorctl", "ctlplugin": reason = "'torpor' finds the supervisor by itself"
        default: reason = "supervisord has no such section"
        }
        notes.append(ImportNote(section.source, reason))
    }

    // MARK: groups and programs

    private mutating func readGroup(_ section: IniFile.Section, _ grouped: inout Set<String>)
        throws(ImportFailure)
    {
        let priority =
            try section["priority"].map { option throws(ImportFailure) in try number(option) } ?? 999
        if section["priority"] != nil { hasPriorities = true }
        guard let option = section["programs"] else {
            throw ImportFailure(
                section.source.file, section.source.line, "[\(section.name)] without programs=")
        }
        for part in try expanded(option).split(separator: ",") {
            let name = String(part).trimmed
            if ini["program:\(name)"] == nil, let program = ini["fcgi-program:\(name)"] {
                grouped.insert(program.name)
                noteSection(program)
                continue
            }
            guard let program = ini["program:\(name)"] else {
                throw ImportFailure(
                    option.source.file, option.source.line, "the program \(name.quoted) is not defined",
                    key: "programs")
            }
            guard grouped.insert(program.name).inserted else {
                notes.append(
                    ImportNote(option.source, "\(name) is in another group already: it becomes one worker"))
                continue
            }
            try readProgram(program, group: section.label, priority: priority)
        }
        notes.append(
            ImportNote(
                section.source,
                "groups have no counterpart; verbs take the names of several workers, and patterns"))
        for other in section.options where other.name != "programs" && other.name != "priority" {
            notes.append(ImportNote(other.source, "supervisord has no such option of a group"))
        }
    }

    private mutating func readProgram(_ section: IniFile.Section, group: String, priority: Int?)
        throws(ImportFailure)
    {
        let name = section.label
        guard !name.isEmpty,
            !name.utf8.contains(where: { $0.isBlank || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") })
        else {
            throw ImportFailure(
                section.source.file, section.source.line, "\(name.quoted) is no name of a program")
        }
        guard section["command"] != nil else {
            throw ImportFailure(section.source.file, section.source.line, "[\(section.name)] has no command")
        }
        let count = try section["numprocs"].map { option throws(ImportFailure) in try number(option) } ?? 1
        let first =
            try section["numprocs_start"].map { option throws(ImportFailure) in try number(option) } ?? 0
        guard count > 0 else {
            throw ImportFailure(
                section.source.file, section.source.line, "numprocs=\(count) starts no process",
                "a number from 1 on", key: "numprocs")
        }
        guard count <= Self.mostProcesses, (0...1_000_000_000).contains(first),
            drafts.count + count <= Self.mostProcesses
        else {
            throw ImportFailure(
                section.source.file, section.source.line, "\(count) processes from \(first) on",
                "at most \(Self.mostProcesses) processes together", key: "numprocs")
        }
        if count > 1, !(section["process_name"]?.value.contains("%(process_num)") ?? false) {
            throw ImportFailure(
                section.source.file, section.source.line, "numprocs=\(count) needs process_name=",
                "%(process_num)d in it", key: "process_name")
        }
        let size =
            section.options.reduce(0) { $0 + $1.value.utf8.count }
            + common.reduce(0) { $0 + $1.value.utf8.count }
        guard size * count <= 64 << 20 else {
            throw ImportFailure(
                section.source.file, section.source.line, "its processes exceed 64 MiB of settings",
                key: "numprocs")
        }
        let own = try section["priority"].map { option throws(ImportFailure) in try number(option) } ?? 999
        if section["priority"] != nil { hasPriorities = true }
        for index in first..<(first + count) {
            try readProcess(section, group: group, index, of: count)
            order.append((drafts.count - 1, priority ?? own, own))
        }
    }

    private static let mostProcesses = 10_000

    /// One process of a program.
    private mutating func readProcess(_ section: IniFile.Section, group: String, _ index: Int, of count: Int)
        throws(ImportFailure)
    {
        var names = [
            "program_name": section.label, "group_name": group, "process_num": "\(index)",
            "numprocs": "\(count)",
        ]
        let own =
            try section["environment"].map { option throws(ImportFailure) in
                try Self.variables(try expanded(option, names), option.source)
            } ?? []
        for (name, value) in own { names["ENV_\(name)"] = value }
        let name =
            try section["process_name"].map { option throws(ImportFailure) in try expanded(option, names) }
            ?? section.label
        var draft = WorkerDraft(
            id: "\(group):\(name)", name: name.trimmed,
            origin: "[\(section.name)] in \(section.source.file)")
        let values = try Program(section) { option throws(ImportFailure) in try expanded(option, names) }
        var variables = VariableFile()
        for (name, value) in common + own { variables.add(name, value) }
        try values.write(into: &draft, variables.variables)
        setCommon(in: &draft, of: section)
        drafts.append(draft)
    }

    private func number(_ option: IniFile.Option) throws(ImportFailure) -> Int {
        guard let number = ForeignText.integer(option.value) else {
            throw ImportFailure(
                option.source.file, option.source.line, "got \(option.value.quoted)", "an integer",
                key: option.name)
        }
        return number
    }

    /// The start order: what has a lower priority is started before, and stopped after.
    private mutating func orderByPriority() {
        guard hasPriorities else { return }
        let sorted = order.sorted { ($0.group, $0.program) < ($1.group, $1.program) }
        var levels: [[Int]] = []
        var last: (Int, Int)?
        for entry in sorted {
            if let last, last == (entry.group, entry.program) {
                levels[levels.count - 1].append(entry.draft)
            } else {
                levels.append([entry.draft])
            }
            last = (entry.group, entry.program)
        }
        guard levels.count > 1 else { return }
        let edges = zip(levels, levels.dropFirst()).reduce(0) { $0 + $1.0.count * $1.1.count }
        for (before, after) in zip(levels, levels.dropFirst()) {
            for index in after {
                let source = ForeignLine(file: drafts[index].origin, line: 0, text: "priority")
                guard edges <= 2000 else {
                    drafts[index].note(source, "too many programs to be ordered one by one; use After=")
                    continue
                }
                for other in before { drafts[index].refer("After", to: drafts[other].id, from: source) }
            }
        }
    }

    // MARK: values

    static func isTrue(_ text: String) -> Bool { ["yes", "true", "on", "1"].contains(text.lowercased()) }

    static func octal(_ text: String) -> String {
        text.lowercased().hasPrefix("0o") ? String(text.dropFirst(2)) : text
    }

    /// `KEY="value",KEY2=value2`.
    static func variables(_ text: String, _ source: ForeignLine) throws(ImportFailure) -> [(
        name: String, value: String
    )] {
        let tokens: [String]
        do throws(ForeignTextError) { tokens = try ShellWords.split(text, .supervisord) } catch {
            throw ImportFailure(source, error)
        }
        var variables: [(name: String, value: String)] = []
        var index = 0
        while index < tokens.count {
            guard index + 2 < tokens.count, tokens[index + 1] == "=" else {
                throw ImportFailure(
                    source.file, source.line, "\(tokens[index].quoted) is no assignment",
                    "KEY=\"value\",KEY2=\"value2\"", key: "environment")
            }
            let value = tokens[index + 2].utf8.drop { $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\"") }
            let end = value.lastIndex { $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\"") }
            variables.append(
                (tokens[index], end.map { String(decoding: value[...$0], as: UTF8.self) } ?? ""))
            index += 4
        }
        return variables
    }
}
