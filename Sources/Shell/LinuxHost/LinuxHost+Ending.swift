internal import Lifecycle
package import Linux
package import SupervisorPorts
internal import WorkerIO

extension LinuxHost {
    /// Sends a signal to whom the blueprint says.
    package func signal(_ worker: WorkerID, _ signal: Signal) {
        guard let hosted = workers[worker], !hosted.hasLostItsNumber else { return }
        if let launching = hosted.launching {
            if let process = hosted.startPre?.process, process.pid > 0, !process.hasEnded {
                // Ignoring a failure: what has gone needs no signal.
                try? signal.send(toGroup: process.pid)
                return
            }
            // Pending for its child, which takes it when it has its program.
            if let pid = launching.ticket.pid { try? signal.send(toProcess: pid) }
            return
        }
        // Nobody there any more is what an ended worker looks like: its exit is on its way. Once the main process is
        // reaped its number may be given to anyone: what it has left is meant then, process by process.
        guard hosted.burial == nil else { return send(signal, to: leftovers(of: hosted), of: hosted) }
        switch hosted.blueprint.signalTarget {
        case .mainProcess: sendToMainProcess(signal, of: hosted)
        case .processGroup: try? signal.send(toGroup: hosted.leader)
        case .everyProcess: send(signal, to: processes(of: hosted), of: hosted)
        }
    }

    /// To the main process and no later one of its number: it is our child and not reaped, or there is a pidfd of it.
    private func sendToMainProcess(_ signal: Signal, of hosted: HostedWorker) {
        if let watch = hosted.mainWatch {
            try? watch.send(signal)
        } else if hosted.main > 0 {
            try? signal.send(toProcess: hosted.main)
        }
    }

    /// To each of `members`, as long as it is one of the worker's: its number may have been given to another process meanwhile.
    func send(_ signal: Signal, to members: [Int32], of hosted: HostedWorker) {
        for pid in members {
            // Ignoring failures: what has gone needs no signal.
            if pid == hosted.main, hosted.burial == nil {
                sendToMainProcess(signal, of: hosted)
            } else if let pidfd = try? Pidfd(pid: pid), hosted.group == nil || owns(hosted, pid) {
                try? pidfd.send(signal)
            }
        }
    }

    /// Sends SIGKILL to everything of the worker, frozen or not.
    package func kill(_ worker: WorkerID) {
        guard let hosted = workers[worker] else { return }
        if let launching = hosted.launching { return killLaunch(launching) }
        killAll(hosted)
    }

    private func killAll(_ hosted: HostedWorker) {
        hosted.wasKilledByUs = true
        hosted.endReclaim()
        if let group = hosted.group, (try? group.kill()) != nil {
            // The main process too where it has left the group, with all that descends from it there.
            guard hosted.burial == nil, hosted.main > 0, !group.contains(process: hosted.main) else { return }
            sendToMainProcess(.kill, of: hosted)
        }
        // Until a look finds nobody new: what forks meanwhile is found by the next look.
        var known: Set<Int32> = []
        for _ in 0..<100 {
            let fresh = Set(processes(of: hosted)).subtracting(known)
            if fresh.isEmpty { return }
            for pid in fresh { try? Signal.kill.send(toProcess: pid) }
            known.formUnion(fresh)
        }
    }

    /// Every process of the worker, as far as can be seen.
    func processes(of hosted: HostedWorker) -> [Int32] {
        var tree: ProcessTree?
        return processes(of: hosted, in: &tree)
    }

