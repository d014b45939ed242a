internal import Cgroups
internal import ConfigurationSyntax
internal import Lifecycle
package import Linux
internal import Processes
package import SupervisorPorts
internal import Waking
internal import WorkerIO

extension LinuxHost {
    /// How long the kernel may take to freeze a worker before that counts as failed.
    private static let patience = TimeSpan.seconds(10)

    /// Freezes the whole worker, by its group or by SIGSTOP to each process.
    package func freeze(_ worker: WorkerID) {
        guard let running = workers[worker] else { return }
        // A signal that reaches it while it is watched would come with duplicates of its descriptors open.
        others.finish()
        running.freeze = .asked(since: now, nil)
        lookForMainProcess(running)
        keepSleep(of: running)
        guard let group = running.group, !running.isOutsideGroup else { return stopAll(running) }
        do throws(LinuxError) {
            if try freezer(of: running, group).freeze() == .done {
                fellAsleep(running)
            } else {
                checkSoon(running)
            }
        } catch {
            giveUpFreezing(running, "\(error)")
        }
    }

    /// Its freeze is confirmed.
    private func fellAsleep(_ running: RunningWorker) {
        running.freeze = .ours
        running.frozenAt = now
        deviceOpenings?.forget(running.id)
        running.use.fellAsleep()
        if running.configuration.policy.idle?.isJudged ?? false {
            running.use.slept(at: now) { cpuUsed(by: running.id) }
        }
        inform(running.id, .frozen)
        watchSoon(running)
    }

    /// Has the worker run again should we be killed while it sleeps, where no successor would take it over.
    private func keepSleep(of running: RunningWorker) {
        // With the init of a pid namespace everything in it ends.
        guard ownsAllDescendants, ThisProcess.pid != 1, running.keeper == nil else { return }
        guard let keeper = SleepKeeper(of: running.isOutsideGroup ? nil : running.group) else {
            return inform(
                running.id,
                .ignored("cannot create the keeper process that wakes it if the supervisor is killed"))
        }
        // It is no process of the worker's.
        strangers.insert(keeper.pid)
        running.keeper = keeper
    }

    /// Sees whether the main process is where its group's freezer reaches it: it may have been moved, by itself as root or by a program
    /// that opens a session for it (pam_systemd(8), systemd-run(1)).
    private func lookForMainProcess(_ running: RunningWorker) {
        guard let group = running.group, running.main > 0 else { return }
        // Much cheaper than /proc/PID/cgroup, which names the groups of every hierarchy. Below its group a process is found by its path.
        if let id = (try? Pidfd(pid: running.main))?.groupID, running.isGroup(id) {
            running.isOutsideGroup = false
            return
        }
        let isOutside = !group.contains(process: running.main) && ProcessStat.read(pid: running.main) != nil
        guard isOutside != running.isOutsideGroup else { return }
        running.isOutsideGroup = isOutside
        if isOutside {
            inform(
                running.id,
                .ignored("its main process has left \(group.path): using SIGSTOP instead of the freezer"))
        }
    }

    /// How long after a failure a thaw is tried again.
    private static let thawRetry = TimeSpan.milliseconds(100)

    /// How many freezers stay open: an idle worker costs no descriptor for it, one that is put to sleep and woken again and
    /// again opens no file each time.
    private static let mostOpenFreezers = 8

    private func freezer(of running: RunningWorker, _ group: Cgroup) throws(LinuxError) -> OpenFreezer {
        if let freezer = running.freezer { return freezer }
        let freezer = try reserve.retrying { () throws(LinuxError) in try group.openFreezer() }
        running.freezer = freezer
        if openFreezers.count == Self.mostOpenFreezers { workers[openFreezers.removeFirst()]?.freezer = nil }
        openFreezers.append(running.id)
        return freezer
    }

    /// How long one turn of stopping may take, in microseconds: the loop has other workers.
    private static let freezeTurn: Int64 = 2_000
    /// For how many looks it goes on at least: under load the time may be over before there were any.
    private static let leastFreezeLooks = 200

