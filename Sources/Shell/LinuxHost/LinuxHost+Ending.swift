internal import Cgroups
internal import Idleness
internal import Launching
internal import Lifecycle
package import Linux
internal import Processes
package import SupervisorPorts
internal import Waking
internal import WorkerIO

extension LinuxHost {
    /// Sends a signal to the processes that the configuration names.
    package func signal(_ worker: WorkerID, _ signal: Signal) {
        doorHouse.afterDuplicates(of: worker.rawValue) { [weak self] in self?.signalNow(worker, signal) }
    }

    private func signalNow(_ worker: WorkerID, _ signal: Signal) {
        guard let running = workers[worker], !running.hasLostItsNumber else { return }
        running.stopWatching(before: .init(signal, sleepsBySignals: running.sleepsBySignals))
        // Of one that does not end it hears when it runs: it sleeps on.
        defer { if signal != .kill { watchSoon(running) } }
        if let launching = running.launching {
            if let process = running.startPre?.process, process.pid > 0, !process.hasEnded {
                // Ignoring a failure: what has gone needs no signal.
                try? signal.send(toGroup: process.pid)
                return
            }
            // Pending for its child, which takes it when it has its program.
            if let pid = launching.ticket.pid { try? signal.send(toProcess: pid) }
            return
        }
        // No process left means that the worker has ended: its exit is pending. Once the main process is
        // reaped its number may be reused: the signal is for the processes that it has left, one by one.
        guard running.reaping == nil else { return send(signal, to: leftovers(of: running), of: running) }
        switch running.configuration.signalTarget {
        case .mainProcess: sendToMainProcess(signal, of: running)
        case .processGroup: try? signal.send(toGroup: running.leader)
        // Where the end of the main process ends the others too, they are not looked for.
        case .everyProcess where signal == .terminate && running.freeze.isNone && !running.sleepsBySignals:
            sendToMainProcess(signal, of: running)
            others.add(running)
        case .everyProcess: send(signal, to: processes(of: running), of: running)
        }
    }

    /// SIGTERM for the other processes of a worker; where the main one has ended meanwhile, they have heard of that.
    func endOthers(of running: RunningWorker) {
        guard workers[running.id] === running, running.reaping == nil else { return }
        send(.terminate, to: processes(of: running).filter { $0 != running.main }, of: running)
    }

    /// To the main process and no later one of its number: it is our child and not reaped, or there is a pidfd of it.
    private func sendToMainProcess(_ signal: Signal, of running: RunningWorker) {
        if let watch = running.mainWatch {
            try? watch.send(signal)
        } else if running.main > 0 {
            try? signal.send(toProcess: running.main)
        }
    }

    /// To each of `members`, as long as it is one of the worker's: its number may have been given to another process meanwhile.
    func send(_ signal: Signal, to members: [Int32], of running: RunningWorker) {
        for pid in members {
            // Ignoring failures: what has gone needs no signal.
            if pid == running.main, running.reaping == nil {
                sendToMainProcess(signal, of: running)
            } else if let pidfd = try? Pidfd(pid: pid), running.group == nil || owns(running, pid) {
                try? pidfd.send(signal)
            }
        }
    }

    /// Sends SIGKILL to everything of the worker, frozen or not.
    package func kill(_ worker: WorkerID) {
        guard let running = workers[worker] else { return }
        if let launching = running.launching { return killLaunch(launching) }
        doorHouse.afterDuplicates(of: worker.rawValue) { [weak self] in self?.killAll(running) }
    }

    private func killAll(_ running: RunningWorker) {
        running.stopWatching(before: .kill)
        running.wasKilledByUs = true
        running.endReclaim()
        if running.reaping != nil { tellOfLeftovers(of: running, "SIGKILL ends") }
        if let group = running.group,
            (try? reserve.retrying { () throws(LinuxError) in try group.kill() }) != nil
        {
            // The main process too where it has left the group, with all that descends from it there.
            guard running.reaping == nil, running.main > 0, !group.contains(process: running.main) else {
                return
            }
            sendToMainProcess(.kill, of: running)
        }
        // The main process at least, whatever of it can be seen.
        if running.reaping == nil { sendToMainProcess(.kill, of: running) }
        // Until a look finds no new process: what forks meanwhile is found by the next look.
        var known: Set<Int32> = []
        for _ in 0..<100 {
            let fresh = Set(processes(of: running)).subtracting(known)
            if fresh.isEmpty { return }
            for pid in fresh { try? Signal.kill.send(toProcess: pid) }
            known.formUnion(fresh)
        }
    }

