internal import Cgroups
internal import Glibc
internal import Launching
internal import Lifecycle
internal import Linux
internal import Processes
package import SupervisorPorts
internal import Systemd
internal import WorkerIO

/// Workers that a predecessor has started, taken over with all that has a name: their groups, sockets and pipes.
///
/// They are not children of this process: a pidfd reports their end. The kernel reports stop and continue signals
/// to the parent alone: they are noticed when the state is asked for (``look(at:)``).
extension LinuxHost {
    /// Takes over the main process of a worker.
    package func adopt(_ worker: WorkerID, _ configuration: WorkerConfiguration, _ record: AdoptionRecord)
        -> Adoption
    {
        guard workers[worker] == nil else { return .missing }
        let running = RunningWorker(worker, configuration)
        running.isAdopted = true
        findGroup(of: running)
        var found = mainProcess(of: running, record)
        if found == nil, record.pid == nil {
            awaitBirth(of: running, after: record.launchAskedAt)
            // In any case: it may have got its program between two looks.
            found = mainProcess(of: running, record)
        }
        guard let main = found else {
            guard let pid = record.pid else {
                endStartPre(of: running)
                return .missing
            }
            return reapUnseen(running, pid)
        }
        guard let watch = watchEnd(of: main, worker) else { return reapUnseen(running, main) }
        running.main = main
        running.leader = (try? ThisProcess.session(of: main)) ?? main
        running.mainWatch = watch
        if let group = running.group, !group.contains(process: main) { findGroupAside(of: running) }
        if running.group == nil { regroup(running) }
        running.startTime = ProcessIdentity(pid: main)?.startTime
        workers[worker] = running
        byMainProcess[main] = worker
        reopen(running)
        watchGroup(of: running)
        adoptLimits(of: running)
        return .alive(pid: main, isAsleep: takeOverSleep(of: running, record.sleep))
    }

    /// When the main process of a worker started, where there is no group to know it by.
    package func startTime(of worker: WorkerID) -> UInt64? { workers[worker]?.startTime }

    /// Whether a predecessor has started the main process of a worker.
    package func isAdopted(_ worker: WorkerID) -> Bool { workers[worker]?.isAdopted ?? false }

    // MARK: finding it

    private func findGroup(of running: RunningWorker) {
        guard case .cgroup(let tree) = method, let name = CgroupName(running.configuration.groupName) else {
            return
        }
        let group = tree.base.child(name)
        if group.exists { running.settle(in: group) }
    }

    /// Finds the group that a worker lives in because others live in that of its name.
    private func findGroupAside(of running: RunningWorker) {
        running.settle(in: nil as Cgroup?)
        guard case .cgroup(let tree) = method else { return }
        for name in CgroupName.aside(of: running.configuration.groupName) {
            let group = tree.base.child(name)
            if group.contains(process: running.main) { return running.settle(in: group) }
        }
    }

    /// How long a process may take from clone3(2) to its own program.
    private static let longestBirth = TimeSpan.seconds(2)

    /// Waits until a process that a predecessor was making when it was killed has become the worker, or has gone.
    ///
    /// It still runs this program, and goes on by itself: taking it for a foreign process would launch the worker a second time. There
    /// can be one at most, and it takes less than a millisecond where the processor is free, so this is waited for, before
    /// any client is served.
    private func awaitBirth(of running: RunningWorker, after begun: Instant?) {
        guard var unborn = unborn(of: running, after: begun) else { return }
        let limit = now + Self.longestBirth
        while now < limit {
            usleep(200)
            guard let next = self.unborn(of: running, after: begun) else { return }
            unborn = next
        }
        // Whatever holds it, nothing of the worker has run yet. Without a group it is less certain which worker it belongs to.
        if running.group != nil, hasOurProgram(unborn) { try? Signal.kill.send(toProcess: unborn) }
    }