    /// Stops what runs of the worker, and goes on with that in later turns of the loop until all of it is stopped.
    private func stopAll(_ running: RunningWorker) {
        guard case .asked(let since, let earlier) = running.freeze else { return }
        var attempt = earlier ?? FreezeAttempt()
        do throws(FreezeError) {
            guard try processFreezer(running).proceed(with: &attempt, for: Self.freezeTurn, looks: 2) else {
                if now - since > Self.patience, attempt.looks >= Self.leastFreezeLooks {
                    throw attempt.failure
                }
                running.freeze = .asked(since: since, attempt)
                return checkSoon(running)
            }
            running.keeper?.add(attempt.stopped)
            // No other event reports this for a process that is not a child of this one.
            if running.isAdopted { running.isStopped = true }
            fellAsleep(running)
        } catch {
            giveUpFreezing(running, "\(error)")
        }
    }

    func giveUpFreezing(_ running: RunningWorker, _ reason: String) {
        running.freeze = .none
        // What was frozen or stopped on the way runs again; the worker may be gone altogether.
        if let group = running.group { _ = try? group.thaw() }
        if running.sleepsBySignals { resumeAll(running) }
        inform(running.id, .freezeFailed(reason))
    }

    /// Says which processes of a worker run on although its main process was stopped: a signal to that one does not reach them.
    func tellOfRunningProcesses(of running: RunningWorker, after signal: Signal) {
        let others = othersThatRun(of: running)
        guard !others.isEmpty else { return }
        let those =
            others.count == 1
            ? "its process \(others[0]) still runs" : "\(others.count) of its processes still run"
        inform(
            running.id,
            .remarked(
                "\(signal) stopped only its main process \(running.main): \(those); use 'torpor resume' "
                    + "and then 'torpor suspend' to suspend all of it"))
    }

    /// For how many processes of a worker it is looked up whether they run.
    private static let mostLookedAt = 1024

    private func othersThatRun(of running: RunningWorker) -> [Int32] {
        processes(of: running).prefix(Self.mostLookedAt).filter { pid in
            guard pid != running.main, let state = ProcessStat.read(pid: pid)?.state else { return false }
            return !state.isStill
        }
    }

    /// How many processes of a worker run on although another program has stopped its main process.
    package func runningOthers(of worker: WorkerID) -> Int {
        guard let running = workers[worker], running.isStopped,
            running.freeze.isNone || running.sleepsBySignals
        else { return 0 }
        return othersThatRun(of: running).count
    }

    /// The group above the worker's own that is frozen; nil where there is none.
    package func frozenGroup(above worker: WorkerID) -> String? { workers[worker]?.group?.frozenAncestor() }

    /// Why the thaw that is under way has failed so far.
    package func thawFailure(of worker: WorkerID) -> LinuxError? { workers[worker]?.thawFailure }

    /// Thaws the whole worker, and continues what another program or a user has stopped.
    package func thaw(_ worker: WorkerID) {
        guard let running = workers[worker] else { return }
        running.endReclaim()
        guard let group = running.group, !running.isOutsideGroup else {
            running.freeze = .none
            // Frozen by others besides.
            if let group = running.group { _ = try? group.thaw() }
            resumeAll(running)
            // As below.
            if running.isAwaited { ThisProcess.yield() }
            return inform(worker, .thawed)
        }
        running.freeze = .thawing
        precondition(running.watch == nil, "a worker that is watched is thawed")
        if running.isStopped { resumeAll(running) }
        askToThaw(running, group)
    }

    private func askToThaw(_ running: RunningWorker, _ group: Cgroup) {
        do throws(LinuxError) {
            // One that is awaited runs at once: on this processor it would wait until all is told and written down.
            let result = try freezer(of: running, group).thaw(yields: running.isAwaited)
            running.thawFailure = nil
            result == .done ? thawed(running) : checkSoon(running)
        } catch {
            // Its group is gone, and everything in it.
            if error.isGone { return thawed(running) }
            if running.thawFailure != error {
                inform(running.id, .remarked("it cannot be thawed yet, trying again: \(error)"))
            }
            running.thawFailure = error
            running.thawRetryAt = now + Self.thawRetry
            checkSoon(running)
        }
    }

