import CallbackService
import Cgroups
import ConfigurationSyntax
import ControlAPI
import ControlServer
import DaemonCore
import Glibc
import History
import HostContract
import Lifecycle
import Linux
import Notifications
import OperatorService
import Records
import SnapshotCoding
import Store
import Supervisor
import SupervisorPorts
import Systemd
import WorkerFile

/// Supervisors that begin, are killed, and hand over: in the order of `Daemon.run`, `Daemon.takeOver` and `Daemon.unpack`.
extension Walk {
    static let bootID = WalkDisk.bootID

    /// A supervisor without workers, as far as it comes before any is known.
    private func begin() -> SupervisorLife? {
        guard let life = try? SupervisorLife(self) else {
            problems.append("no event loop could be made")
            return nil
        }
        lives += 1
        self.life = life
        life.port.isKilledNow = { [unowned self] in
            guard deadlyCalls > 0, !isCalm, pick(deadlyCalls) == 0 else { return false }
            figures.killsInCalls += 1
            return true
        }
        life.port.whenKilled = { [unowned self, unowned life] in killed(life) }
        life.port.whenGone = { [unowned life] id in life.workerService.close(id) }
        life.port.whenHookTook = { [unowned self] key, topic, payload, count in
            guard let worker = byKey[key] else { return }
            takesByHook(topic, payload, count, worker)
        }
        life.port.whenTold = { [unowned self] key, fact in
            guard let worker = byKey[key] else { return }
            told(fact, of: worker)
        }
        life.supervisor.start()
        life.supervisor.states = life.states
        life.supervisor.notifications = life.disk
        life.supervisor.wallAlarm = life
        restoreInboxes(of: life)
        life.supervisor.observe(as: .log, self)
        if let recording = life.recording { life.supervisor.observe(as: .history, recording) }
        return life
    }

    /// As `Daemon.restoreInboxes`.
    private func restoreInboxes(of life: SupervisorLife) {
        disk.isUnreadable = !isCalm && chance(5)
        let kept = life.recorder.storedInboxes()
        if life.recorder.isUnread != nil {
            life.supervisor.lastUnreadNumber = UInt64(
                clamping: 1_700_000_000_000_000 + machine.now.microseconds)
        }
        life.supervisor.restore(kept)
        life.recorder.report = { [unowned self] event in
            trace(68, 0, 0, "store: \(event)")
            if case .unavailable(_) = event {
                ledger.letUncertain()
                disk.lastFailureTold = machine.now
            }
        }
        life.recorder.wasRead = { [unowned self, unowned life] kept in
            trace(30, 0, 0, "the store can be read after all")
            if !life.port.isCut { life.supervisor.restoreLate(kept) }
        }
        guard disk.isUnreadable else { return }
        machine.schedule(at: machine.now + span(.seconds(30))) { [weak self] in
            self?.disk.isUnreadable = false
        }
    }

    /// Those that are active on their own may be in a group for the next supervisor, which reads their files anew.
    private func markFreelyActive(_ life: SupervisorLife) {
        for worker in workers where life.group(of: worker) == nil && life.life(of: worker)?.state == .active {
            worker.hasJoinedActive = true
        }
    }

    /// A supervisor reads the files as they are when it begins.
    private func define(for life: SupervisorLife) {
        for worker in workers {
            worker.file?.read = nil
            worker.lastRead = nil
        }
        if !isCalm {
            files.isUnlistable = chance(2)
            files.unreadable = chance(10) ? [workers[pick(workers.count)].name] : []
        }
        reload()
        (files.isUnlistable, files.unreadable) = (false, [])
        for worker in shuffled(workers) where worker.file == nil { life.add(worker) }
    }

    /// Has the history say something of the supervisor itself.
    private func note(_ word: String, _ life: SupervisorLife) {
        guard !life.port.isCut else { return }
        let entry = HistoryEntry(worker: "", kind: .supervisor, at: 0, reason: word)
        history.happens(entry, at: machine.now)
        life.recorder.record(entry)
    }

    /// A supervisor begins where another was killed, or the first one.
    func startSupervisor() {
        guard life == nil, let life = begin() else { return }
        trace(31, lives, 0, "supervisor \(lives) begins")
        define(for: life)
        guard !life.port.isCut else { return }
        do {
            let records = try LiveRecords(in: directory)
            let found = records.found(bootID: Self.bootID, now: machine.now)
            if let problem = found.problem { problems.append("records: \(problem)") }
            records.begin(bootID: Self.bootID, keeping: Set(found.records.keys))
            records.complain = { [unowned self] in problems.append("records: \($0)") }
            life.supervisor.records = records
            takeOver(found, life)
        } catch {
            problems.append("records: \(error)")
        }
        note("started", life)
        if !life.port.isCut { life.endTurn() }
    }

