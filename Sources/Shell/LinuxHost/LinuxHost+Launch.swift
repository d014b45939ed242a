package import Cgroups
internal import DequeModule
internal import Launching
package import Lifecycle
internal import Linux
internal import Processes
package import SupervisorPorts
internal import Systemd
internal import WorkerFile
internal import WorkerIO

extension LinuxHost {
    /// Starts the main process of a worker in a group of its own, where there are groups.
    ///
    /// What may wait for others happens on a thread: preparing the launch reads files, and the child asks file systems for its
    /// directory and its program, as a user who can stop it.
    package func launch(
        _ worker: WorkerID, _ configuration: WorkerConfiguration, _ launch: Launch, _ details: LaunchDetails
    ) {
        let running = RunningWorker(worker, configuration)
        running.launchedAt = now
        watchForReadiness(of: running)
        workers[worker] = running
        // The model counts its time, and has it killed.
        let underway = beginLaunch(within: nil)
        running.stage = .launching(underway, after: nil)
        underway.giveUp = { [unowned self] in launchFailed(running, $0) }
        unbegun.append(UnbegunLaunch(running: running, underway: underway, launch: launch, details: details))
        beginLaunches()
    }

    /// Begins as many of the launches that wait as the threads can be given now.
    ///
    /// What a launch needs exists while it is under way only: a thousand at once would leave holes all over the heap.
    func beginLaunches() {
        while launchThreads.waitingCount < Self.mostWaitingForThreads, let next = unbegun.popFirst() {
            // It may have been given up.
            guard launches[next.underway.number] != nil else { continue }
            let (running, underway) = (next.running, next.underway)
            do throws(LaunchError) {
                let setting = try setting(of: running, next.launch)
                if running.configuration.commands.startPre.isEmpty {
                    start(running, underway, setting, next.launch, next.details)
                } else {
                    beginStartPre(running, underway, setting, next.launch, next.details)
                }
            } catch {
                _ = endLaunch(underway)
                launchFailed(running, error)
            }
        }
        if !unbegun.isEmpty { watchLaunches() }
    }

    private static let mostWaitingForThreads = 8

    /// Makes all that a worker has around it, and says what its process has to know of that.
    private func setting(of running: RunningWorker, _ launch: Launch) throws(LaunchError) -> LaunchSetting {
        if launchesNoMore {
            throw LaunchError(
                stage: .preparation, errno: 0, subject: "the supervisor is shutting down")
        }
        let configuration = running.configuration
        let user = configuration.owner?.user
        makeGroup(for: running)
        setFirstLimits(of: running, launch)
        if configuration.hasNotifySocket { running.notify = try makeNotifySocket(for: running, user) }
        if configuration.hasWorkerSocket, let workerSockets {
            running.workerSocket = try workerSockets.open(
                for: running.id, configuration.name,
                at: places.candidates(for: configuration.groupName, "worker"),
                user: user)
        }
        var setting = setting(of: running)
        setting.defaults = pressureProtocol(of: running, user: user)
        return setting
    }

    /// What a process of the worker has to know of what is around it; what `MEMORY_PRESSURE_WATCH` is left out.
    func setting(of running: RunningWorker) -> LaunchSetting {
        var setting = LaunchSetting(group: running.group, mayLackGroup: ownsAllDescendants)
        if let notify = running.notify {
            setting.variables.append(("NOTIFY_SOCKET", ByteString(notify.socket.address.description)))
        }
        if let address = running.workerSocket {
            setting.variables.append(("TORPOR_SOCKET", ByteString(address.description)))
        }
        return setting
    }

    func start(
        _ running: RunningWorker, _ underway: LaunchUnderway, _ setting: LaunchSetting, _ launch: Launch,
        _ details: LaunchDetails
    ) {
        let prepare = running.configuration.prepare
        let configuration = running.configuration
        let (connects, relays) = (
            configuration.holdsInput || configuration.capturesOutput, configuration.relaysOutput
        )
        perform(underway) { ticket throws(LaunchError) -> LaunchProgress in
            var prepared = try prepare(launch, details)
            setting.apply(to: &prepared.request)
            // Its streams belong to the loop, and its user is known when it is prepared.
            if connects || relays && prepared.request.inheritsOutput {
                return .prepared(Handoff(prepared))
            }
            return .launched(try setting.launch(prepared, ticket))
        } then: { [unowned self] result in
            switch result {
            case .failure(let error): launchEnded(running, underway, .failure(error))
            case .success(.launched(let child)): launchEnded(running, underway, .success(child))
            case .success(.prepared(let box)): goOn(running, underway, setting, box)
            }
        }
    }

