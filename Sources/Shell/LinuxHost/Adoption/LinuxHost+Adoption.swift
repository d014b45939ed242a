internal import Glibc
internal import Lifecycle
internal import Linux
package import SupervisorPorts
internal import Systemd
internal import WorkerIO

/// Workers that a predecessor has started, taken over with all that has a name: their groups, sockets and pipes.
///
/// They are not our children: their end is heard of by pidfd. That somebody stops or continues them with a signal the kernel tells
/// nobody but their parent: it is seen when they are asked for (``look(at:)``).
extension LinuxHost {
    /// Takes over the main process of a worker.
    package func adopt(_ worker: WorkerID, _ blueprint: Blueprint, _ heir: Heir) -> Adoption {
        guard workers[worker] == nil else { return .missing }
        let hosted = HostedWorker(worker, blueprint)
        hosted.isAdopted = true
        findGroup(of: hosted)
        var found = mainProcess(of: hosted, heir)
        if found == nil, heir.pid == nil {
            awaitBirth(of: hosted, after: heir.launchAskedAt)
            // In any case: it may have got its program between two looks.
            found = mainProcess(of: hosted, heir)
        }
        guard let main = found else {
            guard let pid = heir.pid else {
                endStartPre(of: hosted)
                return .missing
            }
            return buryUnseen(hosted, pid)
        }
        guard let watch = watchEnd(of: main, worker) else { return buryUnseen(hosted, main) }
        hosted.main = main
        hosted.leader = (try? ThisProcess.session(of: main)) ?? main
        hosted.mainWatch = watch
        if let group = hosted.group, !group.contains(process: main) { findGroupAside(of: hosted) }
        if hosted.group == nil { regroup(hosted) }
        hosted.startTime = ProcessIdentity(pid: main)?.startTime
        workers[worker] = hosted
        byMainProcess[main] = worker
        reopen(hosted)
        watchGroup(of: hosted)
        adoptLimits(of: hosted)
        return .alive(pid: main, isAsleep: takeOverSleep(of: hosted, heir.sleep))
    }

    /// When the main process of a worker started, where there is no group to know it by.
    package func startTime(of worker: WorkerID) -> UInt64? { workers[worker]?.startTime }

    /// Whether a predecessor has started the main process of a worker.
    package func isAdopted(_ worker: WorkerID) -> Bool { workers[worker]?.isAdopted ?? false }

    // MARK: finding it

    private func findGroup(of hosted: HostedWorker) {
        guard case .cgroup(let tree) = method, let name = CgroupName(hosted.blueprint.groupName) else {
            return
        }
        let group = tree.base.child(name)
        if group.exists { hosted.settle(in: group) }
    }

    /// Finds the group that a worker lives in because others live in that of its name.
    private func findGroupAside(of hosted: HostedWorker) {
        hosted.settle(in: nil as Cgroup?)
        guard case .cgroup(let tree) = method else { return }
        for name in Self.namesAside(of: hosted.blueprint.groupName) {
            let group = tree.base.child(name)
            if group.contains(process: hosted.main) { return hosted.settle(in: group) }
        }
    }

    /// How long a process may take from clone3(2) to its own program.
    private static let longestBirth = TimeSpan.seconds(2)

    /// Waits until a process that a predecessor was making when it was killed has become the worker, or has gone.
    ///
    /// It has our program still, and goes on by itself: who takes it for a stranger would launch the worker a second time. There
    /// can be one at most, and it takes less than a millisecond where the processor is free, so this is waited for, before
    /// anybody is served.
    private func awaitBirth(of hosted: HostedWorker, after begun: Instant?) {
        guard var unborn = unborn(of: hosted, after: begun) else { return }
        let limit = now + Self.longestBirth
        while now < limit {
            usleep(200)
            guard let next = self.unborn(of: hosted, after: begun) else { return }
            unborn = next
        }
        // Whatever holds it, nothing of the worker has run yet. Without a group nobody is as sure whose it is.
        if hosted.group != nil, hasOurProgram(unborn) { try? Signal.kill.send(toProcess: unborn) }
    }

