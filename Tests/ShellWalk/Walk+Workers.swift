import HostContract
import Lifecycle
import Linux
import Notifications
import Supervisor
import SupervisorPorts

/// What processes do by themselves: they connect, answer what they are told, take what was posted, and end.
extension Walk {
    // MARK: the machine

    func started(_ key: WorkerID, _ pid: Int32) {
        guard let worker = byKey[key] else { return }
        figures.launches += 1
        trace(40, Int(key.rawValue), Int(pid), "\(worker.name): pid \(pid) runs")
        guard worker.connects else { return }
        // Some take too long, and are ended for that.
        connect(
            worker, pid,
            after: isCalm ? .milliseconds(5) : chance(97) ? span(.milliseconds(200)) : span(.seconds(40)))
    }

    func ended(_ key: WorkerID, _ pid: Int32) {
        guard let worker = byKey[key] else { return }
        trace(41, Int(key.rawValue), Int(pid), "\(worker.name): pid \(pid) is no more")
        guard let connection = worker.connection, connection.pid == pid else { return }
        connection.deferred = []
        machine.schedule(at: machine.now + (isCalm ? .milliseconds(1) : span(.milliseconds(100)))) {
            [unowned self] in
            disconnect(connection)
        }
    }

    /// The supervisor was killed: what it has handed out may not be on the disk.
    func unsettleValue(of worker: WalkWorker) {
        histories[PostLedger.Place(worker: worker.name, topic: "value")]?.isUnsettled = true
    }

    func runsAgain(_ key: WorkerID) {
        guard let worker = byKey[key] else { return }
        let deferred = worker.connection?.deferred ?? []
        worker.connection?.deferred = []
        for body in deferred { body() }
    }

    /// A fact on its way to the supervisor.
    func told(_ fact: Fact, of worker: WalkWorker) {
        trace(47, Int(worker.key.rawValue), 0, "\(worker.name): fact \(fact)")
        switch fact {
        case .launched(let pid): worker.launched = pid
        case .exited:
            guard let pid = worker.launched else { return }
            exits.append((worker, pid))
        default: break
        }
    }

    // MARK: connections

    private func connect(_ worker: WalkWorker, _ pid: Int32, after span: TimeSpan) {
        machine.schedule(at: machine.now + span) { [unowned self] in connect(worker, pid) }
    }

    private func connect(_ worker: WalkWorker, _ pid: Int32) {
        guard machine.pid(of: worker.key) == pid, worker.connection?.pid != pid else { return }
        // The end of the connection of a process before may not have been noticed.
        guard !isKilled, worker.connection == nil, machine.runs(worker.key), let life,
            let id = life.ids[worker.name],
            let model = life.supervisor.life(of: id), model.currentLaunch != nil, model.state != .notRunning
        else {
            // It tries again, as the libraries do.
            return connect(worker, pid, after: .milliseconds(250))
        }
        var callbacks = CallbackSet.all
        if worker.policy.readiness != .app {
            callbacks = CallbackSet([.didReceiveNotifications, .didEnterBackground])
        }
        let connection = WalkConnection(worker, pid: pid, callbacks, self)
        worker.connection = connection
        trace(42, Int(worker.key.rawValue), Int(pid), "\(worker.name): attaches")
        life.supervisor.attach(connection, to: id)
    }

    /// The connection goes away, from the worker's side.
    func disconnect(_ connection: WalkConnection) {
        let worker = connection.worker
        guard worker.connection === connection else { return }
        connection.isBroken = true
        worker.connection = nil
        guard !isKilled, let life, let id = life.ids[worker.name] else { return }
        trace(43, Int(worker.key.rawValue), 0, "\(worker.name): its connection closes")
        life.supervisor.detach(connection, from: id)
        if machine.pid(of: worker.key) == connection.pid {
            connect(worker, connection.pid, after: span(.seconds(2)))
        }
    }

    /// The supervisor at the other end was killed: a worker that runs connects anew, sooner or later.
    func breakConnection(of worker: WalkWorker) {
        guard let connection = worker.connection else { return }
        connection.isBroken = true
        worker.connection = nil
        guard machine.pid(of: worker.key) == connection.pid else { return }
        connect(worker, connection.pid, after: chance(85) ? span(.seconds(4)) : span(.seconds(20)))
    }

    // MARK: callbacks

    /// What a worker does about what it is told.
    enum Reaction {
        case completes(Completion)
        case ends
        case hangs
        case endsAfterTaking
        case completesTwice
    }

    func deliver(_ message: CallbackMessage, on connection: WalkConnection) {
        let callback = message.delivery.callback
        trace(
            44, Int(connection.worker.key.rawValue), Int(message.delivery.id),
            "\(connection.worker.name): is told \(callback)")
        let reaction = reaction(to: callback)
        let delay: TimeSpan =
            isCalm ? .milliseconds(1) : chance(90) ? span(.milliseconds(30)) : span(.seconds(12))
        machine.schedule(at: machine.now + delay) { [unowned self] in
            whenItRuns(connection) { [unowned self] in react(reaction, to: message, on: connection) }
        }
    }