    /// Goes on with a launch that is prepared: with the streams that pass through us.
    private func goOn(
        _ running: RunningWorker, _ underway: LaunchUnderway, _ setting: LaunchSetting,
        _ box: Handoff<PreparedLaunch>
    ) {
        do throws(LaunchError) {
            var prepared = try box.takeLaunch()
            try connectStreams(of: running, &prepared)
            let box = Handoff(prepared)
            perform(underway) { ticket throws(LaunchError) in
                try setting.launch(try box.takeLaunch(), ticket)
            } then: { [unowned self] in
                launchEnded(running, underway, $0)
            }
        } catch {
            launchEnded(running, underway, .failure(error))
        }
    }

    /// A thread has come back with what became of a launch.
    private func launchEnded(
        _ running: RunningWorker, _ underway: LaunchUnderway, _ result: Result<LaunchedChild, LaunchError>
    ) {
        let isKilled = underway.killedAt != nil
        let news = endLaunch(underway)
        switch result {
        // One that was sent SIGKILL before it had its program is no worker.
        case .success where isKilled: launchFailed(running, underway.timeout)
        case .success(let child): launched(running, child, news)
        case .failure(let error): launchFailed(running, error)
        }
    }

    private func launched(_ running: RunningWorker, _ child: LaunchedChild, _ news: [ChildEvent]) {
        running.stage = .running
        if let problem = child.groupProblem {
            facts(running.id, .ignored("launching it without a cgroup: \(problem)"))
            running.removeGroup()
        }
        if running.configuration.prepareHook != nil { running.environment = child.environment }
        running.main = child.pid
        running.leader = child.pid
        running.startTime = child.startTime
        byMainProcess[child.pid] = running.id
        watchGroup(of: running)
        watchRecentLaunch(running)
        facts(running.id, .launched(pid: child.pid))
        // What it has said and asked since then waits at its sockets.
        listen(to: running)
        launchTold(of: running)
        for event in news { childChanged(event) }
    }

    /// Hears of a worker at its sockets from now on.
    func listen(to running: RunningWorker) {
        if let notify = running.notify { notifySockets?.goOn(notify, as: running.id) }
        if running.workerSocket != nil { workerSockets?.admit(running.id) }
    }

    func launchFailed(_ running: RunningWorker, _ error: LaunchError) {
        guard workers[running.id] === running else { return }
        keepExitDetails(of: running, error)
        keepOutput(of: running)
        forget(running)
        // What its commands have printed is told with it.
        ended = running
        facts(running.id, .launchFailed(error))
        ended = nil
    }

    /// Makes a new group for the worker, where there are groups and this one can be made.
    private func makeGroup(for running: RunningWorker) {
        guard case .cgroup(let tree) = method else { return }
        let groupName = running.configuration.groupName
        if ownsAllDescendants {
            // It lasts as long as we do: who is killed leaves a group that the next one sweeps away.
            // What one command has left may live on in the group of that name.
            var names = ([CgroupName(groupName)].compactMap(\.self) + Self.namesAside(of: groupName))[...]
            let claim = try? tree.base.makeClaimedChild { names.popFirst() }
            if let claim { running.settle(in: claim) }
            return
        }
        guard let name = CgroupName(groupName) else { return }
        let group = tree.base.child(name)
        // Not one that somebody else lives in: what becomes of the worker would happen to them.
        if group.exists, (try? group.events())?.isPopulated ?? true {
            return makeGroupAside(for: running, tree)
        }
        do throws(LinuxError) {
            running.settle(in: try tree.base.makeChild(name))
        } catch {
            // One of an earlier life: as good as new, once nothing holds it frozen.
            if group.exists, (try? group.clearStaleFreeze()) != nil { running.settle(in: group) }
        }
    }

    /// Whether a worker that is running, or is being launched, has this group.
    package func hasMade(_ group: Cgroup) -> Bool { workers.values.contains { $0.group?.path == group.path } }

    /// What the group of a worker is called where others live in that of its name.
    static func namesAside(of group: String) -> [CgroupName] {
        (2..<10).compactMap { CgroupName("\(group)~\($0)") }
    }

    /// Makes a group by another name where foreign processes live in that of the worker.
    private func makeGroupAside(for running: RunningWorker, _ tree: CgroupTree) {
        for name in Self.namesAside(of: running.configuration.groupName) {
            guard let group = try? tree.base.makeChild(name) else { continue }
            guard (try? group.events())?.isPopulated == false else { continue }
            facts(
                running.id,
                .ignored(
                    "cgroup \(running.configuration.groupName) contains other processes: using \(name.text)"))
            return running.settle(in: group)
        }
    }

