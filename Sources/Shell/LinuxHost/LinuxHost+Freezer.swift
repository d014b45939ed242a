internal import Lifecycle
internal import Linux
package import SupervisorPorts

extension LinuxHost {
    /// How long the kernel may take to freeze a worker before that counts as failed.
    private static let patience = TimeSpan.seconds(10)

    /// Freezes the whole worker, by its group or by SIGSTOP to each process.
    package func freeze(_ worker: WorkerID) {
        guard let hosted = workers[worker] else { return }
        hosted.freeze = .asked(since: now)
        hosted.freezeAttempt = nil
        lookForMainProcess(hosted)
        keepSleep(of: hosted)
        guard let group = hosted.group, !hosted.isOutsideGroup else { return stopAll(hosted) }
        do throws(LinuxError) {
            if try freezer(of: hosted, group).freeze() == .done {
                hosted.freeze = .ours
                facts(worker, .frozen)
            } else {
                checkSoon(hosted)
            }
        } catch {
            giveUpFreezing(hosted, "\(error)")
        }
    }

    /// Has the worker run again should we be killed while it sleeps, where no successor would take it over.
    private func keepSleep(of hosted: HostedWorker) {
        // With the init of a pid namespace everything in it ends.
        guard ownsAllDescendants, ThisProcess.pid != 1, hosted.keeper == nil else { return }
        guard let keeper = SleepKeeper(of: hosted.isOutsideGroup ? nil : hosted.group) else {
            return facts(hosted.id, .ignored("no process can be made that would wake it if we were killed"))
        }
        // It is no process of the worker's.
        strangers.insert(keeper.pid)
        hosted.keeper = keeper
    }

    /// Sees whether the main process is where its group's freezer reaches it: it may have been moved, by itself as root or by who
    /// opens a session for it (pam_systemd(8), systemd-run(1)).
    private func lookForMainProcess(_ hosted: HostedWorker) {
        guard let group = hosted.group, hosted.main > 0 else { return }
        // Much cheaper than /proc/PID/cgroup, which names the groups of every hierarchy. Below its group a process is found by its path.
        if let id = (try? Pidfd(pid: hosted.main))?.groupID, hosted.isGroup(id) {
            hosted.isOutsideGroup = false
            return
        }
        let isOutside = !group.contains(process: hosted.main) && ProcessStat.read(pid: hosted.main) != nil
        guard isOutside != hosted.isOutsideGroup else { return }
        hosted.isOutsideGroup = isOutside
        if isOutside {
            facts(
                hosted.id,
                .ignored("its main process has left \(group.path): it is put to sleep by SIGSTOP instead"))
        }
    }

    /// How many freezers stay open: an idle worker costs no descriptor for it, one that is put to sleep and woken again and
    /// again opens no file each time.
    private static let mostOpenFreezers = 8

    private func freezer(of hosted: HostedWorker, _ group: Cgroup) throws(LinuxError) -> OpenFreezer {
        if let freezer = hosted.freezer { return freezer }
        let freezer = try group.openFreezer()
        hosted.freezer = freezer
        if openFreezers.count == Self.mostOpenFreezers { workers[openFreezers.removeFirst()]?.freezer = nil }
        openFreezers.append(hosted.id)
        return freezer
    }

    /// How long one turn of stopping may take, in microseconds: the loop has other workers.
    private static let freezeTurn = 2_000
    /// For how many looks it goes on at least: under load the time may be over before there were any.
    private static let leastFreezeLooks = 200

    /// Stops what runs of the worker, and goes on with that in later turns of the loop until all of it is stopped.
    private func stopAll(_ hosted: HostedWorker) {
        var attempt = hosted.freezeAttempt ?? FreezeAttempt()
        hosted.freezeAttempt = nil
        do throws(FreezeError) {
            guard try processFreezer(hosted).proceed(with: &attempt, for: Self.freezeTurn, looks: 2) else {
                if case .asked(let since) = hosted.freeze, now - since > Self.patience,
                    attempt.looks >= Self.leastFreezeLooks
                {
                    throw attempt.failure
                }
                hosted.freezeAttempt = attempt
                return checkSoon(hosted)
            }
            hosted.keeper?.add(attempt.stopped)
            hosted.freeze = .ours
            // Nobody else tells of one that is not our child.
            if hosted.isAdopted { hosted.isStopped = true }
            facts(hosted.id, .frozen)
        } catch {
            giveUpFreezing(hosted, "\(error)")
        }
    }

    private func giveUpFreezing(_ hosted: HostedWorker, _ reason: String) {
        hosted.freeze = .none
        hosted.freezeAttempt = nil
        // What was frozen or stopped on the way runs again; the worker may be gone altogether.
        if let group = hosted.group { _ = try? group.thaw() }
        if hosted.sleepsBySignals { resumeAll(hosted) }
        facts(hosted.id, .freezeFailed(reason))
    }

    /// Says which processes of a worker run on although its main process was stopped: a signal to that one does not reach them.
    func tellOfRunningProcesses(of hosted: HostedWorker, after signal: Signal) {
        let others = othersThatRun(of: hosted)
        guard !others.isEmpty else { return }
        let those =
            others.count == 1
            ? "process \(others[0]) of it runs on" : "\(others.count) processes of it run on"
        facts(
            hosted.id,
            .remarked(
                "\(signal) has stopped its main process \(hosted.main) only: \(those); 'torpor resume' "
                    + "and after it 'torpor suspend' put all of it to sleep"))
    }