    private func unborn(of running: RunningWorker, after begun: Instant?) -> Int32? {
        let members = (try? running.group?.processes()) ?? Array(ProcessTree.snapshot().processes.keys)
        return members.first { pid in
            guard pid != ThisProcess.pid, let stat = ProcessStat.read(pid: pid), stat.state != .zombie,
                stat.state != .dead, !isMarked(pid, running), !runsBeforeMain(pid, running)
            else { return false }
            let isYoung = begun.map { stat.hasStarted(since: $0.microseconds) } ?? false
            // In the middle of execve(2) it has another name already, and no environment yet: its age tells.
            if running.group != nil { return isYoung || hasOurProgram(pid) }
            let isBare = stat.session == pid && Environment.of(process: pid)?.entries.isEmpty ?? false
            guard isBare || hasOurProgram(pid) else { return false }
            // Others may have daemons of their own.
            return isOrphan(stat) && isYoung
        }
    }

    private func hasOurProgram(_ pid: Int32) -> Bool {
        guard let ours = ProcessStat.read(pid: ThisProcess.pid)?.command else { return false }
        return ProcessStat.read(pid: pid)?.command == ours
    }

    /// Its main process, as it was remembered, or as it can be known by its environment; nil when it is not there.
    private func mainProcess(of running: RunningWorker, _ record: AdoptionRecord) -> Int32? {
        if let pid = record.pid {
            guard let stat = ProcessStat.read(pid: pid), stat.state != .zombie, stat.state != .dead else {
                return nil
            }
            if let start = record.startTime { return stat.startTime == start ? pid : nil }
            if running.group?.contains(process: pid) ?? false { return pid }
            // Its group was removed, or it was moved out of it.
            return isMarked(pid, running) ? pid : nil
        }
        let candidates = (try? running.group?.processes()) ?? Array(ProcessTree.snapshot().processes.keys)
        return candidates.compactMap { ProcessStat.read(pid: $0) }
            .filter { $0.session == $0.pid && $0.state != .zombie && isMarked($0.pid, running) }
            .filter { process in
                // Without a group others' workers are among them: it has come since its launch was asked for.
                running.group != nil
                    || isOrphan(process)
                        && record.launchAskedAt.map { process.hasStarted(since: $0.microseconds) } ?? true
            }
            .min { $0.startTime < $1.startTime }?.pid
    }

    /// Whether no other supervisor looks after it: one for another user or place may have a worker of the same name.
    private func isOrphan(_ process: ProcessStat) -> Bool {
        ProcessStat.read(pid: process.parent).map { $0.command != ByteString("torpord") } ?? true
    }

    private func isMarked(_ pid: Int32, _ running: RunningWorker) -> Bool {
        let user = running.configuration.owner?.user ?? ThisProcess.user
        guard running.group != nil || ProcessStat.users(of: pid).allSatisfy({ $0 == user }) else {
            return false
        }
        return isMarked(pid, running.configuration.name)
    }

    /// Whether a process was launched as that worker, by its environment.
    ///
    /// What a process shows there is its own memory, and any user can give a process that mark: it only tells which process of a
    /// group that we made is the main one, or, without groups, which of those of the worker's own user.
    package func isMarked(_ pid: Int32, _ worker: String) -> Bool { isMarked(pid, worker, runs: nil) }

    /// The same for a process that runs a command of its file, `runs` being the directive; nil is its main process.
    private func isMarked(_ pid: Int32, _ worker: String, runs command: ByteString?) -> Bool {
        guard let environment = Environment.of(process: pid),
            environment["TORPOR_WORKER"] == ByteString(worker), environment["TORPOR_COMMAND"] == command
        else { return false }
        // Its file may have taken that away.
        guard let supervisor, let launcher = environment["TORPOR_SUPERVISOR"] else { return true }
        return launcher == supervisor
    }

    /// Whether a process runs one of the commands that come before the main process (`ExecStartPre=`).
    private func runsBeforeMain(_ pid: Int32, _ running: RunningWorker) -> Bool {
        let keys = Set(running.configuration.commands.startPre.map { ByteString($0.key) })
        return keys.contains { isMarked(pid, running.configuration.name, runs: $0) }
    }

