internal import ControlAPI
internal import Linux
internal import Varlink

/// What operators have defined without a file, kept in the runtime directory for a supervisor that comes after a crash.
struct TransientFiles {
    private let directory: String

    init(in directory: String) {
        self.directory = directory
    }

    private func path(_ name: String) -> String { "\(directory)/\(name).json" }

    /// Keeps how a worker was defined.
    func write(_ parameters: SupervisorInterface.LaunchTransient.Parameters, of name: String) {
        guard let json = try? JSON(encoding: parameters) else { return }
        // Ignoring a failure: after a crash the worker would be known by its process alone.
        try? Directory.makePrivate(directory)
        try? AtomicFile.write(Array(json.text.utf8), to: path(name))
    }

    /// How a worker was defined; nil where that is not known.
    func read(_ name: String) -> SupervisorInterface.LaunchTransient.Parameters? {
        guard let bytes = try? RegularFile.read(path(name), limit: 4 << 20),
            let json = try? JSON(parsing: bytes.span)
        else { return nil }
        return try? json.decode(SupervisorInterface.LaunchTransient.Parameters.self)
    }

    /// Forgets a worker.
    func remove(_ name: String) { try? AtomicFile.remove(path(name)) }

    /// Forgets all but these.
    func removeAll(except names: Set<String> = []) {
        for file in (try? Directory.names(in: directory)) ?? [] where file.hasSuffix(".json") {
            let name = String(file.dropLast(".json".count))
            if !names.contains(name) { remove(name) }
        }
    }
}
