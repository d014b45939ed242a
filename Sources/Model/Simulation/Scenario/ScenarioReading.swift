package import ConfigurationSyntax
internal import Lifecycle
package import WorkerFile

/// A scenario as it was read: the whole of it, or what is wrong with it.
///
/// In the scenario's own file everything odd is an error. The files of workers that it refers to are read as the daemon
/// reads them: what is odd there is said, and does not keep them from being tried.
package struct ScenarioReading: Sendable {
    /// The scenario; nil when there are problems.
    package let scenario: Scenario?
    /// What keeps it from being a scenario, in the order of the lines.
    package let problems: [Diagnostic]
    /// What is odd in the files of its workers.
    package let warnings: [Diagnostic]

    /// Reads the scenario at `path`; files of workers that it names come from `source` too.
    package init(
        _ path: String, from source: some FileSource, place: SpecifierContext.Place = .init()
    ) {
        do throws(FileSourceError) {
            let bytes = try source.read(path, limit: ConfigurationFile.Bounds().file)
            self.init(path, bytes, from: source, place: place)
        } catch {
            self.init(failure: Diagnostic(.error, file: path, problem: error.reason))
        }
    }

    /// The lines of `[Events]`, as far as they are right.
    private static func events(
        _ file: ConfigurationFile, _ names: [String], reporting problems: inout [Diagnostic]
    ) -> [ScheduledEvent] {
        var events: [ScheduledEvent] = []
        var count = 0
        for line in file.assignments where line.section == "Events" {
            do throws(ValueError) {
                let event = try ScheduledEvent(line, workers: names)
                count += event.workers.count
                guard count <= mostEvents else {
                    throw ValueError(
                        "too many events", expected: "at most \(mostEvents), multiplied by workers")
                }
                events.append(event)
            } catch {
                problems.append(line.error(error))
                if count > mostEvents { break }
            }
        }
        return events
    }

    /// A bound on what a small file can make of many workers.
    private static let mostEvents = 1_000_000

    private init(failure: Diagnostic) {
        scenario = nil
        problems = [failure]
        warnings = []
    }

    /// Reads `bytes`, the content of the scenario at `path`.
    package init(
        _ path: String, _ bytes: [UInt8], from source: some FileSource,
        place: SpecifierContext.Place = .init()
    ) {
        let file = ConfigurationFile(
            path: path, bytes: bytes, sections: ["Scenario", "Machine", "Memory", "Power", "Events"],
            named: Set(WorkerDefinition.sections).union(["Program"]))
        var problems = file.diagnostics
        let settings = DefinitionReading<Scenario.Settings>(
            file.assignments.filter { $0.section == "Scenario" }, named: path, context: SpecifierContext())
        problems += settings.diagnostics
        let machine = DefinitionReading<MachineSettings>(
            file.assignments.filter { $0.section == "Machine" }, named: path, context: SpecifierContext())
        problems += machine.diagnostics
        let daemon = DefinitionReading<DaemonDefinition>(
            file.assignments.filter { ["Memory", "Power"].contains($0.section) }, named: path,
            context: SpecifierContext())
        problems += daemon.diagnostics
        var reader = WorkerSections(file, source: source, place: place)
        reader.read()
        problems += reader.problems
        let names = reader.workers.map(\.name)
        // Where a worker is missing because it is wrong, every event for it would be too.
        let events =
            reader.problems.isEmpty ? Self.events(file, names, reporting: &problems) : []
        if settings.definition?.duration == nil {
            problems += events.filter(\.isEndless).map {
                Diagnostic(
                    .error, file: path, line: $0.line, problem: "repeats forever",
                    expected: "until TIME or times NUMBER, or DurationSec= in [Scenario]")
            }
        }
        if machine.definition?.memory != nil, settings.definition?.duration == nil {
            problems.append(
                Diagnostic(
                    .error, file: path, problem: "a scenario with [Machine] runs forever",
                    expected: "DurationSec= in [Scenario]"))
        }
        if problems.isEmpty, names.isEmpty {
            problems.append(
                Diagnostic(
                    .error, file: path, problem: "no worker defined",
                    expected: "a section [Worker NAME] with at least one line"))
        }
        self.problems = problems.sorted { $0.line < $1.line }
        warnings = reader.warnings
        scenario =
            problems.isEmpty
            ? settings.definition.map {
                Scenario(
                    settings: $0, workers: reader.workers, events: events,
                    machine: machine.definition ?? .init(), daemon: daemon.definition ?? .init())
            } : nil
    }
}

extension Assignment {
    /// What is wrong with this line.
    func error(_ error: ValueError) -> Diagnostic {
        Diagnostic(
            .error, file: file, line: line, key: key, problem: error.problem, expected: error.expected)
    }
}
