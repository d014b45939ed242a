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
internal import SupervisorPorts
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

    /// How a worker is launched, by the definition that others which say the same have.
    func plan(for found: LoadedWorker) throws(Diagnostic) -> LaunchPlan {
        var loaded = found
        loaded.shared = definitions.shared(loaded.shared)
        return try LaunchPlan(loaded, in: context)
    }

    private func take(_ loaded: LoadedWorker, into report: inout API.Reload.Reply) throws(Diagnostic) {
        let plan = try plan(for: loaded)
        guard let entry = service.registry[plan.name] else {
            let entry = add(plan, isTransient: false)
            tellHeld(of: entry, &report)
            return report.added.append(plan.name)
        }
        guard entry.loaded?.shared != plan.worker.shared || entry.isOrphaned else {
            entry.loaded = plan.worker
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
    func add(_ plan: LaunchPlan, isTransient: Bool) -> RegisteredWorker {
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

extension SupervisorInterface.Reload.Reply {
    /// What came of it, in a few words.
    var sentence: String {
        let settings = settingsChanged ?? false ? "settings of torpord.conf changed; " : ""
        return settings
            + "\(changed.count) changed, \(added.count) added, \(removed.count) removed, \(failed.count) problems"
    }
}