    private func reaction(to callback: Callback) -> Reaction {
        if callback == .willTerminate { return isCalm || chance(80) ? .ends : .hangs }
        if callback == .shouldSaveState { return .completes(chance(60) ? .done : .refused) }
        if isCalm { return .completes(.done) }
        return switch pick(100) {
        case 0..<2: .hangs
        case 2..<5: .completes(.failed)
        case 5..<6: .ends
        case 6..<8: .endsAfterTaking
        case 8..<11: .completesTwice
        default: .completes(.done)
        }
    }

    private func whenItRuns(_ connection: WalkConnection, _ body: @escaping () -> Void) {
        guard !connection.isBroken, machine.pid(of: connection.worker.key) == connection.pid else { return }
        if machine.runs(connection.worker.key) { body() } else { connection.deferred.append(body) }
    }

    private func react(_ reaction: Reaction, to message: CallbackMessage, on connection: WalkConnection) {
        let worker = connection.worker
        var numbers: [Int] = []
        func take() {
            if case .notifications(let entries)? = message.content { numbers = takes(entries, worker) }
        }
        switch reaction {
        case .hangs: return
        case .ends:
            return machine.end(
                worker.key, chance(50) || isCalm ? .exited(0) : .killed(signal: 11, coreDumped: false))
        case .endsAfterTaking:
            take()
            return machine.end(worker.key, .killed(signal: 6, coreDumped: true))
        case .completes(let completion):
            if completion == .done { take() }
            complete(message, completion, connection, numbers)
        case .completesTwice:
            take()
            complete(message, .done, connection, numbers)
            complete(message, .done, connection, [])
        }
        if !isCalm, chance(6) { beginTask(connection) }
    }

    private func complete(
        _ message: CallbackMessage, _ completion: Completion, _ connection: WalkConnection, _ numbers: [Int]
    ) {
        guard !isKilled, let life, let id = life.ids[connection.worker.name] else { return }
        let state: [UInt8]? = message.delivery.callback == .saveState ? Array("{}".utf8) : nil
        let port = life.port
        var hasValue = false
        if case .notifications(let entries)? = message.content {
            hasValue = entries.contains { $0.topic.name == "value" }
        }
        let isTaken = life.supervisor.complete(
            message.delivery.id, completion, failure: completion == .failed ? "it did not want to" : nil,
            state: state, of: id
        ) { [unowned self] in
            guard !port.isCut, disk.problem == nil else { return }
            ledger.isOver(numbers)
            guard completion == .done, hasValue else { return }
            histories[PostLedger.Place(worker: connection.worker.name, topic: "value")]?.isUnsettled = false
        }
        if isTaken, completion == .done { ledger.completed(numbers) }
        trace(
            45, Int(connection.worker.key.rawValue), isTaken ? 1 : 0,
            "\(connection.worker.name): completes \(message.delivery.callback), \(completion)\(isTaken ? "" : ", too late")"
        )
    }

    private func beginTask(_ connection: WalkConnection) {
        guard !isKilled, let life, let id = life.ids[connection.worker.name] else { return }
        let length = chance(90) ? span(.seconds(30)) : span(.seconds(900))
        life.supervisor.beginTask("work", of: id, by: .worker) { [unowned self] answer, token, _, _ in
            guard answer == .began else { return }
            machine.schedule(at: machine.now + length) { [unowned self] in
                whenItRuns(connection) { [unowned self] in
                    guard !isKilled, let life = self.life, let id = life.ids[connection.worker.name] else {
                        return
                    }
                    life.supervisor.endTask(token, of: id, by: .worker)
                }
            }
        }
    }

    // MARK: notifications

    /// The worker takes what it was handed; answers the numbers of posts among it.
    func takes(_ entries: [QueuedNotification], _ worker: WalkWorker) -> [Int] {
        var numbers: [Int] = []
        for entry in entries {
            let payload = entry.payload.map { String(decoding: $0, as: UTF8.self) } ?? ""
            takes(entry.topic.name, payload, count: entry.count + entry.dropped, worker, &numbers)
        }
        return numbers
    }

    func takesByHook(_ topic: String, _ payload: String, _ count: Int, _ worker: WalkWorker) {
        var numbers: [Int] = []
        takes(topic, payload, count: count, worker, &numbers)
    }

    private func takes(
        _ topic: String, _ payload: String, count: Int, _ worker: WalkWorker, _ numbers: inout [Int]
    ) {
        trace(46, Int(worker.key.rawValue), count, "\(worker.name): takes \(topic) \(payload)")
        let place = PostLedger.Place(worker: worker.name, topic: topic)
        switch topic {
        case "each":
            guard let number = PostLedger.number(in: payload) else {
                problems.append("\(worker.name) was given a post of payload \(payload)")
                return
            }
            ledger.takes(number, worker: worker.name)
            numbers.append(number)
        case "tick": ledger.takes(count: count, at: place)
        case "last", "value": known[place] = payload
        default: break
        }
    }
}