    private func takeOver(_ found: LiveRecords.Found, _ life: SupervisorLife) {
        life.supervisor.beginInheritance()
        for (name, record) in found.records.sorted(by: { $0.key < $1.key }) {
            guard !life.port.isCut, let worker = byName[name] else { continue }
            guard let id = life.adopt(worker, hasProcess: true) else { continue }
            let adoption = life.supervisor.restore(record, as: id)
            if life.port.isCut { return }
            life.supervisor.submit(.savedState(states.names.contains(name)), to: id)
            trace(
                32, Int(worker.key.rawValue), 0,
                "\(name): record of \(record.life.state), pid \(record.life.pid ?? 0), \(adoption.map { "\($0)" } ?? "no process")"
            )
            if case .alive(let pid, _)? = adoption { worker.launched = pid }
        }
        for worker in workers
        where !life.port.isCut && machine.lives(worker.key) && machine.pid(of: worker.key) != nil {
            if life.life(of: worker)?.currentLaunch != nil { continue }
            guard let id = life.adopt(worker, hasProcess: true) else { continue }
            // Its record was written before it was launched.
            problems.append("\(worker.name) runs and its record does not know")
            _ = life.supervisor.adoptUnknown(id)
        }
        if life.port.isCut { return }
        life.supervisor.settleInheritance(lastRan: found.lastWritten)
        life.supervisor.rearmSchedules()
    }

    /// SIGKILL, or a call that was the last one.
    private func killed(_ life: SupervisorLife) {
        figures.kills += 1
        trace(33, lives, 0, "supervisor \(lives) is killed")
        markFreelyActive(life)
        life.supervisor.records = nil
        life.killStore(committing: chance(50))
        checkHistory(isWhole: false, isOver: true)
        loseClients()
        // A refusal is told before what was refused is taken off the disk, and one who could not read that has taken nothing off it.
        ledger.letRefusalsGo(after: life.recorder.obstacle == nil ? disk.lastCommit : .zero)
        for place in histories.keys { histories[place]?.letRefusalsGo() }
        for ask in asks { ask.isDropped = true }
        asks = []
        for worker in workers {
            worker.launched = nil
            // The record of its end may not have reached the live record.
            worker.recorded = []
            unsettleValue(of: worker)
            breakConnection(of: worker)
            unsettleValue(of: worker)
        }
    }

    /// Sees to it that a dead supervisor is gone when its last turn is over, and that another one comes.
    func bury() {
        guard let life, life.port.isCut else { return }
        life.dismantle()
        self.life = nil
        if isCalm { return startSupervisor() }
        // Whoever starts it takes a while, in which the machine goes on.
        machine.advance(by: chance(70) ? span(.milliseconds(50)) : span(.seconds(40)))
        startSupervisor()
    }

