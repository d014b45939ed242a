import ControlServer
import DaemonCore
import HostContract
import Idleness
import Interrupting
import Lifecycle
import Linux
import Notifications
import Store
import Supervisor
import SupervisorPorts
import Varlink

/// What happens in one step: time passes, a client asks, a process or another program does something, something fails.
extension Walk {
    private static let person = Requester.operator(uid: 0, pid: 7)

    func takeStep() {
        if life == nil || isKilled { return replaceSupervisor() }
        exits = []
        machine.manners = manners
        // In few steps every call may be the last one.
        deadlyCalls = pick(400) == 0 ? 1 + pick(24) : 0
        switch pick(1000) {
        case 0..<500: passTime()
        case 500..<560: callAsClient()
        case 560..<650: request()
        case 650..<690: steer()
        case 690..<790: post()
        case 790..<820: actOutside()
        case 820..<850: speak()
        case 850..<870: wake()
        case 870..<885: leaveRequest()
        case 885..<900: interrupt()
        case 900..<915: editFile()
        case 915..<930: evict()
        case 930..<940: changeNotifications()
        case 940..<946:
            machine.stall(for: span(.seconds(200)))
            lastStall = machine.now
        case 946..<950: machine.machineSlept = machine.machineSlept + span(.seconds(3000))
        case 950..<960: breakDisk()
        case 960..<965: life?.supervisor.isLowPower.toggle()
        case 965..<970: closeOrReopen()
        case 970..<976:
            // More often than other steps: it is rare, and long.
            if pick(8) == 0 { deadlyCalls = 1 + pick(24) }
            handOver()
        case 976..<979: life?.port.cut()
        case 979..<985: if let connection = any(workers)?.connection { disconnect(connection) }
        default: passTime()
        }
        if !isKilled, chance(80) {
            if chance(50) { sendRest() }
            life?.endTurn()
        }
        deadlyCalls = 0
    }

    private func replaceSupervisor() {
        // A start may be cut off at any of its calls, too.
        deadlyCalls = pick(8) == 0 ? 1 + pick(24) : 0
        defer { deadlyCalls = 0 }
        if life == nil { startSupervisor() } else { bury() }
    }