    /// Removes the empty groups that others of our kind have left when they were killed.
    package func sweepGroups(prefix: String) {
        guard case .cgroup(let tree) = method else { return }
        tree.base.sweepChildren(prefix: prefix)
    }

    /// Hears of freezes, thaws and the last process's end from the kernel, whoever brought them about.
    func watchGroup(of running: RunningWorker) {
        guard let group = running.group else { return }
        let id = running.id
        if ownsAllDescendants {
            running.events = try? GroupEvents(of: group, on: loop) { [unowned self] in groupChanged(id) }
            return
        }
        // Without a watch, others' freezes go unnoticed; everything else works.
        if groupWatches == nil { watchGroups() }
        running.groupWatch = groupWatches?.add(group.eventsPath, of: id)
    }

    /// Begins to watch groups, or goes on where a predecessor in this process did.
    func watchGroups(inheriting inherited: Int32? = nil) {
        groupWatches = try? WorkerWatches(on: loop, inheriting: inherited) { [unowned self] id in
            groupChanged(id)
        }
    }

    private func groupChanged(_ id: WorkerID) {
        guard let running = workers[id] else { return }
        if running.reaping != nil { continueReaping(running) } else { checkFreezer(running) }
    }

    // MARK: the notify socket

    func makeNotifySocket(
        for running: RunningWorker, _ user: UInt32?
    ) throws(LaunchError) -> NotifyEndpoint {
        let access = SocketAccess(for: user)
        openNotifySockets()
        for place in places.candidates(for: running.configuration.groupName, "notify") {
            if let endpoint = try? notifySockets?.make(for: running.id, at: place, access: access) {
                let name = StoreName.notify(running.configuration.groupName)
                keeper?.keep(endpoint.socket.descriptor, as: name, polled: false)
                endpoint.isStored(by: keeper, as: name)
                return endpoint
            }
        }
        throw LaunchError(
            stage: .request, errno: 98, subject: "a notify socket for \(running.configuration.name)")
    }

    /// The notify socket of a predecessor, where somebody has kept it open: with what was said while nobody was there.
    func keptNotifySocket(for running: RunningWorker) -> NotifyEndpoint? {
        let group = running.configuration.groupName
        let name = StoreName.notify(group)
        guard let address = places.candidates(for: group, "notify").first,
            let descriptor = keeper?.take(name)
        else { return nil }
        openNotifySockets()
        let endpoint = try? notifySockets?.take(descriptor, for: running.id, at: address)
        endpoint?.isStored(by: keeper, as: name)
        return endpoint
    }

    func openNotifySockets() {
        if notifySockets == nil {
            notifySockets = try? NotifySockets(on: loop) { [unowned self] id in hear(id) }
        }
    }

    /// Takes what has been said on the notify socket of a worker, as much as its turn and its budget allow.
    func hear(_ id: WorkerID) {
        guard let running = workers[id], running.notify != nil else { return }
        let granted = running.notifyBudget.take(upTo: Int64(NotifySocket.turn), at: now)
        var left = granted
        while left > 0, !DescriptorCloser.isBehind, hearOne(running) { left -= 1 }
        running.notifyBudget.putBack(left)
        if granted < NotifySocket.turn || DescriptorCloser.isBehind { restHearing(id) }
    }

    /// Takes all that has been said before its end: no more than a full queue, however fast more comes.
    func hearLast(_ running: RunningWorker) {
        for _ in 0..<NotifySocket.batch {
            guard workers[running.id] === running, hearOne(running) else { return }
        }
    }

    /// Takes the next message; false when there is none.
    private func hearOne(_ running: RunningWorker) -> Bool {
        let id = running.id
        guard let endpoint = running.notify, let delivery = try? endpoint.socket.receive() else {
            return false
        }
        switch consume delivery {
        case .message(let notification):
            let access = judge(running, notification.peer, isOnOwnSocket: true)
            guard access == .isSo else {
                ignore(
                    running,
                    "ignoring a notification from process \(notification.sender.pid), which does not belong to the worker"
                )
                return workers[id] === running
            }
            guard mayNotify(running, notification.sender.pid) else {
                ignore(
                    running,
                    "ignoring a notification from process \(notification.sender.pid): "
                        + running.configuration.notifyAccess.reason(main: running.main))
                return workers[id] === running
            }
            var report = NotifyReport(notification.message)
            if let main = report.mainProcess, !owns(running, main) { report.mainProcess = nil }
            facts(id, .said(report))
            if let storage = notification.message.storage {
                stores(id, storage, notification.descriptors.rawValues)
            }
            if notification.message.isCallbackComplete { completeNotified(running) }
        case .barrier:
            break
        case .dropped(let reason, from: let sender):
            ignore(running, "ignoring a notification from process \(sender?.pid ?? 0): \(reason)")
        }
        return workers[id] === running
    }