    /// Says, after `what`, how many processes the main process has left: nothing else tells of those.
    private func tellOfLeftovers(of running: RunningWorker, _ what: String) {
        let count = leftovers(of: running).count
        if count == 0 { return }
        let processes = count == 1 ? "1 process" : "\(count) processes"
        inform(running.id, .remarked("\(what) \(processes) that its main process had left"))
    }

    /// Every process of the worker, as far as can be seen.
    func processes(of running: RunningWorker) -> [Int32] {
        var tree: ProcessTree?
        return processes(of: running, in: &tree)
    }

    /// The same for many: the walk over all processes, where one is needed, is made once.
    func processes(of running: RunningWorker, in known: inout ProcessTree?) -> [Int32] {
        if running.launching != nil { return [] }
        if let group = running.group,
            let members = try? reserve.retrying({ () throws(LinuxError) in try group.processes() })
        {
            guard running.isOutsideGroup, running.reaping == nil else { return members }
            let tree = known ?? .snapshot()
            known = tree
            return Array(Set(members).union(tree.descendants(of: running.main)).union([running.main]))
        }
        if running.hasLostItsNumber { return [] }
        var tree = known ?? .snapshot()
        // This process is in it, unless none could be read.
        if tree.processes.isEmpty { tree = reserve.lending { .snapshot() } }
        known = tree
        var members = tree.members(ofSession: running.leader)
        if tree.processes[running.main] != nil {
            members.insert(running.main)
            members.formUnion(tree.descendants(of: running.main))
        }
        for session in running.hookSessions {
            members.formUnion(tree.members(ofSession: session))
            members.formUnion(tree.descendants(of: session))
        }
        if ownsAllDescendants {
            members.formUnion(tree.descendants(of: ThisProcess.pid))
            members.subtract(strangers)
            for stranger in strangers { members.subtract(tree.descendants(of: stranger)) }
        }
        members.remove(ThisProcess.pid)
        return members.filter { tree.processes[$0]?.state != .zombie }
    }

    // MARK: reaping: what the main process has left

    /// What ends with the main process: all of the worker, or of a command that is run in the foreground what is in its session,
    /// or nothing.
    private func leftovers(of running: RunningWorker) -> [Int32] {
        // What was killed, with all that descends from it, is waited for.
        if running.wasKilledByUs { return processes(of: running) }
        switch running.configuration.signalTarget {
        case .everyProcess: return processes(of: running)
        case .mainProcess: return []
        case .processGroup:
            return processes(of: running).filter { pid in
                guard let stat = ProcessStat.read(pid: pid), stat.state != .zombie else { return false }
                return stat.session == running.leader || stat.processGroup == running.leader
                    || running.hookSessions.contains(stat.session)
            }
        }
    }

    /// The main process is gone: what is left of the worker gets SIGTERM, and SIGKILL when its grace is over.
    func mainProcessEnded(_ running: RunningWorker, _ status: ExitStatus) {
        byMainProcess[running.main] = nil
        running.stopWatching(before: .ended)
        hearLast(running)
        running.endReclaim()
        running.stage = .reaping(
            RunningWorker.Reaping(
                status: status, oomKilled: wasOOMKilled(running, status),
                killsAt: now + running.configuration.leftoverGrace))
        killHooks(of: running)
        let isGone = isEmpty(running)
        let members = isGone ? [] : leftovers(of: running)
        send(.terminate, to: members, of: running)
        // Asleep, it could not follow; nor could what is to live on.
        let isAsleep = !running.freeze.isNone
        let sleepers = isAsleep && running.sleepsBySignals ? processes(of: running) : members
        // Only what is stopped: of two signals that are pending the handler of the second runs first.
        send(.resume, to: sleepers.filter { ProcessStat.read(pid: $0)?.state == .stopped }, of: running)
        if isAsleep, let group = running.group { _ = try? group.thaw() }
        if isGone { reap(running) } else { continueReaping(running) }
    }

