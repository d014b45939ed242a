import ConfigurationSyntax
import Importing
import TestSupport
import Testing
import WorkerFile

/// What is made of foreign files.
struct Imported {
    let plan: ImportPlan

    /// Imports `paths`, or all of `files`.
    init(
        _ files: [String: String?], _ paths: [String]? = nil, as format: ImportFormat? = nil,
        directories: [String] = [],
        environment: [String: String] = [:], isSystem: Bool = true
    ) {
        var source = FakeFiles(files)
        source.directories = Set(directories)
        let context = ImportContext(
            environment: environment, hostName: "host.example.org", isSystem: isSystem)
        plan = Importer(source: source, context: context).plan(for: paths ?? files.keys.sorted(), as: format)
        expectThatAllHolds(plan)
    }

    /// The names of the workers.
    var names: [String] { plan.workers.map(\.name.text) }

    /// The settings of a worker, `Key=Value`, in the order of its file.
    func settings(_ name: String) -> [String] {
        let text = plan.workers.first { $0.name.text == name }?.text ?? ""
        return text.split(separator: "\n").map(String.init).filter { $0.first != "#" && $0.first != "[" }
    }

    /// What was not taken over of a worker, or of none.
    func notes(_ name: String? = nil) -> [String] {
        let notes =
            name.map { name in plan.workers.first { $0.name.text == name }?.notes ?? [] } ?? plan.notes
        return notes.map(\.description)
    }

    /// What is wrong.
    var problems: [String] { plan.problems.map(\.description) }
}

/// Each worker file is read by the daemon's loader without a warning, and has the notes as comments; the names differ.
func expectThatAllHolds(_ plan: ImportPlan) {
    #expect(Set(plan.workers.map(\.name)).count == plan.workers.count)
    #expect(plan.problems.isEmpty || plan.workers.isEmpty)
    var place = SpecifierContext.Place()
    (place.home, place.shell, place.user, place.group, place.uid, place.gid) = (
        "/root", "/bin/sh", "root", "root", 0, 0
    )
    (place.hostName, place.machineID, place.bootID) = ("host", "m", "b")
    (place.kernelRelease, place.architecture) = ("v", "a")
    let files = Dictionary(
        uniqueKeysWithValues: plan.workers.map { ("/etc/workers/\($0.name.fileName)", Optional($0.text)) })
    let loader = WorkerLoader(directories: ["/etc"], source: FakeFiles(files), place: place)
    for worker in plan.workers {
        let name = worker.name.isTemplate ? try? worker.name.instance("1") : worker.name
        guard let name, case .worker(let loaded) = loader.load(name) else {
            Issue.record("\(worker.name) is not read: \(worker.text)")
            continue
        }
        #expect(loaded.warnings.filter { $0.severity != .advice }.isEmpty, "\(worker.text)")
        let known = Set(plan.workers.map(\.name))
        for other in loaded.definition.after + loaded.definition.requires + loaded.definition.wants {
            #expect(known.contains(other.name), "\(other.name)")
        }
        // Of very many the file has the first.
        for note in worker.notes.prefix(1000) { #expect(worker.text.contains("# \(note)\n")) }
    }
}
