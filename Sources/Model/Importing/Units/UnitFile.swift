internal import ConfigurationSyntax
internal import WorkerFile

/// The name of a unit.
struct UnitName {
    /// The endings of the names of units.
    static let types = [
        ".service", ".socket", ".timer", ".target", ".path", ".mount", ".automount", ".swap", ".slice",
        ".scope",
    ]

    /// `web@1.service`.
    let text: String
    /// `web@1`.
    let stem: String
    /// `.service`.
    let type: String

    init?(_ text: String) {
        guard let type = Self.types.first(where: text.hasSuffix), text.utf8.count > type.utf8.count else {
            return nil
        }
        self.text = text
        self.type = type
        stem = String(decoding: text.utf8.dropLast(type.utf8.count), as: UTF8.self)
    }

    /// What stands before the `@`.
    var prefix: String { String(decoding: stem.utf8.prefix { $0 != UInt8(ascii: "@") }, as: UTF8.self) }
    /// What stands behind it; empty where that is nothing.
    var instance: String { String(decoding: stem.utf8.dropFirst(prefix.utf8.count + 1), as: UTF8.self) }
    /// Whether it is a template or an instance of one.
    var isParametric: Bool { stem.utf8.contains(UInt8(ascii: "@")) }
    /// The name of the template's file.
    var template: String { "\(prefix)@\(type)" }

    /// The directories of drop-ins, the least specific first: of the type, of prefixes that end in a dash, of the template, its own.
    var dropInDirectories: [String] {
        var names = [String(type.dropFirst()) + ".d"]
        var start: [UInt8] = []
        for byte in prefix.utf8 {
            start.append(byte)
            if byte == .dash, start.count < prefix.utf8.count {
                names.append(String(decoding: start, as: UTF8.self) + type + ".d")
            }
        }
        if isParametric, template != text { names.append(template + ".d") }
        names.append(text + ".d")
        return names
    }
}

/// A unit with its drop-ins: the settings that count, in their order.
struct UnitFile {
    struct Setting {
        let section: String
        let key: String
        let value: String
        let source: ForeignLine
    }

    let name: UnitName
    let path: String
    private(set) var settings: [Setting] = []
    private(set) var notes: [ImportNote] = []
    /// Where the settings of a section and key stand.
    private var places: [String: [Int]] = [:]

    /// Puts the unit called `name` together; later assignments go over earlier ones, an empty one takes a list back.
    init(_ name: UnitName, path: String, _ sources: [SourceFile]) throws(ImportFailure) {
        self.name = name
        self.path = path
        var places: [String: [Int]] = [:]
        var all: [Setting?] = []
        for source in sources {
            let file = ConfigurationFile(
                path: source.path, bytes: source.bytes, sections: ["Unit", "Service", "Socket", "Install"])
            for diagnostic in file.diagnostics {
                guard diagnostic.severity != .error else { throw ImportFailure(diagnostic) }
                notes.append(
                    ImportNote(ForeignLine(file: diagnostic.file, line: diagnostic.line), diagnostic.problem))
            }
            for line in file.assignments {
                let key = "\(line.section).\(line.key)"
                if line.value.isEmpty || !Self.isList(line.key) {
                    for place in places[key] ?? [] { all[place] = nil }
                    places[key] = []
                }
                guard !line.value.isEmpty else {
                    // No capability at all, where others mean that nothing is said.
                    if line.key == "CapabilityBoundingSet" {
                        notes.append(
                            ImportNote(
                                ForeignLine(file: line.file, line: line.line, text: "\(line.key)="),
                                UnitDirectives.reason(line.key)))
                    }
                    continue
                }
                places[key, default: []].append(all.count)
                all.append(
                    Setting(
                        section: line.section, key: line.key, value: line.value,
                        source: ForeignLine(
                            file: line.file, line: line.line, text: "\(line.key)=\(line.value)")))
            }
        }
        settings = all.compactMap(\.self)
        for (index, setting) in settings.enumerated() {
            self.places["\(setting.section).\(setting.key)", default: []].append(index)
        }
    }

    /// How often a key is set.
    func count(_ section: String, _ key: String) -> Int { places["\(section).\(key)"]?.count ?? 0 }

    /// The last value of a key.
    func value(_ section: String, _ key: String) -> Setting? {
        places["\(section).\(key)"]?.last.map { settings[$0] }
    }

    /// All values of a key, in their order.
    func values(_ section: String, _ key: String) -> [String] {
        places["\(section).\(key)"]?.map { settings[$0].value } ?? []
    }

    /// `text` with the specifiers that stand for the unit's own name, as other units are named by it.
    func named(_ text: String) -> String {
        let own = [("%i", name.instance), ("%I", name.instance), ("%p", name.prefix), ("%N", name.stem)]
        return own.reduce(text) { text, pair in
            text.split(separator: pair.0, omittingEmptySubsequences: false).joined(separator: pair.1)
        }
    }

    private static func isList(_ key: String) -> Bool {
        lists.contains(key) || key.hasPrefix("Exec") || key.hasPrefix("Listen") || key.hasPrefix("Condition")
            || key.hasPrefix("Assert")
    }

    private static let lists: Set<String> = [
        "After", "Before", "Requires", "Wants", "BindsTo", "Requisite", "PartOf", "Conflicts", "OnFailure",
        "OnSuccess", "Documentation", "Environment", "EnvironmentFile", "PassEnvironment", "UnsetEnvironment",
        "SuccessExitStatus", "RestartPreventExitStatus", "RestartForceExitStatus", "SupplementaryGroups",
        "StateDirectory", "RuntimeDirectory", "CacheDirectory", "LogsDirectory", "ConfigurationDirectory",
        "Sockets",
        "WantedBy", "RequiredBy", "Also", "Alias", "ReadWritePaths", "ReadOnlyPaths", "InaccessiblePaths",
        "SystemCallFilter", "RestrictAddressFamilies", "CapabilityBoundingSet", "AmbientCapabilities",
        "DeviceAllow",
        "BindPaths", "BindReadOnlyPaths", "LoadCredential", "SetCredential", "IPAddressAllow",
        "IPAddressDeny",
    ]
}

extension ImportFailure {
    init(_ diagnostic: Diagnostic) {
        self.init(
            diagnostic.file, diagnostic.line, diagnostic.problem, diagnostic.expected, key: diagnostic.key)
    }
}
