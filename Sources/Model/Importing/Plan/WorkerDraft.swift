internal import ConfigurationSyntax
internal import WorkerFile

/// A worker file in the making: each setting is checked by the directive that it becomes, and one that does not hold is noted.
struct WorkerDraft {
    /// What other drafts refer to it by.
    let id: String
    /// The name that it should have.
    let wantedName: String
    /// What it was made of, as a noun phrase with the file's path.
    let origin: String
    /// Whether the name may be that of a template or an instance.
    var mayBeInstance = false
    private(set) var settings: [Setting] = []
    private(set) var notes: [ImportNote] = []
    var references: [Reference] = []
    /// Why the command could not be set.
    private var commandProblem: String?
    /// Why no worker is to come of it at all.
    private var refusal: String?
    /// How often each key is set.
    private var counts: [String: Int] = [:]

    struct Setting {
        let section: String
        let key: String
        let value: String
        let source: ForeignLine
    }

    /// Another draft that is named by its id: a value of `After=` and its kin.
    struct Reference {
        let key: String
        let id: String
        /// What the foreign file calls it.
        let label: String
        let source: ForeignLine
    }

    init(id: String, name: String, origin: String) {
        self.id = id
        wantedName = name
        self.origin = origin.onOneLine
    }

    /// Sets `key` to `value`, or notes why it cannot.
    mutating func set(
        _ key: String, _ value: String, in section: String = "Worker", from source: ForeignLine
    ) {
        if let problem = DirectiveCheck.problem(section, key, value, isInstance: mayBeInstance) {
            if key == "ExecStart" { commandProblem = problem }
            note(source, problem)
        } else {
            settings.append(Setting(section: section, key: key, value: value, source: source))
            counts[key, default: 0] += 1
        }
    }

    /// Notes that `source` was not taken over.
    mutating func note(_ source: ForeignLine, _ reason: String) {
        notes.append(ImportNote(source, reason))
    }

    /// Notes why the command was not taken over, so that no worker comes of it.
    mutating func refuseCommand(_ source: ForeignLine, _ reason: String) {
        commandProblem = reason
        note(source, reason)
    }

    /// Sets the user that the worker runs as, or refuses the worker: without it, it would run as the supervisor's, which may be root.
    mutating func setUser(_ value: String, from source: ForeignLine) {
        set("User", value, from: source)
        if !has("User") { refuseUser(source) }
    }

    /// Notes that the user was not taken over, so that no worker comes of it.
    mutating func refuseUser(_ source: ForeignLine) {
        refusal =
            "its user cannot be taken over (\(source.text)), and without it it would run as the supervisor's user"
    }

    /// Adds the worker that becomes of the draft `id` to `key`.
    mutating func refer(_ key: String, to id: String, called label: String? = nil, from source: ForeignLine) {
        references.append(Reference(key: key, id: id, label: label ?? id, source: source))
    }

    /// Whether `key` is set.
    func has(_ key: String) -> Bool { counts[key] != nil }

    /// The worker called `name`; `names` are those of all drafts by their ids.
    ///
    /// Fails with a note where no worker file comes of it.
    func finished(as name: WorkerName, among names: [String: WorkerName]) -> Result<
        ImportedWorker, UnusableDraft
    > {
        if let refusal { return .failure(UnusableDraft(reason: refusal)) }
        var draft = self
        for reference in references {
            guard let other = names[reference.id] else {
                draft.note(reference.source, "“\(reference.label)” is not among what is imported")
                continue
            }
            guard other != name else { continue }
            draft.set(reference.key, other.text, from: reference.source)
        }
        guard draft.has("ExecStart") else {
            return .failure(UnusableDraft(reason: commandProblem ?? "no command"))
        }
        // Each round takes at least one setting away, and few contradict each other.
        for _ in 0..<16 {
            let found = DirectiveCheck.contradictions(in: draft.body, isInstance: mayBeInstance)
            if found.isEmpty { break }
            guard found.contains(where: { draft.has($0.key) }) else {
                return .failure(UnusableDraft(reason: found[0].problem))
            }
            for diagnostic in found { draft.drop(diagnostic) }
        }
        guard draft.has("ExecStart") else {
            return .failure(UnusableDraft(reason: draft.notes.last?.reason ?? "no command"))
        }
        let text = draft.text
        guard text.utf8.count <= Self.mostText else {
            return .failure(
                UnusableDraft(
                    reason:
                        "its file would have \(text.utf8.count) bytes, and the supervisor reads \(Self.mostText) at most"
                ))
        }
        return .success(
            ImportedWorker(
                name: name, origin: origin, text: text, notes: draft.notes,
                holdsVariables: draft.has("Environment")
                    || draft.notes.contains { $0.subject.text.lowercased().contains("environment") }))
    }