    /// Becomes another program in the same process; nothing of it is lost.
    func handOver() {
        guard let old = life, !old.port.isCut else { return }
        guard settle(old) else { return }
        let isWhole = old.recorder.isSettled && old.recorder.obstacle == nil
        figures.handovers += 1
        markFreelyActive(old)
        trace(34, lives, 0, "supervisor \(lives) hands over")
        var packed: [(name: String, hasProcess: Bool, text: [UInt8])] = []
        for worker in workers {
            guard let id = old.ids[worker.name], let handover = old.supervisor.handover(of: id) else {
                continue
            }
            let hasProcess = old.life(of: worker)?.currentLaunch != nil
            packed.append((worker.name, hasProcess, HandoverWriter.text(of: handover)))
        }
        let parked = old.supervisor.parkedHandover.sorted { $0.key < $1.key }
            .map { (name: $0.key, text: HandoverWriter.text(of: $0.value)) }
        let payloads = old.port.hookPayloads
        var connections = Array(packConnections(of: old.server).reversed())
        var attachments = Array(packConnections(of: old.workerService.server).reversed())
        // Those that no supervisor takes, since one was killed before.
        defer { for connection in connections + attachments { close(connection.descriptor) } }
        let names = old.workers.mapValues(\.name)
        old.port.handOver()
        old.killStore(committing: false)
        checkHistory(isWhole: isWhole, isOver: true)
        old.dismantle()
        life = nil
        guard let new = begin() else { return }
        define(for: new)
        guard !new.port.isCut else { return }
        new.port.hookPayloads = payloads
        do {
            let records = try LiveRecords(in: directory)
            _ = records.found(bootID: Self.bootID, now: machine.now)
            records.begin(bootID: Self.bootID, keeping: Set(packed.map(\.name)))
            new.supervisor.records = records
        } catch {
            problems.append("records: \(error)")
        }
        var taken: [WorkerID] = []
        new.supervisor.beginInheritance()
        for (name, hasProcess, text) in packed {
            guard let worker = byName[name] else { continue }
            do {
                let handover = try HandoverReader.value(LifeHandover.self, of: text)
                guard let id = new.adopt(worker, hasProcess: hasProcess) else {
                    if let inbox = handover.inbox { new.supervisor.take(inbox, parkedFor: name) }
                    continue
                }
                new.supervisor.take(handover, as: id)
                taken.append(id)
            } catch {
                problems.append("the handover of \(name) cannot be read: \(error)")
            }
            if new.port.isCut { return }
        }
        for (name, text) in parked where !new.port.isCut {
            do {
                new.supervisor.take(try HandoverReader.value(InboxHandover.self, of: text), parkedFor: name)
            } catch {
                problems.append("what waits for \(name) cannot be read: \(error)")
            }
        }
        while !new.port.isCut, var connection = attachments.popLast() {
            connection.worker = connection.worker.flatMap { names[$0] }.flatMap { new.ids[$0] }
            if connection.worker != nil {
                new.workerService.server.resume(connection)
            } else {
                close(connection.descriptor)
            }
        }
        resumeAsks(new)
        while !new.port.isCut, let connection = connections.popLast() { new.server.resume(connection) }
        for id in taken.sorted() where !new.port.isCut { new.supervisor.resumeLife(of: id) }
        if new.port.isCut { return }
        new.supervisor.rearmSchedules()
        new.supervisor.settleInheritance(lastRan: nil)
        note("replaced", new)
        if !new.port.isCut { new.endTurn() }
    }

    /// Waits until all is on the disk, as `Daemon.settle` does, and no longer; false where it does not come to rest.
    private func settle(_ life: SupervisorLife) -> Bool {
        let limit = machine.now + .milliseconds(100)
        life.server.pause(true)
        life.workerService.server.pause(true)
        while !life.port.isCut {
            var isKept = false
            life.supervisor.releaseHeldEnds()
            life.supervisor.keepAllChanges()
            if !life.port.isCut { life.recorder.settle { isKept = true } }
            repeat {
                if let due = machine.nextDue, due <= limit {
                    machine.step()
                } else {
                    machine.stallQuietly(until: limit)
                }
                if !life.port.isCut { life.endTurn() }
            } while !isKept && machine.now < limit && !life.port.isCut
            if life.port.isCut { return false }
            let isAtRest = life.supervisor.isAtRest
            if isAtRest && life.recorder.isSettled { return true }
            guard machine.now >= limit else { continue }
            if isAtRest { return true }
            life.server.pause(false)
            life.workerService.server.pause(false)
            return false
        }
        return false
    }

    /// The connections of clients, as text and back; of their sockets the old program keeps none.
    private func packConnections(of server: ControlServer) -> [ConnectionHandover] {
        server.handover.compactMap { handover in
            do {
                let text = HandoverWriter.text(of: handover)
                let read = try HandoverReader.value(ConnectionHandover.self, of: text)
                let descriptor = dup(read.descriptor)
                guard dup2(hole, read.descriptor) >= 0 else { throw LinuxError(errno: errno, call: "dup2") }
                return ConnectionHandover(
                    descriptor: descriptor, snapshot: read.snapshot, calls: read.calls, worker: read.worker)
            } catch {
                problems.append("the handover of a connection cannot be read: \(error)")
                return nil
            }
        }
    }

    /// Callers that waited go on waiting.
    private func resumeAsks(_ life: SupervisorLife) {
        let waiting = asks
        asks = []
        for ask in waiting {
            // Those of clients with a socket wait behind that.
            guard ask.token != nil else {
                asks.append(ask)
                continue
            }
            guard ask.answers == 0, !ask.isDropped, let id = life.ids[ask.worker.name], !life.port.isCut
            else {
                continue
            }
            asks.append(ask)
            ask.token = life.supervisor.waitOn(for: ask.goal, id) { _ in ask.answers += 1 }
        }
    }

    func shuffled<Element>(_ list: [Element]) -> [Element] { list.shuffled(using: &random) }
}
