import ConfigurationSyntax
import ControlAPI
import Definitions
import Launching
import Lifecycle
import Linux
import OperatorService
import Supervisor
import SupervisorPorts
import WorkerFile

/// Worker files that change while the supervisor lives, and what must have come of them.
extension Walk {
    /// Someone edits a worker's file; mostly the supervisor is told.
    func editFile() {
        guard let worker = workers.isEmpty ? nil : workers[pick(workers.count)] else { return }
        guard worker.file != nil else { return redefine(worker) }
        switch pick(100) {
        case 0..<45:
            rewrite(worker) {
                $0.idle = self.chance(50) ? 1_000_000 + Int(self.span(.seconds(20)).microseconds) : nil
            }
        case 45..<55: rewrite(worker) { _ in }
        case 55..<75: set(worker, .absent)
        case 75..<90: set(worker, .broken)
        default: set(worker, .empty)
        }
        guard chance(80) else { return }
        files.isUnlistable = chance(5)
        files.unreadable = chance(15) ? [workers[pick(workers.count)].name] : []
        reload()
        (files.isUnlistable, files.unreadable) = (false, [])
    }

    private func rewrite(_ worker: WalkWorker, _ change: (inout WalkFile) -> Void) {
        guard var file = worker.file else { return }
        change(&file)
        file.revision += 1
        file.state = .whole
        worker.file = file
        files.write(file.text, of: worker.name)
        trace(
            70, Int(worker.key.rawValue), file.revision,
            "\(worker.name): its file is revision \(file.revision)")
    }

    private func set(_ worker: WalkWorker, _ state: WalkFile.State) {
        worker.file?.state = state
        files.write(worker.file?.text, of: worker.name)
        trace(71, Int(worker.key.rawValue), 0, "\(worker.name): its file is \(state)")
    }

    /// All files are whole again, and there.
    func mendFiles() {
        (files.isUnlistable, files.unreadable) = (false, [])
        for worker in workers where worker.file.map({ $0.state != .whole }) ?? false {
            rewrite(worker) { _ in }
        }
        reload()
        guard let life else { return }
        for worker in workers where worker.file == nil && life.ids[worker.name] == nil { life.add(worker) }
    }

    /// One that was made without a file is made otherwise, goes, and comes again.
    private func redefine(_ worker: WalkWorker) {
        guard let life else { return }
        if let id = life.ids[worker.name] {
            if chance(70) {
                worker.policy.idle = chance(50) ? IdlePolicy(delay: .seconds(1) + span(.seconds(20))) : nil
                life.supervisor.update(id, to: worker.configuration)
            } else {
                life.remove(worker)
            }
        } else {
            life.add(worker)
        }
    }

    /// The supervisor reads all files, and has to have made of them what they say.
    func reload() {
        guard let life, !life.port.isCut else { return }
        let known = Set(life.ids.keys)
        let orphans = Set(life.service.registry.all.filter(\.isOrphaned).map(\.name))
        var report = SupervisorInterface.Reload.Reply(
            changed: [], added: [], removed: [], failed: [], warnings: [])
        let freely = workers.filter { life.group(of: $0) == nil && life.life(of: $0)?.state == .active }
        isReading = true
        life.definitions.reload(into: &report)
        isReading = false
        figures.reloads += 1
        trace(
            72, report.changed.count, report.added.count,
            "files are read: \(report.changed) \(report.added) \(report.removed)")
        guard !life.port.isCut else { return }
        life.forgetTheGone()
        check(report, knowing: known, orphans)
        // Who was active on its own and joins a group is told to leave where another one has the foreground there.
        for worker in freely where life.group(of: worker) != nil && life.life(of: worker)?.state == .active {
            worker.hasJoinedActive = true
        }
    }

    /// A worker has come to be; also one that was wanted before all files were read: its own is read then.
    func reads(_ name: String) {
        guard let worker = byName[name], let file = worker.file else { return }
        if file.state != .whole { problems.append("\(name) is defined by a file that is \(file.state)") }
        worker.file?.read = (file.revision, file.idle)
    }

    private func check(
        _ report: SupervisorInterface.Reload.Reply, knowing known: Set<String>, _ orphans: Set<String>
    ) {
        guard let life else { return }
        var expected = (
            changed: Set<String>(), added: Set<String>(), removed: Set<String>(), failed: Set<String>()
        )
        for worker in workers {
            guard var file = worker.file else { continue }
            let name = worker.name
            guard !files.isUnlistable else { continue }
            switch file.state {
            case .whole where files.unreadable.contains(name), .broken: expected.failed.insert(name)
            case .whole:
                if !known.contains(name) {
                    expected.added.insert(name)
                } else if orphans.contains(name) || file.read?.revision != file.revision {
                    expected.changed.insert(name)
                }
                file.read = (file.revision, file.idle)
            case .empty where files.unreadable.contains(name): expected.failed.insert(name)
            case .empty, .absent:
                if known.contains(name), !orphans.contains(name) { expected.removed.insert(name) }
                if let read = file.read { worker.lastRead = read }
                file.read = nil
            }
            worker.file = file
            checkDefinition(of: worker, life)
        }
        if Set(report.changed) != expected.changed || Set(report.added) != expected.added
            || Set(report.removed) != expected.removed
        {
            problems.append(
                "files were read: changed \(report.changed), added \(report.added), removed \(report.removed) instead of \(expected)"
            )
        }
        let failed = Set(report.failed.compactMap(\.worker))
        if failed != expected.failed || files.isUnlistable && report.failed.isEmpty {
            problems.append("files do not hold: \(report.failed) instead of \(expected.failed)")
        }
    }

    /// A worker is as the last file had it that could be read.
    private func checkDefinition(of worker: WalkWorker, _ life: SupervisorLife) {
        let entry = life.service.registry[worker.name]
        guard let read = worker.file?.read else {
            if let entry, !entry.isOrphaned { problems.append("\(worker.name) is defined by no file") }
            return
        }
        guard let entry, !entry.isOrphaned,
            let configuration = life.supervisor.workers[entry.id]?.configuration
        else {
            return problems.append("\(worker.name) is not defined")
        }
        let idle = configuration.policy.idle.map { Int($0.delay.microseconds) }
        if idle != read.idle {
            problems.append("\(worker.name) sleeps after \(idle ?? -1) instead of \(read.idle ?? -1) µs")
        }
    }

    /// A process is launched as the last file has it that could be read, whatever the file is now.
    func prepared(_ key: WorkerID, _ request: LaunchRequest) {
        guard let worker = byKey[key], let file = worker.file else { return }
        // While all are read, it may have had its turn, or not.
        let now = isReading && file.state == .whole ? file.revision : nil
        guard let read = file.read ?? worker.lastRead ?? now.map({ ($0, nil) }) else {
            return problems.append("\(worker.name) is launched without a definition")
        }
        let told = request.environment["WALK_REVISION"]?.description
        if let now, told == "\(now)" { return }
        if request.environment["WALK_REVISION"]?.description != "\(read.revision)" {
            problems.append(
                "\(worker.name) is launched by revision \(request.environment["WALK_REVISION"]?.description ?? "none") instead of \(read.revision)"
            )
        }
        if request.environment["TORPOR_WORKER"]?.description != worker.name {
            problems.append("\(worker.name) is launched under another name")
        }
    }
}
