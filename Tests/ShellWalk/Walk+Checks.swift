import DaemonCore
import HostContract
import Interrupting
import Lifecycle
import Linux
import Notifications
import Store
import Supervisor
import SupervisorPorts

/// What must hold after each step, and what must come true when nothing goes wrong any more.
extension Walk {
    // MARK: always

    func checkStep() {
        guard !isKilled, let life else { return }
        var active: [String: String] = [:]
        for worker in workers {
            guard life.life(of: worker)?.state == .active else {
                worker.hasJoinedActive = false
                continue
            }
            guard !worker.hasJoinedActive, let group = life.group(of: worker) else { continue }
            if let other = active[group] {
                problems.append("\(other) and \(worker.name) are active in one foreground group")
            }
            active[group] = worker.name
        }
        for (worker, pid) in exits where worker.launched == pid {
            problems.append("the end of pid \(pid) of \(worker.name) was told, and not recorded")
        }
        exits = []
    }

    /// What was promised to be kept is on the disk until a worker has taken it.
    func checkPosts() {
        guard !ledger.owed.isEmpty else { return ledger.forgetOld(before: lastPost - 2000) }
        var inboxes: [String: StoredInbox] = [:]
        do { inboxes = try disk.inboxes() } catch { problems.append("the disk cannot be read: \(error)") }
        var stored: [String: Set<Int>] = [:]
        for (name, inbox) in inboxes {
            for entry in inbox.entries where entry.topic.name == "each" {
                guard let payload = entry.payload,
                    let number = PostLedger.number(in: String(decoding: payload, as: UTF8.self))
                else {
                    continue
                }
                stored[name, default: []].insert(number)
            }
        }
        for (name, inbox) in inboxes {
            for entry in inbox.schedules {
                let payload = String(decoding: entry.post.payload ?? [], as: UTF8.self)
                if let number = PostLedger.number(in: payload) { stored[name, default: []].insert(number) }
            }
        }
        for (number, entry) in ledger.owed where !(stored[entry.worker]?.contains(number) ?? false) {
            problems.append(
                "post \(number) to \(entry.worker) was acknowledged, is not taken, and is not on the disk (\(entry.sequence.map { "\($0)" } ?? "no number"): \(inboxes[entry.worker]?.entries.map { "\($0.sequence) \($0.topic) \(String(decoding: $0.payload ?? [], as: UTF8.self))" }.sorted() ?? [])"
            )
        }
        ledger.forgetOld(before: lastPost - 2000)
    }

    // MARK: in the end

    private static let patience = TimeSpan.seconds(7200)

    /// Nothing goes wrong any more, for a while: every worker has to get where it is wanted.
    func calm() {
        figures.calms += 1
        calmDown()
        let limit = machine.now + Self.patience
        while machine.now < limit, !unsettled.isEmpty {
            machine.advance(by: .seconds(1))
            life?.endTurn()
            bringBack()
        }
        for worker in unsettled {
            let model = life?.life(of: worker)
            problems.append(
                "\(worker.name) is stuck: \(model?.state.rawValue ?? "?"), pid \(model?.pid ?? 0) wanted \(model?.goal.rawValue ?? "?"), \(model.map { "\($0.deadlines)" } ?? "")"
            )
        }
        machine.advance(by: .milliseconds(100))
        life?.endTurn()
        compareWithMachine()
        // A watch begins a moment after the freeze.
        machine.advance(by: .zero)
        problems += machine.wrongEyes
        settleHistory()
        checkPosts()
        isCalm = false
    }

    /// All that has happened comes to the disk.
    private func settleHistory() {
        guard let life, !isKilled else { return }
        let limit = machine.now + .seconds(60)
        repeat {
            life.recorder.settle {}
            machine.advance(by: .milliseconds(100))
            life.endTurn()
        } while !life.recorder.isSettled && machine.now < limit
        if !life.recorder.isSettled { problems.append("the recorder does not come to rest") }
        checkHistory(isWhole: life.recorder.isSettled, isOver: false)
    }

    /// What another program has stopped runs again; so does what a supervisor froze that was killed before it was recorded.
    private func letRun(_ worker: WalkWorker, _ life: SupervisorLife) {
        let isHeld = life.life(of: worker)?.isHeld ?? false
        guard machine.isStopped(worker.key) || isHeld && machine.isFrozen(worker.key) else { return }
        machine.continueFromOutside(worker.key)
    }

    private func calmDown() {
        isCalm = true
        deadlyCalls = 0
        exits = []
        machine.manners = .prompt
        trace(20, 0, 0, "calm")
        if life == nil || isKilled {
            bury()
            if life == nil { startSupervisor() }
        }
        disk.mend()
        disk.isUnreadable = false
        guard let life else { return }
        sendRest()
        life.endTurn()
        mendFiles()
        // The store tries again later and later.
        let limit = machine.now + .seconds(700)
        while life.recorder.obstacle != nil, machine.now < limit {
            // Without anything to write it does not find out.
            life.recorder.settle {}
            machine.advance(by: .seconds(1))
            life.endTurn()
        }
        if let obstacle = life.recorder.obstacle {
            problems.append("the store does not recover: \(obstacle)")
        }
        life.supervisor.isLowPower = false
        for worker in workers {
            machine.setTraced(worker.key, false)
            letRun(worker, life)
            guard let id = life.ids[worker.name] else { continue }
            life.supervisor.look(at: id)
            while case .success = life.supervisor.settleInterruptions(of: id, .endRequested(nil)) {}
        }
        interruptions = []
        // Facts of before may still be underway.
        machine.advance(by: .seconds(5))
        life.endTurn()
        for worker in workers {
            letRun(worker, life)
            if let id = life.ids[worker.name] { life.supervisor.look(at: id) }
        }
        if life.supervisor.isClosed {
            let limit = machine.now + Self.patience
            while machine.now < limit, !life.supervisor.reopen() { machine.advance(by: .seconds(1)) }
            if life.supervisor.isClosed { problems.append("workers do not end although all are to") }
        }
    }