    /// How long what ran before a main process may take to be gone.
    private static let longestClearing = TimeSpan.seconds(2)

    /// Ends what a predecessor has run before a main process that is not there: the launch begins anew.
    ///
    /// SIGKILL takes less than a millisecond, and the next main process would meet it in the group: this is waited for, before any client
    /// is served.
    private func endStartPre(of running: RunningWorker) {
        guard !running.configuration.commands.startPre.isEmpty else { return }
        let limit = now + Self.longestClearing
        while now < limit {
            let pids = (try? running.group?.processes()) ?? Array(ProcessTree.snapshot().processes.keys)
            let left = pids.filter { pid in
                guard let stat = ProcessStat.read(pid: pid), stat.state != .zombie, stat.state != .dead else {
                    return false
                }
                return runsBeforeMain(pid, running) && (running.group != nil || isOrphan(stat))
            }
            if left.isEmpty {
                // The kernel takes what is dead out of its group a moment later: until then the group counts as lived in.
                let isLeaving = pids.isEmpty && ((try? running.group?.events())?.isPopulated ?? false)
                guard isLeaving else { return }
            }
            // One by one: a group that was killed as a whole kills what is launched into it later. See `endLeftovers`.
            // Ignoring failures: what has gone needs nothing.
            for pid in left { try? Pidfd(pid: pid).send(.kill) }
            usleep(200)
        }
    }

    /// Makes a group for a worker that has none any more, and puts all of it there.
    private func regroup(_ running: RunningWorker) {
        guard case .cgroup(let tree) = method, let name = CgroupName(running.configuration.groupName),
            let group = try? tree.base.makeChild(name)
        else { return }
        let members = processes(of: running)
        // Ignoring failures: a process that is gone needs no group.
        for pid in members { try? group.adopt(process: pid) }
        guard group.contains(process: running.main) else { return }
        running.settle(in: group)
    }

    /// What is left of a worker whose main process ended unseen is cleared away, as if it had ended now.
    private func reapUnseen(_ running: RunningWorker, _ pid: Int32) -> Adoption {
        running.main = pid
        running.leader = pid
        // As long as anything of its session is there, the kernel does not reuse its number.
        if let stat = ProcessStat.read(pid: pid) {
            running.hasLostItsNumber = stat.state != .zombie && stat.state != .dead
        }
        workers[running.id] = running
        reopenSockets(of: running)
        watchGroup(of: running)
        let id = running.id
        // In a turn of its own: the caller does not know yet that it has ended.
        loop.callSoon { [weak self] in
            guard let self, let running = workers[id], running.reaping == nil else { return }
            mainProcessEnded(running, .unknown)
        }
        return .ended
    }

    // MARK: what had a name

    private func reopen(_ running: RunningWorker) {
        reopenSockets(of: running)
        reopenStreams(of: running)
    }

    /// Opens its standard streams by their names, as far as we hold them.
    func reopenStreams(of running: RunningWorker, _ handed: HandedOutputs? = nil) {
        let name = running.configuration.groupName
        if running.configuration.holdsInput, let pipe = places.adoptPipe(for: name, "stdin") {
            running.input = StdinPipe(pipe, on: loop)
        }
        reopenOutputs(of: running, handed)
    }

    private func reopenSockets(of running: RunningWorker) {
        defer { listen(to: running) }
        let configuration = running.configuration
        reopenPressureSocket(for: running)
        if configuration.hasNotifySocket {
            do throws(LaunchError) {
                running.notify = keptNotifySocket(for: running)
                if running.notify == nil {
                    running.notify = try makeNotifySocket(for: running, configuration.owner?.user)
                }
            } catch {
                inform(running.id, .ignored("its notifications can no longer be received: \(error)"))
            }
        }
        guard configuration.hasWorkerSocket, let workerSockets else { return }
        do throws(LaunchError) {
            running.workerSocket = try workerSockets.open(
                for: running.id, configuration.name,
                at: places.candidates(for: configuration.groupName, "worker"),
                user: configuration.owner?.user)
        } catch {
            inform(running.id, .ignored("it can no longer connect to the supervisor: \(error)"))
        }
    }

