internal import ConfigurationSyntax
internal import WorkerFile

/// Workers of systemd's services, with their drop-ins and sockets (systemd.unit(5), systemd.service(5), systemd.socket(5)).
struct UnitImport {
    private let files: ForeignFiles
    private let context: ImportContext
    private(set) var drafts: [WorkerDraft] = []
    private(set) var notes: [ImportNote] = []
    /// The services by name, and where they stand in `drafts`.
    private var places: [String: Int] = [:]
    private var seen: Set<String> = []
    /// `Before=`: which draft is to wait for which unit.
    private var later: [(service: String, before: String, source: ForeignLine)] = []
    /// The sockets of a service, by its name.
    private var sockets: [String: [UnitFile]] = [:]
    private var services: [UnitFile] = []
    /// Sockets that lie beside services, and were not asked for.
    private var besides: [(name: String, note: ImportNote)] = []

    init(_ files: ForeignFiles, _ context: ImportContext) {
        self.files = files
        self.context = context
    }

    /// Reads the unit at `path`, an absolute one.
    mutating func read(_ path: String) throws(ImportFailure) {
        let (directory, file) = ForeignText.split(path)
        guard let name = UnitName(file) else {
            throw ImportFailure(path, 0, "no unit", "a file NAME.service or NAME.socket")
        }
        try read(name, in: directory, isAsked: true)
    }

    private mutating func read(_ name: UnitName, in directory: String, isAsked: Bool) throws(ImportFailure) {
        guard !seen.contains(name.text) else { return }
        let whole = "\(directory)/\(name.text)"
        switch name.type {
        case ".service":
            guard let unit = try load(name, in: directory, isAsked: isAsked) else { return }
            services.append(unit)
            for socket in socketNames(of: unit) { try read(socket, in: directory, isAsked: false) }
            try noteSocket(beside: name, in: directory)
        case ".socket":
            guard let unit = try load(name, in: directory, isAsked: isAsked) else { return }
            let service = unit.named(unit.value("Socket", "Service")?.value ?? "\(name.stem).service")
            if let accept = unit.value("Socket", "Accept"),
                ["yes", "true", "on", "1"].contains(accept.value.lowercased())
            {
                notes.append(
                    ImportNote(
                        accept.source,
                        "a process for each connection has no counterpart; the socket was not taken over"))
                return
            }
            sockets[service, default: []].append(unit)
            guard let other = UnitName(service), other.type == ".service" else { return }
            try read(other, in: directory, isAsked: false)
        default:
            seen.insert(name.text)
            notes.append(ImportNote(ForeignLine(file: whole), Self.reason(name.type)))
        }
    }

    /// The sockets that a service names: those are started with it.
    private func socketNames(of unit: UnitFile) -> [UnitName] {
        let keys = [
            ("Service", "Sockets"), ("Unit", "Requires"), ("Unit", "Wants"), ("Unit", "BindsTo"),
            ("Install", "Also"),
        ]
        return keys.flatMap { unit.values($0.0, $0.1) }.flatMap { $0.split(whereSeparator: \.isWhitespace) }
            .compactMap { UnitName(unit.named(String($0))) }.filter { $0.type == ".socket" }
    }

    /// Says that there is a socket that may or may not be in use.
    private mutating func noteSocket(beside name: UnitName, in directory: String) throws(ImportFailure) {
        guard let socket = UnitName("\(name.stem).socket") else { return }
        let path = "\(directory)/\(socket.text)"
        do throws(FileSourceError) {
            guard !seen.contains(socket.text), try files.kind(of: path) == .file else { return }
        } catch { throw ImportFailure(error) }
        besides.append(
            (
                socket.text,
                ImportNote(ForeignLine(file: path), "give it to torpor import as well where it is enabled")
            ))
    }

    private static func reason(_ type: String) -> String {
        switch type {
        case ".timer":
            "timers have no counterpart; Modes=fetch and Modes=processing wake or launch a worker again and again"
        case ".path": "WatchPaths= and Modes=path in the worker's file take its place"
        case ".target": "targets have no counterpart; Wants= names workers"
        default: "units of the type \(type) have no counterpart"
        }
    }