    /// For how many processes of a worker it is looked up whether they run.
    private static let mostLookedAt = 1024

    private func othersThatRun(of hosted: HostedWorker) -> [Int32] {
        processes(of: hosted).prefix(Self.mostLookedAt).filter { pid in
            guard pid != hosted.main, let state = ProcessStat.read(pid: pid)?.state else { return false }
            return !state.isStill
        }
    }

    /// How many processes of a worker run on although another program has stopped its main process.
    package func runningOthers(of worker: WorkerID) -> Int {
        guard let hosted = workers[worker], hosted.isStopped, hosted.freeze == .none || hosted.sleepsBySignals
        else { return 0 }
        return othersThatRun(of: hosted).count
    }

    /// The group above the worker's own that is frozen; nil where there is none.
    package func frozenGroup(above worker: WorkerID) -> String? { workers[worker]?.group?.frozenAncestor() }

    /// Thaws the whole worker, and continues what anybody has stopped.
    package func thaw(_ worker: WorkerID) {
        guard let hosted = workers[worker] else { return }
        hosted.endReclaim()
        guard let group = hosted.group, !hosted.isOutsideGroup else {
            hosted.freeze = .none
            hosted.freezeAttempt = nil
            // Frozen by others besides.
            if let group = hosted.group { _ = try? group.thaw() }
            resumeAll(hosted)
            facts(worker, .thawed)
            return
        }
        hosted.isThawing = true
        if hosted.isStopped { resumeAll(hosted) }
        do throws(LinuxError) {
            if try freezer(of: hosted, group).thaw() == .done { thawed(hosted) } else { checkSoon(hosted) }
        } catch {
            // Its group is gone, and everything in it.
            thawed(hosted)
        }
    }

    private func thawed(_ hosted: HostedWorker) {
        hosted.isThawing = false
        hosted.freeze = .none
        facts(hosted.id, .thawed)
    }

    private func resumeAll(_ hosted: HostedWorker) {
        hosted.expectsContinue = !hosted.isAdopted && (hosted.isStopped || hosted.sleepsBySignals)
        if hosted.isAdopted { hosted.isStopped = false }
        // A process that has gone meanwhile needs nothing.
        try? processFreezer(hosted).resume()
    }

    private func processFreezer(_ hosted: HostedWorker) -> ProcessFreezer {
        let own = hosted.hasLostItsNumber ? [] : [hosted.main]
        let sessions = hosted.hasLostItsNumber ? [] : [hosted.leader]
        return ProcessFreezer(
            roots: own, sessions: sessions + hosted.hookSessions, cgroup: hosted.group)
    }

    /// Whether the worker sleeps by the freezer of its group, as we asked for.
    package func isFrozenByUs(_ worker: WorkerID) -> Bool {
        guard let hosted = workers[worker], !hosted.sleepsBySignals else { return false }
        return hosted.freeze == .ours
    }

    /// Stops the whole worker for somebody else, by SIGSTOP, so that SIGCONT undoes it: the terminal's stop (2.1).
    package func stopForOutside(_ worker: WorkerID) {
        guard let hosted = workers[worker] else { return }
        keepSleep(of: hosted)
        do throws(FreezeError) {
            hosted.stoppedForOutside += try processFreezer(hosted).stop()
        } catch {
            hosted.stoppedForOutside += error.stopped
            facts(worker, .ignored("could not stop all of it: \(error)"))
        }
        hosted.keeper?.add(hosted.stoppedForOutside)
    }

    /// Continues the whole worker for somebody else: SIGCONT to whom signals reach, and to what was stopped besides.
    ///
    /// Nothing is looked for now: what a terminal has stopped meanwhile would be continued against its user's will.
    package func continueForOutside(_ worker: WorkerID) {
        guard let hosted = workers[worker] else { return }
        let besides = hosted.stoppedForOutside.filter { process in
            switch hosted.blueprint.signalTarget {
            case .mainProcess: process.pid != hosted.main
            case .processGroup: ProcessStat.read(pid: process.pid)?.processGroup != hosted.leader
            case .everyProcess: false
            }
        }
        hosted.stoppedForOutside = []
        signal(worker, .resume)
        // Ignoring a failure: what has gone meanwhile needs nothing.
        try? ProcessFreezer.resume(besides)
        if hosted.freeze == .none { hosted.keeper = nil }
    }

    /// Looks at what the kernel says of the group, and tells what is news.
    func checkFreezer(_ hosted: HostedWorker) {
        guard let group = hosted.group, !hosted.isOutsideGroup else {
            if case .asked = hosted.freeze { stopAll(hosted) }
            return
        }
        guard let events = hosted.freezer?.now ?? (try? group.events()) else { return }
        switch (hosted.freeze, events.isFrozen) {
        case (.asked, true):
            hosted.freeze = .ours
            facts(hosted.id, .frozen)
        case (.asked(let since), false):
            if now - since > Self.patience {
                giveUpFreezing(
                    hosted, "the kernel has not frozen it for \(Self.patience.microseconds / 1_000_000) s")
            }
        case (.none, true):
            if hosted.isThawing { return }
            hosted.freeze = .outside
            facts(hosted.id, .stoppedOutside)
        case (.ours, false), (.outside, false):
            if hosted.isThawing { return thawed(hosted) }
            hosted.freeze = .none
            facts(hosted.id, .continuedOutside)
        case (.none, false):
            if hosted.isThawing { thawed(hosted) }
        case (.ours, true), (.outside, true):
            break
        }
    }
}