    // MARK: sleep

    /// Compares how it sleeps with how it should, has what differs told, or done again, and answers whether it sleeps.
    private func takeOverSleep(of running: RunningWorker, _ expected: AdoptionRecord.Sleep?) -> Bool {
        let isFrozen = (try? running.group?.events())?.isFrozen ?? false
        let isStopped = ProcessStat.read(pid: running.main)?.state == .stopped
        running.isStopped = isStopped
        let sleeps = isFrozen || isStopped
        let id = running.id
        let news: ((LinuxHost) -> Void)?
        switch (expected, sleeps) {
        case (.asleep, true), (nil, true): news = nil
        // It is told of its sleep before that is watched: what came for it earlier would wake nothing, and is asked for once.
        case (.fallingAsleep, _): news = { if case .asked = running.freeze { $0.freeze(id) } }
        case (.waking, _): news = { $0.thaw(id) }
        case (.asleep, false): news = { $0.inform(id, .continuedOutside) }
        case (.awake, true): news = { $0.inform(id, .stoppedOutside) }
        case (.awake, false), (nil, false): news = nil
        }
        if isFrozen || isStopped && running.group == nil {
            running.freeze = expected == .awake ? .outside : .ours
        }
        if expected == .fallingAsleep { running.freeze = .asked(since: now, nil) }
        // What has come in the meantime is found: readiness stays.
        watchSoon(running)
        inspectAgain(running)
        if let news {
            // In a turn of its own, when the caller is ready for it.
            loop.callSoon { [weak self] in
                guard let self, workers[id] != nil else { return }
                news(self)
            }
        }
        return sleeps
    }

    /// Checks whether a worker's group was frozen or thawed, which the kernel reports a moment later, and whether one that is
    /// not a child was stopped or continued, which it reports to the parent alone.
    package func look(at worker: WorkerID) {
        guard let running = workers[worker], running.reaping == nil else { return }
        if running.group != nil, !running.isOutsideGroup { checkFreezer(running) }
        guard running.isAdopted,
            // Frozen, it shows nothing of it; while it is being stopped, what shows is ours.
            running.freeze.isNone || running.group == nil && !running.freeze.isUnderway,
            let stat = ProcessStat.read(pid: running.main)
        else { return }
        let isStopped = stat.state == .stopped
        guard isStopped != running.isStopped else { return }
        running.isStopped = isStopped
        if isStopped {
            if running.group == nil { running.freeze = .outside }
            inform(worker, .stoppedOutside)
        } else {
            if running.group == nil { running.freeze = .none }
            inform(worker, .continuedOutside)
        }
    }

    /// The same of many: where the kernel tells of a group, what it has told is taken, for all of them at once.
    package func look(at workers: [WorkerID]) {
        groupWatches?.take()
        for id in workers {
            guard let running = self.workers[id], running.groupWatch == nil || running.isAdopted else {
                continue
            }
            look(at: id)
        }
    }

    // MARK: the end

    /// How long the parent of an adopted process may take to reap it: before that, the kernel does not tell how it ended.
    private static let reaping = TimeSpan.seconds(5)

    /// An adopted process has ended: waits until the kernel says how, as long as it may.
    func adoptedProcessEnded(_ running: RunningWorker) {
        if let status = running.mainWatch?.status { return mainProcessEnded(running, status) }
        let seen = if case .ended(let seen) = running.stage { seen } else { now }
        running.stage = .ended(seen: seen)
        switch ProcessStat.read(pid: running.main)?.state {
        case .zombie, .dead:
            guard now - seen < Self.reaping else { return mainProcessEnded(running, .unknown) }
            // Readable for ever from here on.
            running.mainWatch?.pause()
            checkSoon(running)
        default:
            // It may have been reaped between the two looks: now the kernel tells, if it ever does.
            mainProcessEnded(running, running.mainWatch?.status ?? .unknown)
        }
    }
}