    /// The same for many: the walk over all processes, where one is needed, is made once.
    func processes(of hosted: HostedWorker, in known: inout ProcessTree?) -> [Int32] {
        if hosted.launching != nil { return [] }
        if let group = hosted.group, let members = try? group.processes() {
            guard hosted.isOutsideGroup, hosted.burial == nil else { return members }
            let tree = known ?? .snapshot()
            known = tree
            return Array(Set(members).union(tree.descendants(of: hosted.main)).union([hosted.main]))
        }
        if hosted.hasLostItsNumber { return [] }
        let tree = known ?? .snapshot()
        known = tree
        var members = tree.members(ofSession: hosted.leader)
        if tree.processes[hosted.main] != nil {
            members.insert(hosted.main)
            members.formUnion(tree.descendants(of: hosted.main))
        }
        for session in hosted.hookSessions {
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

    // MARK: burial: what the main process has left

    /// What ends with the main process: all of the worker, or of a command that is run in the foreground what is in its session,
    /// or nothing.
    private func leftovers(of hosted: HostedWorker) -> [Int32] {
        // What was killed, with all that descends from it, is waited for.
        if hosted.wasKilledByUs { return processes(of: hosted) }
        switch hosted.blueprint.signalTarget {
        case .everyProcess: return processes(of: hosted)
        case .mainProcess: return []
        case .processGroup:
            return processes(of: hosted).filter { pid in
                guard let stat = ProcessStat.read(pid: pid), stat.state != .zombie else { return false }
                return stat.session == hosted.leader || stat.processGroup == hosted.leader
                    || hosted.hookSessions.contains(stat.session)
            }
        }
    }

    /// The main process is gone: what is left of the worker gets SIGTERM, and SIGKILL when its grace is over.
    func mainProcessEnded(_ hosted: HostedWorker, _ status: ExitStatus) {
        byMainProcess[hosted.main] = nil
        hearLast(hosted)
        hosted.endReclaim()
        hosted.burial = HostedWorker.Burial(
            status: status, oomKilled: wasOOMKilled(hosted, status),
            killsAt: now + hosted.blueprint.leftoverGrace)
        killHooks(of: hosted)
        let members = isEmpty(hosted) ? [] : leftovers(of: hosted)
        send(.terminate, to: members, of: hosted)
        // Asleep, it could not follow; nor could what is to live on.
        let isAsleep = hosted.freeze != .none
        let sleepers = isAsleep && hosted.sleepsBySignals ? processes(of: hosted) : members
        // Only what is stopped: of two signals that are pending the handler of the second runs first.
        send(.resume, to: sleepers.filter { ProcessStat.read(pid: $0)?.state == .stopped }, of: hosted)
        if isAsleep, let group = hosted.group { _ = try? group.thaw() }
        continueBurial(hosted)
    }

    func continueBurial(_ hosted: HostedWorker) {
        guard let burial = hosted.burial else { return }
        if isEmpty(hosted) { return bury(hosted) }
        if !burial.killed, now >= burial.killsAt {
            hosted.burial?.killed = true
            killLeftovers(of: hosted)
        }
        checkSoon(hosted)
    }

    private func killLeftovers(of hosted: HostedWorker) {
        guard hosted.blueprint.signalTarget != .everyProcess else { return killAll(hosted) }
        send(.kill, to: leftovers(of: hosted), of: hosted)
    }

    private func isEmpty(_ hosted: HostedWorker) -> Bool {
        if hosted.blueprint.signalTarget != .everyProcess, !hosted.wasKilledByUs {
            return leftovers(of: hosted).isEmpty
        }
        let events = try? hosted.group?.events()
        if let events, events.isPopulated { return false }
        guard ownsAllDescendants else { return events != nil || processes(of: hosted).isEmpty }
        // A process leaves its group a moment before it can be reaped: it is ours to wait for, nobody else's zombie.
        guard ChildReaper.hasChildren() else { return true }
        let children = ProcessTree.currentChildren(of: ThisProcess.pid).filter { !strangers.contains($0) }
        guard let group = hosted.group, events != nil else { return children.isEmpty }
        return !children.contains(where: group.contains(process:))
    }

    private func bury(_ hosted: HostedWorker) {
        guard let burial = hosted.burial, workers[hosted.id] === hosted else { return }
        if let problem = hosted.launchProblem { return launchEnded(hosted, problem) }
        if !hosted.isReleased {
            hosted.isReleased = true
            facts(hosted.id, .memory(.released))
        }
        guard isAllPassedOn(hosted) else { return checkSoon(hosted) }
        keepRemains(of: hosted)
        keepOutput(of: hosted)
        forget(hosted)
        ended = hosted
        facts(hosted.id, .exited(burial.status, oomKilled: burial.oomKilled))
        ended = nil
    }

    /// Whether what it printed last is where it belongs, or nobody takes it for longer than it is worth.
    private func isAllPassedOn(_ hosted: HostedWorker) -> Bool {
        for stream in hosted.outputs { stream.drain() }
        let grace = hosted.blueprint.leftoverGrace
        return hosted.outputs.allSatisfy { stream in
            stream.isFlushed || now > max(hosted.burial?.killsAt ?? now, stream.lastProgress + grace)
        }
    }

    /// Lets go of everything that was made for the worker.
    func forget(_ hosted: HostedWorker) {
        workers[hosted.id] = nil
        hosted.freezer = nil
        hosted.keeper = nil
        hosted.notify = nil
        if hosted.workerSocket != nil { workerSockets?.close(hosted.id) }
        hosted.mainWatch = nil
        if let watch = hosted.groupWatch { groupWatches?.remove(watch) }
        if let watch = hosted.memoryWatch { memoryWatches?.remove(watch) }
        warningDoor?.close(hosted.id)
        hosted.endReclaim()
        hosted.events = nil
        hosted.closeStreams()
        hosted.removeGroup()
    }
}