    private func any<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[pick(list.count)] }

    /// A worker that the supervisor knows, with its number there.
    private func anyWorker() -> (worker: WalkWorker, id: WorkerID, life: SupervisorLife)? {
        guard let life, let worker = any(workers), let id = life.ids[worker.name] else { return nil }
        return (worker, id, life)
    }

    private func passTime() {
        life?.endTurn()
        figures.happenings += 1
        let limit = machine.now + (chance(95) ? span(.seconds(3)) : span(.seconds(700)))
        if let due = machine.nextDue, due <= limit {
            _ = machine.step()
        } else {
            machine.stallQuietly(until: limit)
        }
    }

    // MARK: clients

    private func request() {
        guard let (worker, id, life) = anyWorker() else { return }
        let goal = Goal.allCases[pick(5)]
        let ask = Ask(worker, goal)
        asks.append(ask)
        figures.requests += 1
        trace(10, Int(worker.key.rawValue), pick(1), "\(worker.name): requested \(goal)")
        let port = life.port
        ask.token = life.supervisor.request(Request(goal, by: Self.person), of: id) { [unowned self] in
            answered(ask, $0, port)
        }
        dropAnswered()
    }

    private func answered(_ ask: Ask, _ outcome: WaitOutcome, _ port: SupervisorPort) {
        guard !port.isCut else { return }
        ask.answers += 1
        trace(11, Int(ask.worker.key.rawValue), 0, "\(ask.worker.name): answered, \(outcome)")
        if ask.answers > 1 { problems.append("a request of \(ask.worker.name) was answered twice") }
        if ask.isDropped, !ask.isOfMany {
            problems.append("a request of \(ask.worker.name) that was given up was answered")
        }
    }

    private func dropAnswered() { if asks.count > 64 { asks.removeAll { $0.answers > 0 || $0.isDropped } } }

    private func steer() {
        guard let (worker, id, life) = anyWorker() else { return }
        let ask = Ask(worker, nil)
        asks.append(ask)
        let port = life.port
        let answer: (WaitOutcome) -> Void = { [unowned self] in answered(ask, $0, port) }
        let kind = pick(4)
        trace(
            12, Int(worker.key.rawValue), kind,
            "\(worker.name): \(["resume", "restart", "force quit", "open"][kind])")
        switch kind {
        case 0: ask.token = life.supervisor.resume(id, by: Self.person, then: answer)
        case 1:
            // Of workers that are restarted together the others may answer when the one that was meant has been given up.
            ask.isOfMany = true
            ask.token = life.supervisor.restart(id, by: Self.person, then: answer)
        case 2: ask.token = life.supervisor.forceQuit(id, by: Self.person, then: answer)
        default:
            asks.removeLast()
            life.supervisor.open("x:\(pick(100))", with: id) { _ in }
        }
        dropAnswered()
    }

    private func leaveRequest() {
        guard let life, let ask = any(asks), ask.answers == 0, let token = ask.token else { return }
        ask.isDropped = true
        life.supervisor.cancel(token)
    }

    private func post() {
        guard let (worker, id, life) = anyWorker(), worker.takesPosts else { return }
        let kind = pick(20)
        let waking: PostWaking = chance(25) ? .silently : .nobody
        switch kind {
        case 0..<9: postEach(to: worker, id, life, waking)
        case 9..<13: postTick(to: worker, id, life, waking)
        case 13..<17: postValue("last", .latest, to: worker, id, life, waking)
        case 17: schedule(to: worker, id, life)
        case 18: postValue("value", .net, to: worker, id, life, waking)
        default:
            guard let topic = Topic("noise") else { return }
            life.supervisor.post(
                Post(topic, .each, at: machine.now.microseconds, survives: false), to: id, waking: waking)
        }
    }

    private func postEach(
        to worker: WalkWorker, _ id: WorkerID, _ life: SupervisorLife, _ waking: PostWaking
    ) {
        // Beyond the limit of the queue the oldest fold into a count.
        guard let topic = Topic("each"), life.supervisor.notifications(of: id)?.waiting.count ?? 0 < 400
        else { return }
        lastPost += 1
        figures.posts += 1
        let number = lastPost
        ledger.posts(number, to: worker.name)
        trace(13, Int(worker.key.rawValue), number, "\(worker.name): post \(number)")
        let port = life.port
        let post = Post(topic, .each, payload: Array("\(number)".utf8), at: machine.now.microseconds)
        let outcome = life.supervisor.post(post, to: id, waking: waking) { [unowned self] problem in
            guard !port.isCut else { return }
            trace(
                14, Int(worker.key.rawValue), number, "\(worker.name): post \(number) \(problem ?? "is kept")"
            )
            ledger.answered(
                number, isKept: problem == nil, isCertain: life.recorder.obstacle == nil, at: machine.now)
        }
        guard !port.isCut else { return }
        switch outcome {
        case .queued(let sequence): ledger.queued(number, as: sequence)
        case .vanished: problems.append("post \(number) vanished")
        case .refused(let refusal):
            trace(15, Int(worker.key.rawValue), number, "\(worker.name): post \(number) refused, \(refusal)")
            ledger.answered(number, isKept: false, isCertain: true, at: machine.now)
        }
    }

    private func schedule(to worker: WalkWorker, _ id: WorkerID, _ life: SupervisorLife) {
        guard let topic = Topic("each") else { return }
        lastPost += 1
        figures.posts += 1
        let number = lastPost
        ledger.posts(number, to: worker.name, isScheduled: true)
        trace(21, Int(worker.key.rawValue), number, "\(worker.name): post \(number) is scheduled")
        let (port, now) = (life.port, machine.now.microseconds)
        let due = (machine.now + span(.seconds(120))).microseconds
        let post = Post(topic, .each, payload: Array("\(number)".utf8), at: now)
        let outcome = life.supervisor.schedule(
            post, for: id, at: due, every: nil, waking: chance(30), now: now
        ) {
            [unowned self] problem in
            guard !port.isCut else { return }
            trace(
                22, Int(worker.key.rawValue), number,
                "\(worker.name): schedule of \(number) \(problem ?? "is kept")")
            ledger.answered(
                number, isKept: problem == nil, isCertain: life.recorder.obstacle == nil, at: machine.now)
        }
        if case .failure = outcome, !port.isCut {
            ledger.answered(number, isKept: false, isCertain: true, at: machine.now)
        }
    }

    private func postTick(
        to worker: WalkWorker, _ id: WorkerID, _ life: SupervisorLife, _ waking: PostWaking
    ) {
        guard let topic = Topic("tick") else { return }
        let place = PostLedger.Place(worker: worker.name, topic: "tick")
        let port = life.port
        life.supervisor.post(Post(topic, .count, at: machine.now.microseconds), to: id, waking: waking) {
            [unowned self] problem in
            if !port.isCut, problem == nil, life.recorder.obstacle == nil { ledger.counted(place) }
        }
    }

    private func postValue(
        _ name: String, _ rule: MergeRule, to worker: WalkWorker, _ id: WorkerID, _ life: SupervisorLife,
        _ waking: PostWaking
    ) {
        guard let topic = Topic(name), worker.connects else { return }
        lastPost += 1
        let number = lastPost
        let text = rule == .net ? "\(pick(3))" : "\(number)"
        let place = PostLedger.Place(worker: worker.name, topic: name)
        histories[place, default: PostHistory()].posts(number, text)
        trace(16, Int(worker.key.rawValue), number, "\(worker.name): \(name) becomes \(text)")
        let port = life.port
        let post = Post(topic, rule, payload: Array(text.utf8), at: machine.now.microseconds)
        let outcome = life.supervisor.post(post, to: id, waking: waking) { [unowned self] problem in
            guard !port.isCut else { return }
            if problem == nil {
                if life.recorder.obstacle == nil { histories[place]?.isKept(number) }
            } else {
                histories[place]?.isRefused(number)
            }
        }
        if case .refused = outcome, !port.isCut { histories[place]?.isRefused(number) }
    }

    private func changeNotifications() {
        guard let (_, id, life) = anyWorker(), let view = life.supervisor.notifications(of: id) else {
            return
        }
        if let entry = any(view.setAside), chance(70) {
            _ = life.supervisor.retryNotification(entry.sequence, of: id)
        } else if let entry = any(view.waiting), entry.topic.name == "each" {
            if let number = PostLedger.number(in: String(decoding: entry.payload ?? [], as: UTF8.self)) {
                ledger.removed(number)
            }
            _ = life.supervisor.dropNotification(entry.sequence, of: id)
        }
    }

    private func interrupt() {
        guard let (_, id, life) = anyWorker() else { return }
        if let number = interruptions.first, chance(60) {
            interruptions.removeFirst()
            for id in life.workers.keys.sorted() {
                life.supervisor.settleInterruptions(of: id, .endRequested(number))
            }
        } else if case .success(let begun) = life.supervisor.interrupt(
            id, .request("a call"), by: Self.person, limit: chance(50) ? span(.seconds(60)) : nil)
        {
            interruptions.append(begun.number)
        }
    }

    // MARK: processes and other programs

    private func actOutside() {
        guard let worker = any(workers) else { return }
        let kind = pick(5)
        trace(
            17, Int(worker.key.rawValue), kind,
            "\(worker.name): \(["stopped", "continued", "crashes", "exits", "traced"][kind]) outside")
        switch kind {
        case 0: machine.stopFromOutside(worker.key)
        case 1: machine.continueFromOutside(worker.key)
        case 2: machine.end(worker.key, .killed(signal: 11, coreDumped: true))
        case 3: machine.end(worker.key, .exited(chance(50) ? 0 : 3))
        default: machine.setTraced(worker.key, chance(20))
        }
    }

    private func speak() {
        guard let worker = any(workers), machine.runs(worker.key) else { return }
        var report = NotifyReport()
        switch pick(8) {
        case 0: report.phase = .ready
        case 1: report.phase = .reloading
        case 2: report.phase = .stopping
        case 3: report.extendTimeout = span(.seconds(60))
        case 4: report.isAlive = true
        case 5: report.watchdogPeriod = .seconds(20)
        case 6: report.isInUse = chance(50)
        default: report.status = "status \(pick(10))"
        }
        machine.say(worker.key, report)
    }

    private func wake() {
        guard let (_, id, life) = anyWorker() else { return }
        switch pick(6) {
        case 0: life.port.observer?.receive(.wanted(.unnamed, isExplained: chance(50)), of: id)
        case 1: life.port.observer?.receive(.knocked(.unnamed), of: id)
        case 2: life.supervisor.submit(.woken(Wake(.fetch, intoForeground: false)), to: id)
        case 3: life.supervisor.submit(.used(chance(50)), to: id)
        case 4: life.supervisor.submit(.announced(.didReceiveMemoryWarning), to: id)
        default: life.supervisor.wake(id, for: .path, options: [:])
        }
    }

    private func evict() {
        guard let (_, id, life) = anyWorker() else { return }
        life.supervisor.submit(.evictionRequested(Eviction(by: .memoryPressure)), to: id)
    }

    /// A file of a worker changes, goes away, or comes back.
    private func breakDisk() {
        guard disk.fault == nil else {
            trace(18, 0, 0, "the disk is well again")
            return disk.mend()
        }
        guard chance(30) else { return }
        trace(19, 0, 0, "the disk is full")
        disk.fail([.full, .failed, .unwritable, .busy][pick(4)])
    }

    private func closeOrReopen() {
        guard let life else { return }
        if life.supervisor.isClosed {
            _ = life.supervisor.reopen()
        } else if chance(30) {
            life.supervisor.close()
            for id in life.workers.keys.sorted() {
                life.supervisor.request(Request(.notRunning, by: Self.person), of: id)
            }
        }
    }
}