    private func unborn(of hosted: HostedWorker, after begun: Instant?) -> Int32? {
        let members = (try? hosted.group?.processes()) ?? Array(ProcessTree.snapshot().processes.keys)
        return members.first { pid in
            guard pid != ThisProcess.pid, let stat = ProcessStat.read(pid: pid), stat.state != .zombie,
                stat.state != .dead, !isMarked(pid, hosted), !runsBeforeMain(pid, hosted)
            else { return false }
            let isYoung = begun.map { stat.hasStarted(since: $0.microseconds) } ?? false
            // In the middle of execve(2) it has another name already, and no environment yet: its age tells.
            if hosted.group != nil { return isYoung || hasOurProgram(pid) }
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
    private func mainProcess(of hosted: HostedWorker, _ heir: Heir) -> Int32? {
        if let pid = heir.pid {
            guard let stat = ProcessStat.read(pid: pid), stat.state != .zombie, stat.state != .dead else {
                return nil
            }
            if let start = heir.startTime { return stat.startTime == start ? pid : nil }
            if hosted.group?.contains(process: pid) ?? false { return pid }
            // Its group was removed, or it was moved out of it.
            return isMarked(pid, hosted) ? pid : nil
        }
        let candidates = (try? hosted.group?.processes()) ?? Array(ProcessTree.snapshot().processes.keys)
        return candidates.compactMap { ProcessStat.read(pid: $0) }
            .filter { $0.session == $0.pid && $0.state != .zombie && isMarked($0.pid, hosted) }
            .filter { process in
                // Without a group others' workers are among them: it has come since its launch was asked for.
                hosted.group != nil
                    || isOrphan(process)
                        && heir.launchAskedAt.map { process.hasStarted(since: $0.microseconds) } ?? true
            }
            .min { $0.startTime < $1.startTime }?.pid
    }

    /// Whether no other supervisor looks after it: one for another user or place may have a worker of the same name.
    private func isOrphan(_ process: ProcessStat) -> Bool {
        ProcessStat.read(pid: process.parent).map { $0.command != ByteString("torpord") } ?? true
    }

    private func isMarked(_ pid: Int32, _ hosted: HostedWorker) -> Bool {
        let user = hosted.blueprint.owner?.user ?? ThisProcess.user
        guard hosted.group != nil || ProcessStat.users(of: pid).allSatisfy({ $0 == user }) else {
            return false
        }
        return isMarked(pid, hosted.blueprint.name)
    }

    /// Whether a process was launched as that worker of ours, by its environment.
    ///
    /// What a process shows there is its own memory, and any user can give a process that mark: it only tells which process of a
    /// group that we made is the main one, or, without groups, which of those of the worker's own user.
    package func isMarked(_ pid: Int32, _ worker: String) -> Bool {
        isMarked(pid, worker, runs: nil)
    }

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
    private func runsBeforeMain(_ pid: Int32, _ hosted: HostedWorker) -> Bool {
        let keys = Set(hosted.blueprint.commands.startPre.map { ByteString($0.key) })
        return keys.contains { isMarked(pid, hosted.blueprint.name, runs: $0) }
    }

    /// How long what ran before a main process may take to be gone.
    private static let longestClearing = TimeSpan.seconds(2)

    /// Ends what a predecessor has run before a main process that is not there: the launch begins anew.
    ///
    /// SIGKILL takes less than a millisecond, and who came after would meet it in the group: this is waited for, before anybody is
    /// served.
    private func endStartPre(of hosted: HostedWorker) {
        guard !hosted.blueprint.commands.startPre.isEmpty else { return }
        let limit = now + Self.longestClearing
        while now < limit {
            let pids = (try? hosted.group?.processes()) ?? Array(ProcessTree.snapshot().processes.keys)
            let left = pids.filter { pid in
                guard let stat = ProcessStat.read(pid: pid), stat.state != .zombie, stat.state != .dead else {
                    return false
                }
                return runsBeforeMain(pid, hosted) && (hosted.group != nil || isOrphan(stat))
            }
            if left.isEmpty {
                // The kernel takes what is dead out of its group a moment later: until then the group counts as lived in.
                let isLeaving = pids.isEmpty && ((try? hosted.group?.events())?.isPopulated ?? false)
                guard isLeaving else { return }
            }
            // One by one: a group that was killed as a whole kills what is launched into it later. See `endLeftovers`.
            // Ignoring failures: what has gone needs nothing.
            for pid in left { try? Pidfd(pid: pid).send(.kill) }
            usleep(200)
        }
    }

    /// Makes a group for a worker that has none any more, and puts all of it there.
    private func regroup(_ hosted: HostedWorker) {
        guard case .cgroup(let tree) = method, let name = CgroupName(hosted.blueprint.groupName),
            let group = try? tree.base.makeChild(name)
        else { return }
        let members = processes(of: hosted)
        // Ignoring failures: who has gone meanwhile needs no group.
        for pid in members { try? group.adopt(process: pid) }
        guard group.contains(process: hosted.main) else { return }
        hosted.settle(in: group)
    }

    /// What is left of a worker whose main process ended while nobody saw it is cleared away, as if it had ended now.
    private func buryUnseen(_ hosted: HostedWorker, _ pid: Int32) -> Adoption {
        hosted.main = pid
        hosted.leader = pid
        // As long as anything of its session is there, the kernel gives its number to nobody.
        if let stat = ProcessStat.read(pid: pid) {
            hosted.hasLostItsNumber = stat.state != .zombie && stat.state != .dead
        }
        workers[hosted.id] = hosted
        reopenSockets(of: hosted)
        watchGroup(of: hosted)
        let id = hosted.id
        // In a turn of its own: whoever asked has not heard yet that it has ended.
        let bury: @Sendable () -> Void = { [weak self] in
            guard let self, let hosted = workers[id], hosted.burial == nil else { return }
            mainProcessEnded(hosted, .unknown)
        }
        loop.call(bury)
        return .ended
    }

    // MARK: what had a name

    private func reopen(_ hosted: HostedWorker) {
        reopenSockets(of: hosted)
        reopenStreams(of: hosted)
    }

    /// Opens its standard streams by their names, as far as we hold them.
    func reopenStreams(of hosted: HostedWorker) {
        if hosted.blueprint.holdsInput, let pipe = adoptPipe("stdin", of: hosted) {
            hosted.input = HeldInput(pipe, on: loop)
        }
        reopenOutputs(of: hosted)
    }

    func adoptPipe(_ name: String, of hosted: HostedWorker) -> Fifo? {
        for path in places.pipes(for: hosted.blueprint.groupName, name) {
            if let pipe = try? Fifo(adopting: path) { return pipe }
        }
        return nil
    }

    private func reopenSockets(of hosted: HostedWorker) {
        defer { listen(to: hosted) }
        let blueprint = hosted.blueprint
        reopenWarningDoor(for: hosted)
        if blueprint.hasNotifySocket {
            do throws(LaunchError) {
                hosted.notify = keptNotifySocket(for: hosted)
                if hosted.notify == nil {
                    hosted.notify = try makeNotifySocket(for: hosted, blueprint.owner?.user)
                }
            } catch {
                facts(hosted.id, .ignored("what it says is not heard any more: \(error)"))
            }
        }
        guard blueprint.hasWorkerSocket, let workerSockets else { return }
        do throws(LaunchError) {
            hosted.workerSocket = try workerSockets.open(
                for: hosted.id, blueprint.name, at: places.candidates(for: blueprint.groupName, "worker"),
                user: blueprint.owner?.user)
        } catch {
            facts(hosted.id, .ignored("it cannot connect to the supervisor any more: \(error)"))
        }
    }

    // MARK: sleep

    /// Compares how it sleeps with how it should, and sees to it that what differs is told, or done again.
    ///
    /// Answers whether it sleeps.
    private func takeOverSleep(of hosted: HostedWorker, _ expected: Heir.Sleep?) -> Bool {
        let isFrozen = (try? hosted.group?.events())?.isFrozen ?? false
        let isStopped = ProcessStat.read(pid: hosted.main)?.state == .stopped
        hosted.isStopped = isStopped
        let sleeps = isFrozen || isStopped
        let id = hosted.id
        let news: (@Sendable (LinuxHost) -> Void)?
        switch (expected, sleeps) {
        case (.asleep, true), (nil, true): news = nil
        case (.fallingAsleep, true): news = { $0.facts(id, .frozen) }
        case (.fallingAsleep, false): news = { $0.freeze(id) }
        case (.waking, _): news = { $0.thaw(id) }
        case (.asleep, false): news = { $0.facts(id, .continuedOutside) }
        case (.awake, true): news = { $0.facts(id, .stoppedOutside) }
        case (.awake, false), (nil, false): news = nil
        }
        if isFrozen { hosted.freeze = expected == .awake ? .outside : .ours }
        if isStopped, hosted.group == nil { hosted.freeze = expected == .awake ? .outside : .ours }
        if let news {
            // In a turn of its own, when whoever asked is ready for it.
            let tell: @Sendable () -> Void = { [weak self] in
                guard let self, workers[id] != nil else { return }
                news(self)
            }
            loop.call(tell)
        }
        return sleeps
    }

    /// Looks whether somebody has stopped or continued a worker that is not our child: the kernel tells its parent alone.
    package func look(at worker: WorkerID) {
        guard let hosted = workers[worker], hosted.isAdopted, hosted.burial == nil,
            // Frozen, it shows nothing of it.
            hosted.group == nil || hosted.freeze == .none,
            let stat = ProcessStat.read(pid: hosted.main)
        else { return }
        let isStopped = stat.state == .stopped
        guard isStopped != hosted.isStopped else { return }
        hosted.isStopped = isStopped
        if isStopped {
            if hosted.group == nil { hosted.freeze = .outside }
            facts(worker, .stoppedOutside)
        } else {
            if hosted.group == nil { hosted.freeze = .none }
            facts(worker, .continuedOutside)
        }
    }

    // MARK: the end

    /// How long the parent of an adopted process may take to reap it: before that, the kernel does not tell how it ended.
    private static let reaping = TimeSpan.seconds(5)

    /// An adopted process has ended: waits until the kernel says how, as long as it may.
    func adoptedProcessEnded(_ hosted: HostedWorker) {
        if let status = hosted.mainWatch?.status { return mainProcessEnded(hosted, status) }
        let seen = hosted.endSeenAt ?? now
        hosted.endSeenAt = seen
        switch ProcessStat.read(pid: hosted.main)?.state {
        case .zombie, .dead:
            guard now - seen < Self.reaping else { return mainProcessEnded(hosted, .unknown) }
            // Readable for ever from here on.
            hosted.mainWatch?.pause()
            checkSoon(hosted)
        default:
            // It may have been reaped between the two looks: now the kernel tells, if it ever does.
            mainProcessEnded(hosted, hosted.mainWatch?.status ?? .unknown)
        }
    }
}
