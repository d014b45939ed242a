internal import BackgroundWork
internal import Budgeting
internal import ConfigurationSyntax
internal import ControlAPI
internal import History
internal import Idleness
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import MemoryPressureShell
internal import OperatorService
internal import Places
internal import Pressure
internal import Supervisor
package import SupervisorPorts
internal import SystemEvents
internal import Systemd
internal import TransferShell
internal import Varlink
internal import Waking
internal import WorkerFile

/// Workers out of files: loading, reloading, templates, transient ones.
extension Daemon: DaemonControl, DefinitionSource {
    typealias API = SupervisorInterface

    var logLevel: API.LogLevel {
        get { log.level }
        set { log.level = newValue }
    }

    // MARK: reload

    /// Reads all definitions anew; only what changed is touched, and a bad file leaves its worker as it was.
    func reload() -> API.Reload.Reply {
        var report = API.Reload.Reply(changed: [], added: [], removed: [], failed: [], warnings: [])
        system.setMany { reload(into: &report) }
        service.takeBadSettings(report.failed)
        return report
    }

    private func reload(into report: inout API.Reload.Reply) {
        if isReady { reloadOurselves(&report) }
        let pass = DefinitionPass(loader: loader)
        let (names, problems, unlisted) = loader.names()
        report.failed += problems.map { API.Diagnostic($0, worker: nil) }
        var defined: Set<String> = []
        var sought = names.filter { !$0.isTemplate }
        let own = Set(sought)
        // Instances have no file of their own; they live as long as their template.
        for entry in service.registry.all where !entry.isTransient {
            if let name = try? WorkerName(entry.name), name.instance != nil, !own.contains(name) {
                sought.append(name)
            }
        }
        let found = pass.read(sought)
        let check = DependencyCheck(of: found.compactMap { $0.1.worker }) { [service] name in
            service.registry[name] != nil || own.contains { $0.text == name } || isDefinable(name)
        }
        report.warnings += check.warnings.map { API.Diagnostic($0.diagnostic, worker: $0.worker) }
        report.failed += check.errors.map { API.Diagnostic($0.diagnostic, worker: $0.worker) }
        for (name, found) in found {
            if check.unusable.contains(name.text) {
                // It stays as it was.
                defined.insert(name.text)
            } else {
                reload(name, found, into: &report, &defined)
            }
        }
        for entry in service.registry.all where !entry.isTransient && !defined.contains(entry.name) {
            // A directory that cannot be read says nothing of what is in it: its workers stay as they were.
            let file = entry.loaded?.files.first ?? ""
            if !unlisted.contains(where: { file.hasPrefix($0 + "/") }) { forget(entry, &report) }
        }
        recall(report.added)
        judgeTemplates(names, besides: sought, &report)
    }

    /// Says what is wrong with templates that have no instance yet: else the first one would tell, when it is wanted.
    private func judgeTemplates(
        _ names: [WorkerName], besides sought: [WorkerName], _ report: inout API.Reload.Reply
    ) {
        let used = Set(sought.compactMap(\.template))
        for template in names where template.isTemplate && !used.contains(template) {
            guard let instance = try? template.instance("instance"),
                case .invalid(let diagnostics) = loader.load(instance)
            else { continue }
            let errors = diagnostics.filter { $0.severity == .error }
            report.failed += errors.map { API.Diagnostic($0, worker: nil) }
        }
    }

    /// Reads torpord.conf anew: how much of the past is kept, how much is logged, and what workers are given that do not say;
    /// what the sockets are like stays as it was.
    private func reloadOurselves(_ report: inout API.Reload.Reply) {
        let reading = DaemonLoader(
            directories: options.configurationDirectories, source: DiskFileSource(trusting: .whole),
            place: loader.place
        ).load()
        let (errors, warnings) = (
            reading.diagnostics.filter { $0.severity == .error },
            reading.diagnostics.filter { $0.severity != .error }
        )
        report.failed += errors.map { API.Diagnostic($0, worker: nil) }
        report.warnings += warnings.map { API.Diagnostic($0, worker: nil) }
        guard let definition = reading.definition else { return }
        server.judge(by: definition, &report)
        guard definition != self.definition else { return }
        let before = self.definition
        self.definition = definition
        report.settingsChanged = true
        recorder.retain(maxAge: definition.historyMaxAge.span, maxSize: definition.historyMaxSize.bytes)
        memory.change(PressureSettings(definition))
        transfers.setMost(definition.transfersMax)
        power.handle(.threshold(definition.lowPowerBelow.percent))
        if definition.logLevel != before.logLevel,
            let level = API.LogLevel(rawValue: definition.logLevel.rawValue)
        {
            log.level = level
        }
        for entry in service.registry.all where !entry.isOrphaned {
            guard let loaded = entry.loaded else { continue }
            // Ignoring a failure: it is told of below, where its own files are read again.
            if let plan = try? LaunchPlan(loaded, in: context) { replace(entry, by: plan) }
        }
    }

    private func reload(
        _ name: WorkerName, _ found: DefinitionPass.Found,
        into report: inout API.Reload.Reply, _ defined: inout Set<String>
    ) {
        switch found {
        case .missing, .masked:
            break
        case .invalid(let diagnostics):
            defined.insert(name.text)
            // What is wrong besides is no reason that it is refused for.
            let (errors, others) = (
                diagnostics.filter { $0.severity == .error }, diagnostics.filter { $0.severity != .error }
            )
            report.failed += errors.map { API.Diagnostic($0, worker: name.text) }
            report.warnings += others.map { API.Diagnostic($0, worker: name.text) }
        case .worker(let loaded):
            defined.insert(name.text)
            report.warnings += loaded.warnings.map { API.Diagnostic($0, worker: name.text) }
            do throws(Diagnostic) {
                try take(loaded, into: &report)
            } catch {
                // A user that does not exist, say: the worker stays as it was.
                report.failed.append(API.Diagnostic(error, worker: name.text))
            }
        }
    }