    /// The unit with its drop-ins; nil where it is masked, or not there and not asked for.
    private mutating func load(_ name: UnitName, in directory: String, isAsked: Bool) throws(ImportFailure)
        -> UnitFile?
    {
        do throws(FileSourceError) {
            for candidate in [name.text] + (name.isParametric ? [name.template] : []) {
                let path = "\(directory)/\(candidate)"
                switch try files.kind(of: path) {
                case nil: continue
                case .null:
                    seen.insert(name.text)
                    notes.append(ImportNote(ForeignLine(file: path), "the unit is masked"))
                    return nil
                case .directory, .other: throw FileSourceError(path: path, reason: "is not a regular file")
                case .file:
                    seen.insert(name.text)
                    let source = SourceFile(path: path, bytes: try files.bytes(of: path))
                    return try unit(
                        name, path, [source] + (try files.dropIns(in: dropInDirectories(name, directory))))
                }
            }
        } catch { throw ImportFailure(error) }
        if isAsked { throw ImportFailure("\(directory)/\(name.text)", 0, "no such file") }
        return nil
    }

    private func unit(_ name: UnitName, _ path: String, _ sources: [SourceFile]) throws(FileSourceError)
        -> UnitFile
    {
        do throws(ImportFailure) { return try UnitFile(name, path: path, sources) } catch {
            throw FileSourceError(
                path: error.diagnostic.line > 0
                    ? "\(error.diagnostic.file):\(error.diagnostic.line)" : error.diagnostic.file,
                reason: error.diagnostic.problem)
        }
    }

    /// Where drop-ins of a unit in `directory` are: beside it, and for a unit of the system's directories in all of them.
    private func dropInDirectories(_ name: UnitName, _ directory: String) -> [String] {
        var roots = [directory]
        for kind in ["system", "user"] {
            let usual = [
                "/usr/lib/systemd", "/lib/systemd", "/usr/local/lib/systemd", "/run/systemd", "/etc/systemd",
            ].map { "\($0)/\(kind)" }
            if usual.contains(directory) { roots = usual }
        }
        return name.dropInDirectories.flatMap { folder in roots.map { "\($0)/\(folder)" } }
    }

    // MARK: drafts

    /// Makes workers of all that was read.
    mutating func finish() {
        for service in services { draft(service) }
        notes += besides.filter { !seen.contains($0.name) }.map(\.note)
        for (name, units) in sockets where !services.contains(where: { $0.name.text == name }) {
            for unit in units {
                notes.append(
                    ImportNote(
                        ForeignLine(file: unit.path), "its service \(name) is not among what is imported"))
            }
        }
        for order in later {
            if let place = places[order.before] {
                drafts[place].refer("After", to: order.service, from: order.source)
            } else if let place = places[order.service] {
                drafts[place].note(order.source, "“\(order.before)” is not among what is imported")
            }
        }
    }

    private mutating func draft(_ unit: UnitFile) {
        let name = unit.name
        var draft = WorkerDraft(id: name.text, name: name.stem, origin: unit.path)
        draft.mayBeInstance = name.isParametric
        for note in unit.notes { draft.note(note.subject, note.reason) }
        guard let type = kind(of: unit, &draft) else { return }
        if type != "simple" {
            draft.set(
                "Type", type, from: unit.value("Service", "Type")?.source ?? ForeignLine(file: unit.path))
        }
        for setting in unit.settings {
            switch setting.section {
            case "Unit": take(unit: setting, of: name, &draft)
            case "Service": take(service: setting, of: unit, &draft)
            case "Install": take(install: setting, of: name, &draft)
            default: draft.note(setting.source, "a service has no such section")
            }
        }
        let order = socketNames(of: unit).map(\.text)
        let own = (sockets[name.text] ?? []).enumerated().sorted { one, other in
            let places = [one, other].map { order.firstIndex(of: $0.element.name.text) ?? order.count }
            return (places[0], one.offset) < (places[1], other.offset)
        }
        for (index, socket) in own.enumerated() {
            take(socket.element, after: index > 0 ? own[0].element : nil, &draft)
        }
        places[name.text] = drafts.count
        drafts.append(draft)
    }

