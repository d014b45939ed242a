internal import ConfigurationSyntax
internal import ControlAPI
internal import Lifecycle
package import Picture

/// Reads what `torpor graph` draws.
package enum GraphReading {
    /// The state diagram of the worker called `name`.
    package static func diagram(
        of name: String, over transport: inout some ControlTransport
    ) throws(Failure) -> StateDiagram {
        let worker = try transport.call(SupervisorInterface.Describe.self, .init(name: name)).worker
        let files = try transport.call(SupervisorInterface.Cat.self, .init(name: name)).files
        var notes = ["\(worker.state.rawValue), goal \(worker.goal.rawValue)"]
        if let because = worker.because { notes.append(because) }
        notes += worker.deadlines.map(\.words)
        return StateDiagram(
            worker.name.printable, description: worker.description?.printable ?? "", settings(files),
            current: State(worker.state), notes: notes.map(\.printable))
    }

    /// The graph of the workers that `names` mean, or of all.
    package static func graph(
        of names: [String], over transport: inout some ControlTransport
    ) throws(Failure) -> WorkerGraph {
        let reply = try transport.call(
            SupervisorInterface.List.self, .init(names: names.isEmpty ? nil : names))
        var workers: [(name: String, state: State?, settings: Settings)] = []
        for worker in reply.workers {
            do throws(Failure) {
                let files = try transport.call(SupervisorInterface.Cat.self, .init(name: worker.name)).files
                workers.append((worker.name.printable, State(worker.state), settings(files)))
            } catch  where error.isNoSuchWorker {
                // It is gone since.
                continue
            }
        }
        return WorkerGraph(workers)
    }

    private static let sections: Set<String> = [
        "Worker", "Foreground", "Background", "Callbacks", "Notifications", "Memory",
    ]

    /// What the files say together, as it is written; specifiers are not replaced.
    static func settings(_ files: [SupervisorInterface.File]) -> Settings {
        var settings = Settings()
        for file in files {
            let read = ConfigurationFile(path: file.path, bytes: Array(file.content.utf8), sections: sections)
            for assignment in read.assignments {
                settings.assign(assignment.section, assignment.key, assignment.value.printable)
            }
        }
        return settings
    }
}