    private func take(_ loaded: LoadedWorker, into report: inout API.Reload.Reply) throws(Diagnostic) {
        let plan = try LaunchPlan(loaded, in: context)
        guard let entry = service.registry[plan.name] else {
            let entry = add(plan, isTransient: false)
            tellHeld(of: entry, &report)
            return report.added.append(plan.name)
        }
        guard entry.loaded?.definition != loaded.definition || entry.isOrphaned else {
            entry.loaded = loaded
            return
        }
        replace(entry, by: plan)
        tellHeld(of: entry, &report)
        report.changed.append(plan.name)
    }

    /// Says which sockets of a worker cannot be held: it is as defined all the same, and they are tried again.
    private func tellHeld(of entry: RegisteredWorker, _ report: inout API.Reload.Reply) {
        // Before that a process that is about to be taken over may have it.
        guard isReady else { return }
        for status in supervisor.host.heldSockets(of: entry.id) {
            guard case .failed(let problem) = status.standing else { continue }
            let diagnostic = Diagnostic(
                .warning, file: entry.loaded?.files.first ?? entry.name, key: status.socket.kind.rawValue,
                problem: "\(status.socket.addressWords): \(problem)")
            report.warnings.append(API.Diagnostic(diagnostic, worker: entry.name))
        }
    }

    private func replace(_ entry: RegisteredWorker, by plan: LaunchPlan) {
        entry.loaded = plan.worker
        entry.isOrphaned = false
        let id = entry.id
        fetches.set(id, plan.worker.definition)
        processing.set(id, plan.worker.definition)
        refreshSubscriptions(of: id)
        let configuration = configuration(of: plan)
        supervisor.update(id, to: configuration)
        held.define(id, configuration)
        relays.define(id, configuration)
        shares.limitTasks(of: plan)
        memory.reconsider(id)
        transfers.defined(id)
    }

    private func forget(_ entry: RegisteredWorker, _ report: inout API.Reload.Reply) {
        // One that still runs was removed by an earlier reload.
        if !entry.isOrphaned { report.removed.append(entry.name) }
        let id = entry.id
        fetches.remove(id)
        processing.remove(id)
        system.set(id, nil)
        relays.forget(id)
        held.forget(id)
        if supervisor.remove(id) {
            service.registry.remove(entry)
            service.announce(entry, isDefined: false)
        } else {
            entry.isOrphaned = true
        }
    }

    private func configuration(of plan: LaunchPlan) -> WorkerConfiguration {
        let configuration = plan.configuration(daemon: definition, shares: shares)
        configuration.sharedPolicy = policies.shared(configuration.sharedPolicy)
        return configuration
    }

    @discardableResult
    private func add(_ plan: LaunchPlan, isTransient: Bool) -> RegisteredWorker {
        let configuration = configuration(of: plan)
        let id = supervisor.add(configuration)
        held.define(id, configuration)
        relays.define(id, configuration)
        fetches.set(id, plan.worker.definition)
        processing.set(id, plan.worker.definition)
        if savedStates.remove(plan.name) != nil {
            supervisor.submit(.savedState(true), to: id)
        }
        let entry = RegisteredWorker(name: plan.name, id: id, loaded: plan.worker, isTransient: isTransient)
        service.registry.add(entry)
        service.badSettings[plan.name] = nil
        refreshSubscriptions(of: id)
        service.announce(entry, isDefined: true)
        transfers.defined(id)
        return entry
    }

    // MARK: templates and transient workers

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

    func instantiate(_ name: String) throws(MethodError) -> RegisteredWorker {
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

    func defineTransient(_ parameters: API.LaunchTransient.Parameters) throws(MethodError) -> RegisteredWorker
    {
        let name = try workerName(parameters.name ?? freeName(for: parameters.arguments))
        let entry = try defineTransient(parameters, named: name, isNew: true)
        transients.write(parameters, of: entry.name)
        return entry
    }

    /// The same under a name that holds, and without keeping it.
    func defineTransient(
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
            let entry = add(try LaunchPlan(loaded, in: context), isTransient: isTransient)
            recall([entry.name])
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

    func files(of entry: RegisteredWorker) throws(MethodError) -> [API.File] {
        entry.isTransient ? [] : try files(named: entry.name)
    }

    func files(named text: String) throws(MethodError) -> [API.File] {
        guard let name = try? WorkerName(text) else { return [] }
        do throws(FileSourceError) {
            guard case .files(let files) = try loader.files(for: name) else { return [] }
            return files.map { API.File(path: $0.path, content: String(decoding: $0.bytes, as: UTF8.self)) }
        } catch {
            throw API.refused(name: text, why: error.description)
        }
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

extension SupervisorInterface.Reload.Reply {
    /// What came of it, in a few words.
    var sentence: String {
        let settings = settingsChanged ?? false ? "settings of torpord.conf changed; " : ""
        return settings
            + "\(changed.count) changed, \(added.count) added, \(removed.count) removed, \(failed.count) problems"
    }
}