    private func thawed(_ running: RunningWorker) {
        running.freeze = .none
        watchDevices(of: running)
        inform(running.id, .thawed)
    }

    private func resumeAll(_ running: RunningWorker) {
        precondition(running.watch == nil, "a worker that is watched is continued")
        running.expectsContinue = !running.isAdopted && (running.isStopped || running.sleepsBySignals)
        if running.isAdopted { running.isStopped = false }
        // A process that has gone meanwhile needs nothing.
        try? processFreezer(running).resume()
    }

    private func processFreezer(_ running: RunningWorker) -> ProcessFreezer {
        let own = running.hasLostItsNumber ? [] : [running.main]
        let sessions = running.hasLostItsNumber ? [] : [running.leader]
        return ProcessFreezer(
            roots: own, sessions: sessions + running.hookSessions, cgroup: running.group)
    }

    /// Whether the worker sleeps by the freezer of its group, as we asked for.
    package func isFrozenByUs(_ worker: WorkerID) -> Bool {
        workers[worker].map { !$0.sleepsBySignals && $0.freeze.isOurs } ?? false
    }

    /// Stops the whole worker for an outside request, by SIGSTOP, so that SIGCONT undoes it: the terminal's stop (2.1).
    package func stopForOutside(_ worker: WorkerID) {
        guard let running = workers[worker] else { return }
        keepSleep(of: running)
        do throws(FreezeError) {
            running.stoppedForOutside += try processFreezer(running).stop()
        } catch {
            running.stoppedForOutside += error.stopped
            inform(worker, .ignored("cannot stop all of its processes: \(error)"))
        }
        running.keeper?.add(running.stoppedForOutside)
    }

    /// Continues the whole worker for an outside request: SIGCONT to the targets of signals, and to what was stopped besides.
    ///
    /// Nothing is looked for now: what a terminal has stopped meanwhile would be continued against its user's will.
    package func continueForOutside(_ worker: WorkerID) {
        guard let running = workers[worker] else { return }
        running.stopWatching(before: .init(.resume, sleepsBySignals: running.sleepsBySignals))
        let besides = running.stoppedForOutside.filter { process in
            switch running.configuration.signalTarget {
            case .mainProcess: process.pid != running.main
            case .processGroup: ProcessStat.read(pid: process.pid)?.processGroup != running.leader
            case .everyProcess: false
            }
        }
        running.stoppedForOutside = []
        signal(worker, .resume)
        // Ignoring a failure: what has gone meanwhile needs nothing.
        try? ProcessFreezer.resume(besides)
        if running.freeze.isNone { running.keeper = nil }
    }

    /// Looks at what the kernel says of the group, and tells what is news.
    func checkFreezer(_ running: RunningWorker) {
        guard let group = running.group, !running.isOutsideGroup else {
            if case .asked = running.freeze { stopAll(running) }
            return
        }
        if running.thawFailure != nil, case .thawing = running.freeze {
            return now < running.thawRetryAt ? () : askToThaw(running, group)
        }
        running.thawFailure = nil
        guard let events = running.freezer?.now ?? (try? group.events()) else { return }
        switch (running.freeze, events.isFrozen) {
        case (.asked, true):
            fellAsleep(running)
        case (.asked(let since, _), false):
            if now - since > Self.patience {
                giveUpFreezing(running, "the kernel did not freeze it within \(Self.patience.legible)")
            }
        case (.none, true):
            running.freeze = .outside
            inform(running.id, .stoppedOutside)
        case (.ours, false), (.outside, false):
            // A process that is killed leaves the freezer to end: that continues none of the worker.
            guard (try? group.isFreezeRequested()) != true else { return }
            running.freeze = .none
            inform(running.id, .continuedOutside)
        case (.thawing, false): thawed(running)
        case (.none, false), (.thawing, true), (.ours, true), (.outside, true): break
        }
    }
}
