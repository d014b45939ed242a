internal import BackgroundWork
internal import Cgroups
internal import ConfigurationSyntax
internal import ControlAPI
internal import Definitions
internal import History
internal import Launching
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts
internal import SystemEvents
internal import Varlink
internal import WorkerFile

/// What a predecessor that was killed has left: its workers run, and are taken over as they stand.
///
/// They are known by the records in the runtime directory and by the groups that they live in. No worker is started beside
/// a process that is there already, and no process is ended that does not belong to a worker.
extension Daemon {
    /// Takes over all that a predecessor has left; returns the workers that are not to be started because of that.
    func takeOver() -> Set<WorkerID> {
        let bootID = Machine.bootID
        let found = records?.found(bootID: bootID) ?? LiveRecords.Found()
        if let problem = found.problem {
            let sentence =
                "cannot use the records of a previous daemon, identifying their workers by their cgroups: \(problem)"
            log.log(LogEntry(.warned, .warning, sentence))
        }
        records?.begin(bootID: bootID, keeping: Set(found.records.keys))
        records?.complain = { [unowned self] in log.log(LogEntry(.warned, .warning, $0)) }
        let records = records
        supervisor.records = records
        let kept = Set(states.names)
        var inherited: Set<WorkerID> = []
        supervisor.beginInheritance()
        for (name, record) in found.records.sorted(by: { $0.key < $1.key }) {
            guard let entry = entryToAdopt(name, hasProcess: true) else { continue }
            let adoption = supervisor.restore(record, as: entry.id)
            supervisor.submit(.savedState(kept.contains(name)), to: entry.id)
            if let adoption { tell(adoption, of: entry) }
            takeStoredDoors(of: entry.id)
            inherited.insert(entry.id)
        }
        inherited.formUnion(adoptByGroups())
        let lastWritten = found.lastWritten
        supervisor.settleInheritance(lastRan: lastWritten)
        finish(inherited)
        return inherited
    }

    private func takeStoredDoors(of id: WorkerID) {
        host.takeBinds(nil, of: id)
        guard supervisor.inheritsDoors(of: id), let configuration = supervisor.workers[id]?.configuration
        else {
            return
        }
        host.takeDoors(host.storedDoors(configuration), of: id, configuration)
    }

    private func tell(_ adoption: Adoption, of entry: RegisteredWorker) {
        let (sentence, word): (String, String)
        switch adoption {
        case .alive(let pid, let isAsleep):
            word = "adopted"
            sentence = "adopted from a previous daemon: pid \(pid)\(isAsleep ? ", asleep" : "")"
        case .ended:
            (sentence, word) = ("ended while no supervisor was running; its exit status is unknown", "lost")
        case .missing:
            (sentence, word) = (
                "a previous daemon was about to launch it; launching it now", "relaunched"
            )
        }
        note(.adopted, word, worker: entry.name, sentence)
    }

    // MARK: recognizing a worker

    /// The entry for a worker that a predecessor knew; nil where nothing defines it, and it has no process.
    func entryToAdopt(_ name: String, hasProcess: Bool) -> RegisteredWorker? {
        workers.entryToAdopt(name, hasProcess: hasProcess) { [transients] in transients.read($0) }
    }

    // MARK: groups

    /// Looks at every group of a worker: a process there without a record is recognized by its environment, or belongs to no worker.
    private func adoptByGroups() -> Set<WorkerID> {
        var inherited: Set<WorkerID> = []
        for group in groups.workerGroups() {
            let name = String(group.name.dropFirst("worker-".count))
            // One that is being launched has a group already, and no process in it yet; by another name, where that of its
            // name is lived in.
            // The names first: to compare every group with every worker takes seconds where there are ten thousand.
            if let entry = service.registry[name], isRunning(entry) { continue }
            if host.hasMade(group) { continue }
            guard (try? group.events())?.isPopulated ?? false else {
                // Ignoring a failure: a launch takes it over, and the end removes it.
                try? group.remove(patience: 0)
                continue
            }
            let members = (try? group.processes()) ?? []
            if members.contains(where: { host.isMarked($0, name) }),
                let entry = entryToAdopt(name, hasProcess: true)
            {
                let id = entry.id
                let adoption = supervisor.adoptUnknown(id)
                if case .alive = adoption {
                    tell(adoption, of: entry)
                    host.takeBinds(nil, of: id)
                    inherited.insert(id)
                    continue
                }
            }
            let sentence =
                "\(group.path) contains \(members.count) processes that this supervisor did not start; leaving them alone"
            log.log(LogEntry(.warned, .warning, sentence))
        }
        return inherited
    }

    /// Whether it has a process, or is being launched.
    func isRunning(_ entry: RegisteredWorker) -> Bool { supervisor.life(of: entry.id)?.currentLaunch != nil }

    /// What else depends on which workers run; a worker that is not defined and of which nothing is left is forgotten.
    func finish(_ inherited: Set<WorkerID>) {
        var transientNames: Set<String> = []
        for entry in service.registry.all where inherited.contains(entry.id) {
            let id = entry.id
            fetches.resume(id)
            processing.resume(id)
            if entry.isTransient { transientNames.insert(entry.name) }
            guard let life = supervisor.life(of: id) else { continue }
            if life.currentLaunch == nil, entry.isTransient || entry.isOrphaned { depart(id) }
            let allowance = (entry.loaded?.definition.background).flatMap(CPUAllowance.init)
            cpu.changed(id, to: life.state, allowance)
        }
        transients.removeAll(except: transientNames)
        system.workerChanged()
    }
}
