internal import ConfigurationSyntax

/// The variables of a foreign file, and whether the daemon would read the same from it.
struct VariableFile {
    /// The file's path; empty where there is none.
    let path: String
    private(set) var variables: [(name: String, value: String)] = []
    private var places: [String: Int] = [:]
    /// Whether `EnvironmentFile=` means the same.
    private(set) var isPortable = false

    init(path: String = "") { self.path = path }

    /// Sets `name`; of two values the later one counts.
    mutating func add(_ name: String, _ value: String) {
        if let place = places[name] {
            variables[place].value = value
        } else {
            places[name] = variables.count
            variables.append((name, value))
        }
    }

    /// Compares what was read with what the daemon would read.
    mutating func compare(with text: String) {
        let file = EnvironmentFile(path: path, bytes: Array(text.utf8))
        guard file.diagnostics.isEmpty, file.variables.count == variables.count else { return }
        isPortable = file.variables.allSatisfy { variable in
            places[variable.name].map { variables[$0].value.isExactly(variable.value) } ?? false
        }
    }

    /// Writes the variables, and over them those of `overridden`: by reference to the file where that comes to the same.
    func write(into draft: inout WorkerDraft, overridden: [String: String], from source: ForeignLine) {
        let own = overridden.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let isWhole = overridden.keys.allSatisfy { places[$0] == nil }
        if isPortable, isWhole, !variables.isEmpty {
            let key = draft.has("EnvironmentFile")
            draft.set("EnvironmentFile", WrittenValue.plain(path), from: source)
            if !key, !draft.has("EnvironmentFile") { writeEach(into: &draft, [:], source) }
        } else {
            writeEach(into: &draft, overridden, source)
        }
        for (name, value) in own {
            draft.set("Environment", WrittenValue.variable(name, value), from: source)
        }
    }

    private func writeEach(
        into draft: inout WorkerDraft, _ overridden: [String: String], _ source: ForeignLine
    ) {
        for (name, value) in variables where overridden[name] == nil {
            draft.set(
                "Environment", WrittenValue.variable(name, value), from: ForeignLine(file: path, text: name))
        }
    }
}
