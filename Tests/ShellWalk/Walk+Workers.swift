import DaemonCore
import HostContract
import Lifecycle
import Linux
import Notifications
import Supervisor
import SupervisorPorts
import Varlink

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
        listen(worker)
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
            life.supervisor.workers[id]?.configuration.hasWorkerSocket ?? false,
            let attached = WalkSocket.pair(), let calls = WalkSocket.pair()
        else {
            // It tries again, as the libraries do.
            return connect(worker, pid, after: .milliseconds(250))
        }
        var callbacks = CallbackSet.all
        if worker.policy.readiness != .app {
            callbacks = CallbackSet([.didReceiveNotifications, .didEnterBackground])
        }
        let connection = WalkConnection(worker, pid: pid, callbacks, attached.own, calls.own)
        worker.connection = connection
        trace(42, Int(worker.key.rawValue), Int(pid), "\(worker.name): connects")
        life.admit(attached.other, of: id)
        life.admit(calls.other, of: id)
        connection.attach()
        send(connection, connection.attached)
    }

    /// Sends what is left, not always all at once.
    private func send(_ connection: WalkConnection, _ socket: WalkSocket) {
        guard !connection.isBroken else { return }
        socket.send(isCalm || chance(90) ? socket.unsentCount : pick(socket.unsentCount + 1))
    }

    /// The connection goes away, from the worker's side.
    func disconnect(_ connection: WalkConnection) {
        let worker = connection.worker
        guard worker.connection === connection else { return }
        if connection.awaitsCompletion { unsettleValue(of: worker) }
        connection.close()
        worker.connection = nil
        trace(43, Int(worker.key.rawValue), 0, "\(worker.name): its connection closes")
        if machine.pid(of: worker.key) == connection.pid {
            connect(worker, connection.pid, after: isCalm ? .milliseconds(5) : span(.seconds(2)))
        }
    }

    /// The supervisor at the other end was killed: a worker that runs connects anew, sooner or later.
    func breakConnection(of worker: WalkWorker) {
        guard let connection = worker.connection else { return }
        // What was written before the end may have been read.
        if machine.runs(worker.key), chance(70) {
            for message in connection.calls.receive() ?? [] { hear(message, connection) }
        }
        connection.close()
        worker.connection = nil
        guard machine.pid(of: worker.key) == connection.pid else { return }
        connect(worker, connection.pid, after: chance(85) ? span(.seconds(4)) : span(.seconds(20)))
    }

    /// The worker reads what it is told, where it runs.
    func listen(_ worker: WalkWorker) {
        guard let connection = worker.connection, !connection.isBroken, machine.runs(worker.key),
            machine.pid(of: worker.key) == connection.pid
        else { return }
        // What it could not send before it slept.
        if isCalm { connection.sendAll() }
        guard let answers = connection.calls.receive() else { return lost(connection) }
        for message in answers { hear(message, connection) }
        guard !connection.isBroken else { return }
        guard let told = connection.attached.receive() else { return lost(connection) }
        for message in told where !connection.isBroken { heed(message, connection) }
    }

    /// The supervisor has closed it.
    private func lost(_ connection: WalkConnection) {
        if !isKilled, machine.pid(of: connection.worker.key) == connection.pid,
            let model = life?.life(of: connection.worker), model.currentLaunch != nil,
            model.pid == connection.pid
        {
            problems.append("\(connection.worker.name) was cut off by its supervisor")
        }
        disconnect(connection)
    }

    /// A message on the attached connection.
    private func heed(_ message: [UInt8], _ connection: WalkConnection) {
        let worker = connection.worker
        guard let object = (try? JSON(parsing: message.span))?.object else {
            return problems.append("\(worker.name) was told \(String(decoding: message, as: UTF8.self))")
        }
        if let error = object["error"]?.string {
            trace(48, Int(worker.key.rawValue), 0, "\(worker.name): is not attached: \(error)")
            if !error.hasSuffix("AlreadyAttached"), !error.hasSuffix("NotNow") {
                problems.append("\(worker.name) cannot attach: \(error)")
            }
            return disconnect(connection)
        }
        let parameters = object["parameters"]?.object
        if parameters?["standing"] != nil {
            if connection.isAttached { problems.append("\(worker.name) was told its standing twice") }
            connection.isAttached = true
            trace(49, Int(worker.key.rawValue), 0, "\(worker.name): is attached")
        } else if let callback = parameters?["callback"]?.object {
            guard let id = callback["id"]?.int, let name = callback["name"]?.string.flatMap(Callback.init)
            else {
                return problems.append("\(worker.name) was told \(String(decoding: message, as: UTF8.self))")
            }
            if !connection.isAttached {
                problems.append("\(worker.name) was told \(name) before its standing")
            }
            if !connection.callbacks.contains(name) {
                problems.append("\(worker.name) was told \(name), which it has not asked for")
            }
            deliver(Told(id: id, callback: name, notifications: notifications(in: callback)), on: connection)
        }
    }

    private func notifications(in callback: JSON.Object) -> [Told.Notification] {
        (callback["notifications"]?.array ?? []).compactMap { entry in
            guard let entry = entry.object, let topic = entry["topic"]?.string else { return nil }
            return Told.Notification(
                topic: topic, payload: entry["payload"]?.text ?? "",
                count: Int(entry["count"]?.int ?? 1) + Int(entry["dropped"]?.int ?? 0))
        }
    }

    /// An answer to a call.
    private func hear(_ message: [UInt8], _ connection: WalkConnection) {
        let worker = connection.worker
        let text = String(decoding: message, as: UTF8.self)
        guard let object = (try? JSON(parsing: message.span))?.object, !connection.open.isEmpty else {
            return problems.append("\(worker.name) was answered \(text)")
        }
        let error = object["error"]?.string
        switch connection.open.removeFirst() {
        case .complete(let callback, let completion, let numbers, let sent):
            completed(callback, completion, numbers, sent, error, worker)
        case .beginTask(let length):
            guard let token = object["parameters"]?.object?["token"]?.int else { return }
            machine.schedule(at: machine.now + length) { [unowned self] in
                whenItRuns(connection) { [unowned self] in
                    guard !isKilled else { return }
                    connection.call("EndBackgroundTask", #"{"token":\#(token)}"#, .other)
                    send(connection, connection.calls)
                }
            }
        case .post(let number):
            trace(
                59, Int(worker.key.rawValue), number,
                "\(worker.name): post \(number) to itself \(error ?? "is kept")")
            if let sequence = object["parameters"]?.object?["sequence"]?.int {
                ledger.queued(number, as: UInt64(clamping: sequence))
            }
            ledger.answered(number, isKept: error == nil, isCertain: true, at: machine.now)
        case .other: break
        }
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

    /// A callback as a worker is told of it.
    struct Told {
        struct Notification {
            let topic: String
            let payload: String
            let count: Int
        }

        let id: Int64
        let callback: Callback
        let notifications: [Notification]
    }

    private func deliver(_ message: Told, on connection: WalkConnection) {
        let callback = message.callback
        trace(
            44, Int(connection.worker.key.rawValue), Int(message.id),
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

    private func react(_ reaction: Reaction, to message: Told, on connection: WalkConnection) {
        let worker = connection.worker
        var numbers: [Int] = []
        func take() {
            for entry in message.notifications {
                takes(entry.topic, entry.payload, count: entry.count, worker, &numbers)
            }
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
        _ message: Told, _ completion: Completion, _ connection: WalkConnection, _ numbers: [Int]
    ) {
        guard !isKilled, !connection.isBroken else { return }
        var parameters = #"{"id":\#(message.id)"#
        switch completion {
        case .done: if message.callback == .saveState { parameters += #","state":{"page":7}"# }
        case .refused: parameters += #","refused":true"#
        case .failed: parameters += #","failure":"it did not want to""#
        }
        let isWell = !disk.lastCommitFailed && life?.recorder.obstacle == nil
        connection.call(
            "Complete", parameters + "}",
            .complete(message.callback, completion, numbers: numbers, sent: isWell ? machine.now : nil))
        if !isCalm, chance(10) { callMore(connection) }
        send(connection, connection.calls)
    }

    /// Its completion was answered.
    private func completed(
        _ callback: Callback, _ completion: Completion, _ numbers: [Int], _ sent: Instant?, _ error: String?,
        _ worker: WalkWorker
    ) {
        let isTaken = error == nil
        trace(
            45, Int(worker.key.rawValue), isTaken ? 1 : 0,
            "\(worker.name): has completed \(callback), \(completion)\(isTaken ? "" : ", too late")")
        if let error, !error.hasSuffix("NoSuchCallback") {
            problems.append("\(worker.name) cannot complete \(callback): \(error)")
        }
        guard isTaken, completion == .done else { return }
        ledger.completed(numbers)
        // Where the disk takes nothing the answer comes all the same.
        guard let sent, max(disk.lastFailure, disk.lastFailureTold) < sent else { return }
        ledger.isOver(numbers)
        guard numbers.contains(where: { $0 < 0 }) else { return }
        histories[PostLedger.Place(worker: worker.name, topic: "value")]?.isUnsettled = false
    }

    private func beginTask(_ connection: WalkConnection) {
        guard !isKilled, !connection.isBroken else { return }
        let length = chance(90) ? span(.seconds(30)) : span(.seconds(900))
        connection.call("BeginBackgroundTask", #"{"name":"work"}"#, .beginTask(length))
        send(connection, connection.calls)
    }

    /// It calls something else.
    private func callMore(_ connection: WalkConnection) {
        switch pick(7) {
        case 0: connection.call("GetState", "{}", .other)
        case 1: connection.call("BackgroundTimeRemaining", "{}", .other)
        case 2: connection.call("SetInUse", #"{"inUse":\#(chance(40))}"#, .other)
        case 3: connection.call("SaveState", #"{"state":{"page":\#(pick(10))}}"#, .other)
        case 4: connection.call("Complete", #"{"id":\#(pick(1000) + 100_000)}"#, .other)
        case 5: connection.call("EndBackgroundTask", #"{"token":\#(pick(4))}"#, .other)
        default:
            lastPost += 1
            figures.posts += 1
            ledger.posts(lastPost, to: connection.worker.name)
            connection.call(
                "Post", #"{"topic":"each","rule":"each","payload":{"number":\#(lastPost)}}"#, .post(lastPost))
        }
    }

    // MARK: notifications

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
        case "last": known[place] = payload
        case "value":
            known[place] = payload
            numbers.append(-1 - (Int(payload) ?? 0))
        default: break
        }
    }
}