    func continueReaping(_ running: RunningWorker) {
        guard var reaping = running.reaping else { return }
        if isEmpty(running) { return reap(running) }
        if !running.hasToldOfLeftovers, let ended = running.ended, now > ended + .seconds(1) {
            running.hasToldOfLeftovers = true
            tellOfLeftovers(of: running, "its end waits for")
        }
        if !reaping.killed, now >= reaping.killsAt {
            reaping.killed = true
            running.stage = .reaping(reaping)
            killLeftovers(of: running)
        }
        checkSoon(running)
    }

    private func killLeftovers(of running: RunningWorker) {
        guard running.configuration.signalTarget != .everyProcess else { return killAll(running) }
        tellOfLeftovers(of: running, "SIGKILL ends")
        send(.kill, to: leftovers(of: running), of: running)
    }

    private func isEmpty(_ running: RunningWorker) -> Bool {
        if running.configuration.signalTarget != .everyProcess, !running.wasKilledByUs {
            return leftovers(of: running).isEmpty
        }
        let events = try? running.group?.events()
        if let events, events.isPopulated { return false }
        guard ownsAllDescendants else { return events != nil || processes(of: running).isEmpty }
        // A process leaves its group a moment before it can be reaped: it is a child of this process, and no other parent's zombie.
        guard ChildReaper.hasChildren() else { return true }
        let children = ProcessTree.currentChildren(of: ThisProcess.pid).filter { !strangers.contains($0) }
        guard let group = running.group, events != nil else { return children.isEmpty }
        return !children.contains(where: group.contains(process:))
    }

    private func reap(_ running: RunningWorker) {
        guard let reaping = running.reaping, workers[running.id] === running else { return }
        if let launch = reaping.launch { return launchEnded(running, launch) }
        if !running.isReleased {
            running.isReleased = true
            inform(running.id, .memory(.released))
        }
        guard isAllPassedOn(running) else { return checkSoon(running) }
        if running.workerSocket != nil { workerSockets?.hearLast(running.id) }
        keepExitDetails(of: running)
        keepOutput(of: running)
        forget(running)
        doorHouse.ended(running.id.rawValue, .init(running.configuration))
        ended = running
        inform(running.id, .exited(reaping.status, oomKilled: reaping.oomKilled))
        ended = nil
        tellDoors(of: running.id)
    }

    /// How long the destination of its output may take nothing after its end.
    private static let outputPatience = TimeSpan.seconds(5)

    /// Whether what it printed last has been passed on, or its destination has taken nothing for longer than it is worth.
    private func isAllPassedOn(_ running: RunningWorker) -> Bool {
        for stream in running.outputs { stream.drain() }
        let ended = running.ended ?? now
        return running.outputs.allSatisfy { stream in
            stream.isFlushed || now > max(ended, stream.lastProgress) + Self.outputPatience
        }
    }

    /// Lets go of everything that was made for the worker.
    func forget(_ running: RunningWorker) {
        workers[running.id] = nil
        deviceOpenings?.forget(running.id)
        running.stopWatching(before: .ended)
        running.freezer = nil
        running.keeper = nil
        running.notify = nil
        if running.workerSocket != nil { workerSockets?.close(running.id) }
        running.mainWatch = nil
        if let watch = running.groupWatch { groupWatches?.remove(watch) }
        if let watch = running.memoryWatch { memoryWatches?.remove(watch) }
        pressureSocket?.close(running.id)
        running.endReclaim()
        running.events = nil
        running.closeStreams()
        running.removeGroup(by: lingering)
    }

    /// The result of `body`; where that fails, all that descends from this process is ended first: it would have no supervisor.
    package func endingAllOnFailure<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            reserve.lending { ThisProcess.endDescendants(except: strangers) }
            throw error
        }
    }
}