    /// Only an operator brings back what was ended by force, and what requires it is launched in vain until then.
    private func bringBack() {
        guard let life, !life.supervisor.isClosed else { return }
        for worker in workers where life.life(of: worker)?.restReason == .forceQuit {
            guard let id = life.ids[worker.name] else { continue }
            life.supervisor.request(Request(.background, by: .operator(uid: 0, pid: 7)), of: id)
        }
    }

    /// Workers that are not where they are wanted, nor as near to it as they can get.
    private var unsettled: [WalkWorker] {
        workers.filter { worker in
            guard let model = life?.life(of: worker), !model.isSettled else { return false }
            // It fails again and again, by its nature.
            if worker.program == "failing" || worker.program == "forker" { return false }
            // Whatever it needs may be such a one.
            return true
        }
    }

    /// The supervisor's picture of each worker is what the machine has.
    private func compareWithMachine() {
        guard let life else { return }
        for worker in workers {
            guard let model = life.life(of: worker) else { continue }
            guard model.isSettled else { continue }
            let pid = machine.pid(of: worker.key)
            // Its end is on its way, when all that it left has ended.
            if pid == nil, machine.lives(worker.key) { continue }
            if model.pid != pid, model.state != .notRunning || pid != nil {
                problems.append(
                    "\(worker.name) has pid \(pid ?? 0), and its supervisor knows \(model.pid ?? 0)")
            }
            guard pid != nil else { continue }
            let sleeps = !machine.runs(worker.key)
            if sleeps != (model.state == .suspended) {
                problems.append(
                    "\(worker.name) is \(model.state), and on the machine it \(sleeps ? "sleeps" : "runs")")
            }
        }
    }

    /// All that was promised is kept, and all workers end.
    func end() {
        calmDown()
        defer { isCalm = false }
        guard let life else { return }
        // All that is scheduled comes due.
        for _ in 0..<130 {
            machine.advance(by: .seconds(1))
            life.endTurn()
        }
        for worker in workers where worker.takesPosts { readOut(worker, life) }
        for (number, entry) in ledger.owed {
            problems.append(
                "post \(number) to \(entry.worker) was acknowledged, and \(entry.worker) never got it")
        }
        for (place, count) in ledger.counts.sorted(by: { $0.key < $1.key }) where count.taken < count.kept {
            problems.append("\(place.worker) was told of \(count.taken) of \(count.kept) ticks")
        }
        for (place, history) in histories.sorted(by: { $0.key < $1.key }) {
            guard history.isCertain, !history.isOutOfOrder, !history.isUnsettled, let value = known[place],
                !history.candidates.contains(value)
            else { continue }
            problems.append(
                "\(place.worker) knows \(value) of \(place.topic), and it is one of \(history.candidates.sorted())"
            )
        }
        endAll(life)
        settleHistory()
    }

    /// Launches a worker and lets it take all that waits for it.
    private func readOut(_ worker: WalkWorker, _ life: SupervisorLife) {
        guard let id = life.ids[worker.name] else { return }
        for _ in 0..<3 {
            for entry in life.supervisor.notifications(of: id)?.setAside ?? [] {
                _ = life.supervisor.retryNotification(entry.sequence, of: id)
            }
            life.supervisor.request(Request(.active, by: .operator(uid: 0, pid: 7)), of: id)
            let limit = machine.now + .seconds(900)
            repeat {
                machine.advance(by: .seconds(1))
                life.endTurn()
            } while machine.now < limit && !(life.supervisor.notifications(of: id).map(\.isEmpty) ?? true)
        }
        if let view = life.supervisor.notifications(of: id), !view.isEmpty {
            problems.append(
                "\(worker.name) does not take what waits: \(view.waiting.count) waiting, \(view.inFlight.count) handed out, \(view.problem ?? "no problem")"
            )
        }
    }

    private func endAll(_ life: SupervisorLife) {
        for worker in workers {
            guard let id = life.ids[worker.name] else { continue }
            let ask = Ask(worker, .notRunning)
            asks.append(ask)
            life.supervisor.request(Request(.notRunning, by: .operator(uid: 0, pid: 7)), of: id) { _ in
                ask.answers += 1
            }
        }
        for _ in 0..<600 {
            machine.advance(by: .seconds(1))
            life.endTurn()
        }
        for worker in workers {
            if life.life(of: worker)?.state != .notRunning || machine.lives(worker.key) {
                problems.append("\(worker.name) does not end")
            }
        }
        for ask in asks where !ask.isDropped && ask.answers != 1 {
            problems.append(
                "a request of \(ask.worker.name) for \(ask.goal?.rawValue ?? "its goal") was answered \(ask.answers) times"
            )
        }
    }
}

extension PendingView {
    fileprivate var isEmpty: Bool { waiting.isEmpty && inFlight.isEmpty && setAside.isEmpty }
}