    /// The type as a worker has it; nil, with a note, where such a service cannot be a worker.
    private mutating func kind(of unit: UnitFile, _ draft: inout WorkerDraft) -> String? {
        let setting = unit.value("Service", "Type")
        let source = setting?.source ?? ForeignLine(file: unit.path)
        switch setting?.value {
        case nil:
            if unit.value("Service", "ExecStart") == nil, unit.value("Service", "ExecStop") != nil {
                return "oneshot"
            }
            return "simple"
        case "simple", "exec", "oneshot", "notify": return setting?.value
        case "notify-reload":
            draft.note(source, "Type=notify; a reload is sent by ExecReload=")
            return "notify"
        case "idle", "dbus":
            draft.note(source, "Type=simple: it is ready when its program is started")
            return "simple"
        case "forking":
            notes.append(
                ImportNote(
                    source,
                    "a service that forks has no counterpart; let it stay in the foreground, with Type=simple or notify"
                ))
            return nil
        default:
            notes.append(ImportNote(source, "systemd has no such type"))
            return nil
        }
    }

    private func translated(
        _ setting: UnitFile.Setting, of name: UnitName, inCommand: Bool, _ draft: inout WorkerDraft
    ) -> String? {
        do throws(ForeignTextError) {
            return try UnitSpecifiers(unit: name, isSystem: context.isSystem).translate(
                setting.value, inCommand: inCommand)
        } catch {
            draft.note(setting.source, error.problem)
            return nil
        }
    }

    private mutating func take(unit setting: UnitFile.Setting, of name: UnitName, _ draft: inout WorkerDraft)
    {
        switch setting.key {
        case "Description":
            if let text = translated(setting, of: name, inCommand: false, &draft) {
                draft.set("Description", text, from: setting.source)
            }
        case "After", "Requires", "Wants", "BindsTo", "OnFailure", "Before":
            take(references: setting, of: name, &draft)
        case "StartLimitIntervalSec", "StartLimitInterval":
            draft.set("StartLimitIntervalSec", setting.value, from: setting.source)
        case "StartLimitBurst": draft.set("StartLimitBurst", setting.value, from: setting.source)
        default: draft.note(setting.source, UnitDirectives.reason(setting.key))
        }
    }