    /// Whether notifications of this process of the worker count, as in systemd.service(5).
    private func mayNotify(_ running: RunningWorker, _ pid: Int32) -> Bool {
        switch running.configuration.notifyAccess {
        case .none: false
        case .main: pid == running.main
        case .exec:
            pid == running.main || hookProcesses[pid]?.running === running || isNewHook(pid, of: running)
        case .all: true
        }
    }

    /// Whether it is the process of a hook that runs already, and whose thread has not told of it yet.
    private func isNewHook(_ pid: Int32, of running: RunningWorker) -> Bool {
        (running.hooks.processes + [running.startPre?.process].compactMap(\.self)).contains {
            $0.launching?.ticket.pid == pid
        }
    }

    /// Says what was not taken, and not more often than can be read.
    private func ignore(_ running: RunningWorker, _ what: String) {
        // A message of a foreign process costs as much as several of the worker's own.
        running.notifyBudget.take(Self.costOfForeignCaller, at: now)
        if running.ignoredBudget.takeOne(at: now) { facts(running.id, .ignored(what)) }
    }

    private static let costOfForeignCaller: Int64 = 4

    /// Hears nothing more of a worker until it has a budget again: its senders wait, and the others do not.
    private func restHearing(_ id: WorkerID) {
        guard let endpoint = workers[id]?.notify, !endpoint.isResting else { return }
        notifySockets?.rest(endpoint)
        resting.append(id)
        if restEnd.handle == nil {
            restEnd.handle = try? TimeSource(on: loop, accuracy: 10_000, priority: .notifications) {
                [unowned self] _ in
                let ids = resting
                resting = []
                for id in ids {
                    if let endpoint = workers[id]?.notify { notifySockets?.goOn(endpoint, as: id) }
                }
            }
        }
        if restEnd.handle?.isArmed == false {
            restEnd.handle?.arm(at: (now + Self.rest).microseconds)
        }
    }

    private static let rest = TimeSpan.milliseconds(50)

    // MARK: whose a process is

    /// Whether a peer is a process of the worker.
    ///
    /// A short-lived helper may have been reaped already. Where the kernel tells nothing of it any more, its user has to do if it has
    /// sent to the worker's own socket, which only that user and root may write to.
    func judge(
        _ running: RunningWorker, _ peer: PeerProcess, isOnOwnSocket: Bool = false
    ) -> PeerProcess.Judgement {
        let isInGroup = peer.lastGroup.map { running.isGroup($0) } ?? false
        if isInGroup { return .isSo }
        let own = running.configuration.owner?.user ?? ThisProcess.effectiveUser
        switch peer.judge(users: [0, own], { owns(running, $0) }) {
        case .isSo: return .isSo
        case .isNot: return .isNot
        case .gone:
            if let last = peer.lastGroup, let group = running.group {
                return group.contains(group: last) ? .isSo : .isNot
            }
            return isOnOwnSocket && peer.credentials.uid == own ? .isSo : .gone
        }
    }

    /// Whether a process belongs to the worker; its number must be known to be its own.
    func owns(_ running: RunningWorker, _ pid: Int32) -> Bool {
        if pid == running.main { return true }
        if let group = running.group { return group.contains(process: pid) }
        guard running.main > 0 else { return false }
        var ancestor = pid
        for _ in 0..<64 {
            guard let stat = ProcessStat.read(pid: ancestor) else { return false }
            if stat.session == running.leader || stat.parent == running.main { return true }
            if running.hookSessions.contains(stat.session) { return true }
            if stat.parent == ThisProcess.pid { return ownsAllDescendants }
            ancestor = stat.parent
        }
        return false
    }
}

extension NotifyAccess {
    /// Why a notification does not count, and what would have it count.
    fileprivate func reason(main: Int32) -> String {
        switch self {
        case .none: "NotifyAccess=none accepts none"
        case .main:
            "NotifyAccess=main accepts only those of the main process \(main); NotifyAccess=all accepts those of every process"
        case .exec:
            "NotifyAccess=exec accepts only those of the main process \(main) and of hooks; NotifyAccess=all accepts those of every process"
        case .all: "it does not belong to the worker"
        }
    }
}