    /// Turns what `diagnostic` complains of into notes.
    private mutating func drop(_ diagnostic: Diagnostic) {
        let reason =
            diagnostic.expected.isEmpty
            ? diagnostic.problem : "\(diagnostic.problem); expected \(diagnostic.expected)"
        for setting in settings where setting.key == diagnostic.key {
            note(setting.source, "\(setting.key)= here: \(reason)")
        }
        settings.removeAll { $0.key == diagnostic.key }
        counts[diagnostic.key] = nil
    }

    /// The file without its comments.
    private var body: String {
        var text = ""
        for section in ["Worker", "Foreground", "Background", "Memory", "Callbacks", "Notifications"] {
            let lines = settings.filter { $0.section == section }
            guard !lines.isEmpty else { continue }
            text += "\n[\(section)]\n"
            for line in lines { text += "\(line.key)=\(line.value)\n" }
        }
        return text
    }

    private var text: String {
        var text = "# Imported by torpor import from \(origin).\n\(body)"
        guard !notes.isEmpty else { return text }
        text += "\n# Not taken over:\n"
        var size = 0
        for (index, note) in notes.enumerated() {
            let line = "# \(note)\n"
            size += line.utf8.count
            guard size <= Self.mostNotes else {
                text += "# and \(notes.count - index) more, which 'torpor import --check' lists.\n"
                break
            }
            text += line
        }
        return text
    }

    /// How many bytes of a file the supervisor reads, and how many of them are for what was not taken over.
    private static let mostText = 4 << 20
    private static let mostNotes = 1 << 20
}

/// Why no worker comes of a draft.
struct UnusableDraft: Error {
    let reason: String
}

/// Reads what is to be written as the daemon will.
enum DirectiveCheck {
    /// Why `key=value` cannot stand in a worker file, as a clause; nil where it can.
    static func problem(_ section: String, _ key: String, _ value: String, isInstance: Bool) -> String? {
        guard !value.isEmpty else { return "it is empty" }
        let file = ConfigurationFile(
            path: "", bytes: Array("[\(section)]\n\(key)=\(value)\n".utf8), sections: [section])
        guard file.diagnostics.isEmpty, file.assignments.count == 1, let line = file.assignments.first,
            line.value.isExactly(value), line.key == key
        else { return file.diagnostics.first?.problem ?? "a worker file cannot hold this value" }
        var root = WorkerDefinition()
        var found: [Diagnostic] = []
        do throws(ValueError) {
            try root.take(line, in: context(isInstance), reporting: &found)
        } catch {
            return error.expected.isEmpty ? error.problem : "\(error.problem); expected \(error.expected)"
        }
        return found.first.map { $0.expected.isEmpty ? $0.problem : "\($0.problem); expected \($0.expected)" }
    }

    /// What the daemon would say of the whole, advice apart.
    static func contradictions(in text: String, isInstance: Bool) -> [Diagnostic] {
        let file = ConfigurationFile(
            path: "", bytes: Array(text.utf8), sections: Set(WorkerDefinition.sections))
        let reading = DefinitionReading<WorkerDefinition>([file], named: "", context: context(isInstance))
        return reading.diagnostics.filter { $0.severity != .advice }
    }

    private static let worker = try? WorkerName("name")
    private static let instance = try? WorkerName("name@instance")

    private static func context(_ isInstance: Bool) -> SpecifierContext {
        var place = SpecifierContext.Place()
        // What each of them stands for is found out by the supervisor.
        (place.home, place.shell, place.user, place.group) = ("/home", "/bin/sh", "user", "group")
        (place.uid, place.gid, place.hostName) = (1000, 1000, "host")
        (place.machineID, place.bootID, place.kernelRelease, place.architecture) = ("m", "b", "v", "a")
        return SpecifierContext(
            worker: isInstance ? instance : worker, place: place, markers: [UInt8(ascii: "u")])
    }
}
