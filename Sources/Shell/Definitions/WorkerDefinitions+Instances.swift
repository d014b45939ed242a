package import ConfigurationSyntax
package import ControlAPI
internal import Lifecycle
package import OperatorService
package import SupervisorPorts
package import Varlink
internal import WorkerFile

/// Workers without a file of their own: instances of templates, and transient ones.
extension WorkerDefinitions: DefinitionSource {
    /// Makes the instance of a template that another worker names; nil where there is none.
    package func makeInstance(_ name: String) -> WorkerID? {
        service.registry[name]?.id ?? (try? instantiate(name))?.id
    }

    /// Whether a template makes a worker of this name.
    package func isDefinable(_ name: String) -> Bool {
        guard let worker = try? WorkerName(name), worker.instance != nil,
            case .files? = try? loader.files(for: worker)
        else { return false }
        return true
    }

    /// The entry for the instance `name`, made from its template.
    package func instantiate(_ name: String) throws(MethodError) -> RegisteredWorker {
        let worker = try workerName(name)
        switch loader.load(worker) {
        case .missing: throw API.noSuchWorker(name: name)
        case .masked(let path): throw API.workerMasked(name: name, file: path)
        case .invalid(let diagnostics): throw badDefinition(name, diagnostics)
        case .worker(let loaded):
            if let diagnostic = circle(with: loaded) { throw badDefinition(name, [diagnostic]) }
            return try define(loaded, isTransient: false)
        }
    }

    /// What is wrong with a worker beside those that it comes after, as their files are now: a circle; nil where there is none.
    private func circle(with loaded: LoadedWorker) -> Diagnostic? {
        let name = loaded.name.text
        var known = [name: loaded]
        var queue = [loaded]
        while let next = queue.popLast() {
            for other in next.definition.after.map(\.name) where known[other.text] == nil {
                let present = service.registry[other.text]?.loaded
                guard let worker = present ?? loader.load(other).worker else { continue }
                known[other.text] = worker
                queue.append(worker)
            }
        }
        let check = DependencyCheck(of: known.values.sorted { $0.name < $1.name }) { _ in true }
        return check.errors.first { $0.worker == name }?.diagnostic
    }

    /// A worker without a file, as a client asks for it; all that is odd about it is refused.
    package func defineTransient(_ parameters: API.LaunchTransient.Parameters) throws(MethodError)
        -> RegisteredWorker
    {
        let name = try workerName(parameters.name ?? freeName(for: parameters.arguments))
        return try defineTransient(parameters, named: name, isNew: true)
    }

    /// The same under a name that holds.
    package func defineTransient(
        _ parameters: API.LaunchTransient.Parameters, named name: WorkerName, isNew: Bool = false
    ) throws(MethodError) -> RegisteredWorker {
        guard service.registry[name.text] == nil else { throw API.alreadyExists(name: name.text) }
        guard let program = parameters.arguments.first, !program.isEmpty else {
            throw .invalidParameter("arguments")
        }
        let assignments = TransientAssignments(parameters).assignments
        var context = loader.context(for: assignments, of: name)
        context.markers = []
        let reading = DefinitionReading<WorkerDefinition>(assignments, named: name.text, context: context)
        guard var definition = reading.definition else { throw badDefinition(name.text, reading.diagnostics) }
        // What is asked for at once is mended at once: nothing of it is ignored.
        if isNew, reading.diagnostics.contains(where: { $0.severity == .warning }) {
            throw badDefinition(name.text, reading.diagnostics)
        }
        definition.command = Command(program: program, arguments: Array(parameters.arguments.dropFirst()))
        return try define(
            LoadedWorker(name: name, definition: definition, files: [], warnings: reading.diagnostics),
            isTransient: true)
    }

    private func define(_ loaded: LoadedWorker, isTransient: Bool) throws(MethodError) -> RegisteredWorker {
        do throws(Diagnostic) {
            let entry = add(try plan(for: loaded), isTransient: isTransient)
            madeMeanwhile?.append(entry.name)
            follower?.cameToBe([entry.name])
            return entry
        } catch {
            throw badDefinition(loaded.name.text, [error])
        }
    }

    private func workerName(_ text: String) throws(MethodError) -> WorkerName {
        do throws(ValueError) {
            return try WorkerName(text)
        } catch {
            throw API.invalidName(name: text, why: WorkerName.fault(in: text) ?? error.description)
        }
    }

    /// `run-` and the program's name, with a number where that is taken.
    private func freeName(for arguments: [String]) -> String {
        let program = arguments.first?.split(separator: "/").last.map(String.init) ?? "worker"
        let base =
            "run-"
            + String(program.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(64))
        var number = 1
        while service.registry["\(base)-\(number)"] != nil { number += 1 }
        return "\(base)-\(number)"
    }

    private func badDefinition(_ name: String, _ diagnostics: [Diagnostic]) -> MethodError {
        let first =
            diagnostics.first { $0.severity == .error } ?? diagnostics.first { $0.severity == .warning }
        var described = first.map { API.Diagnostic($0, worker: nil) }
        // What is refused for it is not ignored.
        if let message = described?.message, message.hasPrefix("ignoring ") {
            described?.message = String(message.dropFirst("ignoring ".count))
        }
        return API.badDefinition(
            name: name, message: described?.message ?? "it is invalid", file: described?.file,
            line: described?.line, key: described?.key)
    }
}

/// The settings of a transient worker as assignments, as if they stood in a file called `(transient)`.
struct TransientAssignments {
    let assignments: [Assignment]

    init(_ parameters: SupervisorInterface.LaunchTransient.Parameters) {
        var all: [Assignment] = []
        func assign(_ section: String, _ key: String, _ value: String) {
            all.append(
                Assignment(section: section, key: key, value: value, file: "(transient)", line: all.count + 1)
            )
        }
        // What is run is set afterwards, word by word: it needs no quoting then.
        assign("Worker", "ExecStart", "/bin/true")
        if let directory = parameters.workingDirectory { assign("Worker", "WorkingDirectory", directory) }
        for variable in parameters.environment ?? [] {
            assign("Worker", "Environment", Self.quoted(variable))
        }
        for property in parameters.properties ?? [] { assign(property.section, property.key, property.value) }
        assignments = all
    }

    /// One word of `Environment=`, whatever is in it.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text {
            switch character {
            case "\"", "\\": quoted += "\\\(character)"
            case "%": quoted += "%%"
            case "\n": quoted += "\\n"
            default: quoted.append(character)
            }
        }
        return quoted + "\""
    }
}
