internal import ConfigurationSyntax
package import ControlAPI
internal import Launching
internal import Lifecycle
package import OperatorService
package import Supervisor
package import SupervisorPorts
package import Varlink
package import WorkerFile

/// Hears what becomes of the definitions of workers: who keeps something for each of them.
package protocol DefinitionFollower: AnyObject {
    /// A worker is defined; otherwise than it was before, where it is not new. The supervisor and the registry have it already.
    func defined(
        _ entry: RegisteredWorker, by plan: LaunchPlan, as configuration: WorkerConfiguration, isNew: Bool)
    /// A worker is not defined any more; a process of it may still run.
    func undefined(_ worker: WorkerID)
    /// What of a worker that has just been defined could not be had; it is defined all the same.
    func shortcomings(of entry: RegisteredWorker) -> [SupervisorInterface.Diagnostic]
    /// These have come that were not defined before, all of one reading.
    func cameToBe(_ names: [String])
}

/// Workers out of files: which there are, what each is made of, and what becomes of them when the files change.
///
/// Belongs to the supervisor's loop.
package final class WorkerDefinitions<Source: FileSource & Sendable> {
    package typealias API = SupervisorInterface

    package let loader: WorkerLoader<Source>
    private let context: LaunchContext
    private let supervisor: Supervisor
    let service: OperatorService
    private let shares: StateShares?
    /// What workers are given that do not say; takes effect where they are defined anew (``redefineAll()``).
    package var daemon: DaemonDefinition
    /// Hears of them, from the first one on.
    package weak var follower: (any DefinitionFollower)?
    /// The policies and the definitions of all workers.
    private var policies = SharedPool<SharedPolicy>()
    private var definitions = SharedPool<SharedDefinition>()
    /// Workers that others wanted before their own files had their turn in a reading; nil while there is none.
    var madeMeanwhile: [String]?

    /// The workers of `supervisor` that the files of `loader` define, and those that `service` is told to have without a file.
    package init(
        of loader: WorkerLoader<Source>, in context: LaunchContext, for supervisor: Supervisor,
        _ service: OperatorService, daemon: DaemonDefinition = .init(), shares: StateShares? = nil
    ) {
        self.loader = loader
        self.context = context
        self.supervisor = supervisor
        self.service = service
        self.daemon = daemon
        self.shares = shares
    }

    // MARK: reload

    /// Reads all files anew, and adds to `report` what came of it; only what changed is touched, and a bad file leaves its worker as it
    /// was.
    package func reload(into report: inout API.Reload.Reply) {
        madeMeanwhile = []
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
        let check = DependencyCheck(of: found.compactMap { $0.1.worker }) { name in
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
        follower?.cameToBe(report.added)
        report.added += madeMeanwhile ?? []
        madeMeanwhile = nil
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

    private func reload(
        _ name: WorkerName, _ found: DefinitionPass<Source>.Found,
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

    /// Which defined workers would be defined no more by a daemon that reads their files as they are now, with what is wrong.
    package func losses() -> [API.Diagnostic] {
        let names = service.registry.all.filter { !$0.isTransient && !$0.isOrphaned }
            .compactMap { try? WorkerName($0.name) }
        return DefinitionPass(loader: loader).read(names).compactMap { name, found in
            guard case .invalid(let diagnostics) = found else { return nil }
            return diagnostics.first { $0.severity == .error }.map { API.Diagnostic($0, worker: name.text) }
        }
    }

    /// Defines all workers anew, by what their files said last.
    package func redefineAll() {
        for entry in service.registry.all where !entry.isOrphaned {
            guard let loaded = entry.loaded else { continue }
            // Ignoring a failure: it is told of where their own files are read again.
            if let plan = try? LaunchPlan(loaded, in: context) { replace(entry, by: plan) }
        }
    }

    // MARK: one worker

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
            report.warnings += follower?.shortcomings(of: entry) ?? []
            return report.added.append(plan.name)
        }
        let wasTransient = entry.isTransient
        entry.isTransient = false
        guard entry.loaded?.shared != plan.worker.shared || entry.isOrphaned || wasTransient else {
            entry.loaded = plan.worker
            return
        }
        replace(entry, by: plan)
        report.warnings += follower?.shortcomings(of: entry) ?? []
        report.changed.append(plan.name)
    }

    private func replace(_ entry: RegisteredWorker, by plan: LaunchPlan) {
        entry.loaded = plan.worker
        entry.isOrphaned = false
        let configuration = configuration(of: plan)
        supervisor.update(entry.id, to: configuration)
        follower?.defined(entry, by: plan, as: configuration, isNew: false)
    }

    private func forget(_ entry: RegisteredWorker, _ report: inout API.Reload.Reply) {
        // One that still runs was removed by an earlier reload.
        if !entry.isOrphaned { report.removed.append(entry.name) }
        follower?.undefined(entry.id)
        entry.isOrphaned = !drop(entry)
    }

    /// Forgets a worker of which nothing is left, with all that is kept for it; false while there is something that is led to its end.
    package func drop(_ entry: RegisteredWorker) -> Bool {
        guard supervisor.remove(entry.id) else { return false }
        follower?.undefined(entry.id)
        service.registry.remove(entry)
        service.announce(entry, isDefined: false)
        return true
    }

    private func configuration(of plan: LaunchPlan) -> WorkerConfiguration {
        let configuration = plan.configuration(daemon: daemon, shares: shares)
        configuration.sharedPolicy = policies.shared(configuration.sharedPolicy)
        return configuration
    }

    @discardableResult
    func add(_ plan: LaunchPlan, isTransient: Bool) -> RegisteredWorker {
        let configuration = configuration(of: plan)
        let id = supervisor.add(configuration)
        let entry = RegisteredWorker(name: plan.name, id: id, loaded: plan.worker, isTransient: isTransient)
        service.registry.add(entry)
        service.badSettings[plan.name] = nil
        follower?.defined(entry, by: plan, as: configuration, isNew: true)
        service.announce(entry, isDefined: true)
        return entry
    }

    // MARK: what a predecessor knew

    /// The entry for a worker that a predecessor knew: as it is defined, or, where nothing defines it any more, as one that is forgotten when
    /// it ends; nil where there is no process of it then.
    ///
    /// `transient` tells what a client asked for that made it without a file.
    package func entryToAdopt(
        _ name: String, hasProcess: Bool, transient: (String) -> API.LaunchTransient.Parameters?
    ) -> RegisteredWorker? {
        if let entry = service.registry[name] { return entry }
        guard let worker = try? WorkerName(name) else { return nil }
        if let parameters = transient(name), let entry = try? defineTransient(parameters, named: worker) {
            return entry
        }
        if worker.instance != nil, let entry = try? instantiate(name) { return entry }
        return hasProcess ? orphan(worker) : nil
    }

    /// A worker that nothing defines: it is led to its end, and not started again.
    private func orphan(_ name: WorkerName) -> RegisteredWorker {
        let text = name.text
        let configuration = WorkerConfiguration(name: text, groupName: name.groupName, policy: Policy()) {
            (_, _) throws(LaunchError) in
            throw LaunchError(stage: .preparation, errno: 0, subject: "\(text) is no longer defined")
        }
        configuration.hasNotifySocket = true
        // What it prints is read on: it would wait for a reader, or wake by what waits in its pipe.
        configuration.relaysOutput = true
        let id = supervisor.add(configuration)
        let entry = RegisteredWorker(name: text, id: id, loaded: nil)
        service.noteOrphan(entry)
        service.registry.add(entry)
        service.announce(entry, isDefined: true)
        return entry
    }

    // MARK: files

    package func files(of entry: RegisteredWorker) throws(MethodError) -> [API.File] {
        entry.isTransient ? [] : try files(named: entry.name)
    }

    package func files(named text: String) throws(MethodError) -> [API.File] {
        guard let name = try? WorkerName(text) else { return [] }
        do throws(FileSourceError) {
            guard case .files(let files) = try loader.files(for: name) else { return [] }
            return files.map { API.File(path: $0.path, content: String(decoding: $0.bytes, as: UTF8.self)) }
        } catch {
            throw API.refused(name: text, why: error.description)
        }
    }
}