    private mutating func take(
        references setting: UnitFile.Setting, of name: UnitName, _ draft: inout WorkerDraft
    ) {
        guard let text = translated(setting, of: name, inCommand: false, &draft) else { return }
        var others: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace).map(String.init) {
            guard let other = UnitName(word), other.type == ".service" else {
                if word != "\(name.stem).socket" { others.append(word) }
                continue
            }
            switch setting.key {
            case "Before": later.append((name.text, other.text, setting.source))
            case "BindsTo": draft.refer("Requires", to: other.text, from: setting.source)
            default: draft.refer(setting.key, to: other.text, from: setting.source)
            }
        }
        if !others.isEmpty {
            draft.note(setting.source, "\(others.joined(separator: " ")): only services have a counterpart")
        }
    }

    private mutating func take(
        service setting: UnitFile.Setting, of unit: UnitFile, _ draft: inout WorkerDraft
    ) {
        switch setting.key {
        case "Type", "Sockets": return
        case "ExecStart":
            guard let text = translated(setting, of: unit.name, inCommand: true, &draft) else { return }
            for command in CommandLines.split(text) { draft.set("ExecStart", command, from: setting.source) }
        case "ExecStop": takeStop(setting, of: unit, &draft)
        case "User":
            guard let text = translated(setting, of: unit.name, inCommand: false, &draft) else {
                return context.isSystem ? draft.refuseUser(setting.source) : ()
            }
            if context.isSystem {
                draft.setUser(text, from: setting.source)
            } else {
                draft.set("User", text, from: setting.source)
            }
        case "DynamicUser" where ["yes", "true", "on", "1"].contains(setting.value.lowercased()):
            guard unit.value("Service", "User") == nil else {
                return draft.note(setting.source, "no user is made for it: User= has to exist")
            }
            draft.set("User", "nobody", from: setting.source)
            draft.note(
                setting.source,
                "no user is made for it: it runs as nobody; give it a user of its own with User=")
        case "KillMode" where setting.value == "control-group": return
        case "SendSIGKILL" where ["yes", "true", "on", "1"].contains(setting.value.lowercased()): return
        default:
            guard let counterpart = UnitDirectives.counterpart(ofService: setting.key) else {
                return draft.note(setting.source, UnitDirectives.reason(setting.key))
            }
            take(setting, as: counterpart, of: unit.name, &draft)
        }
    }

    /// One command that ends the service is the hook that ends the worker.
    private func takeStop(_ setting: UnitFile.Setting, of unit: UnitFile, _ draft: inout WorkerDraft) {
        guard let text = translated(setting, of: unit.name, inCommand: true, &draft) else { return }
        guard unit.count("Service", "ExecStop") == 1, CommandLines.split(text).count == 1,
            unit.value("Service", "Type")?.value != "oneshot"
        else {
            return draft.note(setting.source, "one command can end a worker: WillTerminate= in [Callbacks]")
        }
        draft.set("WillTerminate", "exec:\(text)", in: "Callbacks", from: setting.source)
    }

    private func take(
        _ setting: UnitFile.Setting, as counterpart: UnitDirectives.Counterpart, of name: UnitName,
        _ draft: inout WorkerDraft
    ) {
        var text = setting.value
        if counterpart.takesSpecifiers {
            guard let other = translated(setting, of: name, inCommand: counterpart.isCommand, &draft) else {
                return
            }
            text = other
        }
        for value in counterpart.isCommand ? CommandLines.split(text) : [text] {
            draft.set(counterpart.key, value, in: counterpart.section, from: setting.source)
        }
    }

    private func take(install setting: UnitFile.Setting, of name: UnitName, _ draft: inout WorkerDraft) {
        guard ["WantedBy", "RequiredBy"].contains(setting.key) else {
            return draft.note(setting.source, UnitDirectives.reason(setting.key))
        }
        guard setting.value.split(whereSeparator: \.isWhitespace).contains(where: { $0.hasSuffix(".target") })
        else {
            return draft.note(setting.source, "add the worker to Wants= or Requires= of the other one")
        }
        if name.stem.hasSuffix("@") {
            draft.note(setting.source, "give Launch=boot to those of its instances that are enabled")
        } else if !draft.has("Launch") {
            draft.set("Launch", "boot", from: setting.source)
        }
    }

    private func take(_ socket: UnitFile, after first: UnitFile?, _ draft: inout WorkerDraft) {
        for note in socket.notes { draft.note(note.subject, note.reason) }
        let isFirst = first == nil
        if let first {
            draft.note(
                ForeignLine(file: socket.path),
                "all sockets of a worker have the name in LISTEN_FDNAMES and the settings of \(first.name.text): tell them apart by their addresses"
            )
        }
        for setting in socket.settings {
            switch (setting.section, setting.key) {
            case ("Unit", "Description"), ("Socket", "Service"), ("Socket", "Accept"),
                ("Install", "WantedBy"):
                continue
            case ("Socket", _):
                guard let counterpart = UnitDirectives.counterpart(ofSocket: setting.key) else {
                    draft.note(setting.source, UnitDirectives.reason(setting.key))
                    continue
                }
                if let first, !setting.key.hasPrefix("Listen") {
                    if first.value("Socket", setting.key)?.value != setting.value {
                        draft.note(
                            setting.source,
                            "all sockets of a worker have the same settings; those of the first unit count")
                    }
                    continue
                }
                take(setting, as: counterpart, of: socket.name, &draft)
            default: draft.note(setting.source, "sockets are opened when the worker is defined")
            }
        }
        // In LISTEN_FDNAMES a socket has its unit's name by default.
        if isFirst, !draft.has("FileDescriptorName") {
            draft.set(
                "FileDescriptorName", socket.name.text, in: "Foreground", from: ForeignLine(file: socket.path)
            )
        }
    }
}

/// Several commands in one line, divided by a `;` as a word of its own (systemd.service(5), "Command lines").
enum CommandLines {
    static func split(_ text: String) -> [String] {
        guard text.utf8.contains(UInt8(ascii: ";")) else { return [text] }
        let bytes = Array(text.utf8)
        var commands: [String] = []
        var start = 0
        var quote: UInt8?
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\\") {
                index += 1
            } else if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if quote == nil, byte == UInt8(ascii: ";"), index > 0, bytes[index - 1].isBlank,
                index + 1 == bytes.count || bytes[index + 1].isBlank
            {
                commands.append(String(decoding: bytes[start..<index], as: UTF8.self).trimmed)
                start = index + 1
            }
            index += 1
        }
        commands.append(String(decoding: bytes[min(start, bytes.count)...], as: UTF8.self).trimmed)
        return commands.filter { !$0.isEmpty }
    }
}
