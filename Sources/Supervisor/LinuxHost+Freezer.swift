internal import Lifecycle
internal import Linux

extension LinuxHost {
    /// How long the kernel may take to freeze a worker before that counts as failed.
    private static let patience = TimeSpan.seconds(10)

    /// Freezes the whole worker, by its group or by SIGSTOP to each process.
    public func freeze(_ worker: WorkerID) {
        guard let hosted = workers[worker] else { return }
        hosted.freeze = .asked(since: now)
        lookForMainProcess(hosted)
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

    /// Sees whether the main process is where its group's freezer reaches it: it may have been moved, by itself as root or by who
    /// opens a session for it (pam_systemd(8), systemd-run(1)).
    private func lookForMainProcess(_ hosted: HostedWorker) {
        guard let group = hosted.group, hosted.main > 0 else { return }
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

    private func stopAll(_ hosted: HostedWorker) {
        do throws(FreezeError) {
            _ = try processFreezer(hosted).stop()
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
        // What was frozen or stopped on the way runs again; the worker may be gone altogether.
        if let group = hosted.group { _ = try? group.thaw() }
        if hosted.sleepsBySignals { resumeAll(hosted) }
        facts(hosted.id, .freezeFailed(reason))
    }

    /// Thaws the whole worker, and continues what anybody has stopped.
    public func thaw(_ worker: WorkerID) {
        guard let hosted = workers[worker] else { return }
        hosted.endReclaim()
        guard let group = hosted.group, !hosted.isOutsideGroup else {
            hosted.freeze = .none
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

    /// Stops the whole worker for somebody else, by SIGSTOP, so that SIGCONT undoes it: the terminal's stop (2.1).
    public func stopForOutside(_ worker: WorkerID) {
        guard let hosted = workers[worker] else { return }
        do throws(FreezeError) {
            hosted.stoppedForOutside += try processFreezer(hosted).stop()
        } catch {
            hosted.stoppedForOutside += error.stopped
            facts(worker, .ignored("could not stop all of it: \(error)"))
        }
    }

    /// Continues the whole worker for somebody else: SIGCONT to whom signals reach, and to what was stopped besides.
    ///
    /// Nothing is looked for now: what a terminal has stopped meanwhile would be continued against its user's will.
    public func continueForOutside(_ worker: WorkerID) {
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
    }

    /// Looks at what the kernel says of the group, and tells what is news.
    func checkFreezer(_ hosted: HostedWorker) {
        guard let group = hosted.group, !hosted.isOutsideGroup,
            let events = hosted.freezer?.now ?? (try? group.events())
        else { return }
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
