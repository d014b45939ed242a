internal import ConfigurationSyntax
internal import Lifecycle
internal import WorkerFile

/// Reads the sections of a scenario that have a worker's name: `[Worker web]`, `[Background web]`, `[Program web]`.
///
/// What they say goes over the file that `File=` names, as a drop-in would. A template makes as many workers as
/// `Instances=` says.
struct WorkerSections<Source: FileSource> {
    private let file: ConfigurationFile
    private let loader: WorkerLoader<Source>
    /// What keeps a worker from being one.
    private(set) var problems: [Diagnostic] = []
    /// What is odd in the workers' own files.
    private(set) var warnings: [Diagnostic] = []
    /// The workers, in the order of the lines that name them first.
    private(set) var workers: [Scenario.Worker] = []

    /// What a worker's sections say, the names of the sections taken off.
    private struct Lines {
        let first: Assignment
        var definition: [Assignment] = []
        var program: [Assignment] = []
        var path: Assignment?
        var instances = 1
        var isBroken = false
        /// Whether there is a [Worker NAME], and not only a [Program NAME] or the like.
        var isDeclared = false

        mutating func take(_ line: Assignment) throws(ValueError) {
            if line.section == "Worker" { isDeclared = true }
            switch (line.section, line.key) {
            case ("Worker", "File"):
                guard !line.value.isEmpty else { throw ValueError("no path", expected: "the path of a file") }
                path = line
            case ("Worker", "Instances"):
                guard let number = Int(line.value), (1...10_000).contains(number) else {
                    throw ValueError(line.value, isNot: "a number from 1 to 10000")
                }
                instances = number
            case ("Program", _): program.append(line)
            default: definition.append(line)
            }
        }
    }

    init(
        _ file: ConfigurationFile, source: Source, place: SpecifierContext.Place
    ) {
        self.file = file
        loader = WorkerLoader(directories: [], source: source, place: place)
    }

    mutating func read() {
        var order: [String] = []
        var byName: [String: Lines] = [:]
        for line in file.assignments {
            guard let blank = line.section.utf8.firstIndex(of: UInt8(ascii: " ")) else { continue }
            let name = String(line.section[line.section.utf8.index(after: blank)...])
            if byName[name] == nil {
                byName[name] = Lines(first: line)
                order.append(name)
            }
            do throws(ValueError) {
                try byName[name]?.take(line.moved(to: String(line.section[..<blank])))
            } catch {
                problems.append(line.error(error))
                byName[name]?.isBroken = true
            }
        }
        for name in order {
            guard let lines = byName[name], !lines.isBroken else { continue }
            do throws(ValueError) { try make(name, lines) } catch {
                problems.append(lines.first.error(error))
            }
        }
    }

    private mutating func make(_ text: String, _ lines: Lines) throws(ValueError) {
        let name = try WorkerName(text)
        guard !(ScheduledEvent.Bounds.words + ScheduledEvent.machineWords).contains(text) else {
            throw ValueError("\(text.quoted) is reserved in [Events]", expected: "another name")
        }
        guard lines.isDeclared else {
            throw ValueError(
                "[Worker \(text)] does not exist", expected: "one with at least one line, such as Type=simple"
            )
        }
        if lines.instances != 1, !name.isTemplate {
            throw ValueError("instances of \(text.quoted), which is not a template", expected: "a name NAME@")
        }
        guard workers.count + lines.instances <= 10_000 else {
            throw ValueError("too many workers", expected: "at most 10000, including all instances")
        }
        guard let files = files(lines.path) else { return }
        for number in 1...lines.instances {
            let instance = name.isTemplate ? try name.instance(String(number)) : name
            guard add(instance, lines, files) else { return }
        }
    }

    /// The file that `File=` names and the drop-ins beside it, none where it is left out; nil when it cannot be read.
    private mutating func files(_ line: Assignment?) -> [SourceFile]? {
        guard let line else { return [] }
        var path = line.value
        if path.utf8.first != UInt8(ascii: "/"), let slash = file.path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            path = String(file.path[...slash]) + path
        }
        do throws(FileSourceError) {
            let bytes = try loader.source.read(path, limit: loader.bounds.file)
            let dropIns = try DropIns.collect(
                from: [path + ".d"], source: loader.source, limit: loader.bounds.file)
            return [SourceFile(path: path, bytes: bytes)] + dropIns
        } catch {
            problems.append(line.error(ValueError(error.description, expected: "a worker's file")))
            return nil
        }
    }

    /// Adds one worker; false when its lines are wrong, as they would be for the next instance too.
    private mutating func add(_ name: WorkerName, _ lines: Lines, _ files: [SourceFile]) -> Bool {
        let context = SpecifierContext(worker: name, place: loader.place)
        let parsed = files.map {
            ConfigurationFile(path: $0.path, bytes: $0.bytes, sections: Set(WorkerDefinition.sections))
        }
        // A simulated program needs no command.
        let command = Assignment(
            section: "Worker", key: "ExecStart", value: "/bin/true", file: file.path, line: lines.first.line)
        let needsCommand =
            files.isEmpty && !lines.definition.contains { $0.section == "Worker" && $0.key == "ExecStart" }
        let definition = DefinitionReading<WorkerDefinition>(
            (needsCommand ? [command] : []) + parsed.flatMap(\.assignments) + lines.definition,
            after: parsed.flatMap(\.diagnostics), named: files.first?.path ?? file.path, context: context)
        let program = DefinitionReading<Program>(lines.program, named: file.path, context: context)
        // A scenario fires hooks and sees use by itself.
        let found = (definition.diagnostics + program.diagnostics).filter { $0.severity != .advice }
        let wrong = found.filter { $0.file == file.path || $0.severity == .error }
        for warning in found where !wrong.contains(warning) && !warnings.contains(warning) {
            warnings.append(warning)
        }
        guard wrong.isEmpty, let definition = definition.definition, let program = program.definition else {
            problems += wrong
            return false
        }
        workers.append(
            Scenario.Worker(
                name: name.text, definition: definition, policy: Policy(definition), program: program))
        return true
    }
}

extension Assignment {
    /// The same line in another section.
    fileprivate func moved(to section: String) -> Assignment {
        Assignment(section: section, key: key, value: value, file: file, line: line)
    }
}
