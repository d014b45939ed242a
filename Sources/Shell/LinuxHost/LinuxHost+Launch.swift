internal import DequeModule
package import Lifecycle
package import Linux
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
        _ worker: WorkerID, _ blueprint: Blueprint, _ launch: Launch, _ details: LaunchDetails
    ) {
        let hosted = HostedWorker(worker, blueprint)
        hosted.launchedAt = now
        watchForReadiness(of: hosted)
        workers[worker] = hosted
        // The model counts its time, and has it killed.
        let underway = beginLaunch(within: nil)
        hosted.launching = underway
        underway.giveUp = { [unowned self] in launchFailed(hosted, $0) }
        unbegun.append(UnbegunLaunch(hosted: hosted, underway: underway, launch: launch, details: details))
        beginLaunches()
    }

    /// Begins as many of the launches that wait as the threads can be given now.
    ///
    /// What a launch needs exists while it is under way only: a thousand at once would leave holes all over the heap.
    func beginLaunches() {
        while launchThreads.waitingCount < Self.mostWaitingForThreads, let next = unbegun.popFirst() {
            // It may have been given up.
            guard launches[next.underway.number] != nil else { continue }
            let (hosted, underway) = (next.hosted, next.underway)
            do throws(LaunchError) {
                let setting = try setting(of: hosted, next.launch)
                if hosted.blueprint.commands.startPre.isEmpty {
                    start(hosted, underway, setting, next.launch, next.details)
                } else {
                    beginStartPre(hosted, underway, setting, next.launch, next.details)
                }
            } catch {
                _ = endLaunch(underway)
                launchFailed(hosted, error)
            }
        }
        if !unbegun.isEmpty { watchLaunches() }
    }

    private static let mostWaitingForThreads = 8

    /// Makes all that a worker has around it, and says what its process has to know of that.
    private func setting(of hosted: HostedWorker, _ launch: Launch) throws(LaunchError) -> LaunchSetting {
        if launchesNoMore {
            throw LaunchError(
                stage: .preparation, errno: 0, subject: "the supervisor ends: nothing is launched")
        }
        let blueprint = hosted.blueprint
        let user = blueprint.owner?.user
        makeGroup(for: hosted)
        setFirstLimits(of: hosted, launch)
        if blueprint.hasNotifySocket { hosted.notify = try makeNotifySocket(for: hosted, user) }
        if blueprint.hasWorkerSocket, let workerSockets {
            hosted.workerSocket = try workerSockets.open(
                for: hosted.id, blueprint.name, at: places.candidates(for: blueprint.groupName, "worker"),
                user: user)
        }
        var setting = setting(of: hosted)
        setting.defaults = pressureProtocol(of: hosted, user: user)
        return setting
    }

    /// What a process of the worker has to know of what is around it; what `MEMORY_PRESSURE_WATCH` is left out.
    func setting(of hosted: HostedWorker) -> LaunchSetting {
        var setting = LaunchSetting(group: hosted.group, mayLackGroup: ownsAllDescendants)
        if let notify = hosted.notify {
            setting.variables.append(("NOTIFY_SOCKET", ByteString(notify.socket.address.description)))
        }
        if let address = hosted.workerSocket {
            setting.variables.append(("TORPOR_SOCKET", ByteString(address.description)))
        }
        return setting
    }

    func start(
        _ hosted: HostedWorker, _ underway: LaunchUnderway, _ setting: LaunchSetting, _ launch: Launch,
        _ details: LaunchDetails
    ) {
        let prepare = hosted.blueprint.prepare
        let blueprint = hosted.blueprint
        let (connects, relays) = (blueprint.holdsInput || blueprint.capturesOutput, blueprint.relaysOutput)
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
            case .failure(let error): launchEnded(hosted, underway, .failure(error))
            case .success(.launched(let child)): launchEnded(hosted, underway, .success(child))
            case .success(.prepared(let box)): goOn(hosted, underway, setting, box)
            }
        }
    }

    /// Goes on with a launch that is prepared: with the streams that pass through us.
    private func goOn(
        _ hosted: HostedWorker, _ underway: LaunchUnderway, _ setting: LaunchSetting,
        _ box: Handoff<PreparedLaunch>
    ) {
        do throws(LaunchError) {
            var prepared = try box.takeLaunch()
            try connectStreams(of: hosted, &prepared)
            let box = Handoff(prepared)
            perform(underway) { ticket throws(LaunchError) in
                try setting.launch(try box.takeLaunch(), ticket)
            } then: { [unowned self] in
                launchEnded(hosted, underway, $0)
            }
        } catch {
            launchEnded(hosted, underway, .failure(error))
        }
    }

    /// A thread has come back with what became of a launch.
    private func launchEnded(
        _ hosted: HostedWorker, _ underway: LaunchUnderway, _ result: Result<LaunchedChild, LaunchError>
    ) {
        let isKilled = underway.killedAt != nil
        let news = endLaunch(underway)
        switch result {
        // One that was sent SIGKILL before it had its program is no worker.
        case .success where isKilled: launchFailed(hosted, underway.timeout)
        case .success(let child): launched(hosted, child, news)
        case .failure(let error): launchFailed(hosted, error)
        }
    }

    private func launched(_ hosted: HostedWorker, _ child: LaunchedChild, _ news: [ChildEvent]) {
        hosted.launching = nil
        if let problem = child.groupProblem {
            facts(hosted.id, .ignored("starting it without a cgroup: \(problem)"))
            hosted.removeGroup()
        }
        if hosted.blueprint.prepareHook != nil { hosted.environment = child.environment }
        hosted.main = child.pid
        hosted.leader = child.pid
        hosted.startTime = child.startTime
        byMainProcess[child.pid] = hosted.id
        watchGroup(of: hosted)
        watchNewcomer(hosted)
        facts(hosted.id, .launched(pid: child.pid))
        // What it has said and asked since then waits at its sockets.
        listen(to: hosted)
        launchTold(of: hosted)
        for event in news { childChanged(event) }
    }

    /// Hears of a worker at its sockets from now on.
    func listen(to hosted: HostedWorker) {
        if let notify = hosted.notify { notifySockets?.goOn(notify, as: hosted.id) }
        if hosted.workerSocket != nil { workerSockets?.admit(hosted.id) }
    }

    func launchFailed(_ hosted: HostedWorker, _ error: LaunchError) {
        hosted.launching = nil
        guard workers[hosted.id] === hosted else { return }
        keepRemains(of: hosted, error)
        keepOutput(of: hosted)
        forget(hosted)
        // What its commands have printed is told with it.
        ended = hosted
        facts(hosted.id, .launchFailed(error))
        ended = nil
    }

    /// Makes a new group for the worker, where there are groups and this one can be made.
    private func makeGroup(for hosted: HostedWorker) {
        guard case .cgroup(let tree) = method else { return }
        let groupName = hosted.blueprint.groupName
        if ownsAllDescendants {
            // It lasts as long as we do: who is killed leaves a group that the next one sweeps away.
            // What one command has left may live on in the group of that name.
            var names = ([CgroupName(groupName)].compactMap(\.self) + Self.namesAside(of: groupName))[...]
            let claim = try? tree.base.makeClaimedChild { names.popFirst() }
            if let claim { hosted.settle(in: claim) }
            return
        }
        guard let name = CgroupName(groupName) else { return }
        let group = tree.base.child(name)
        // Not one that somebody else lives in: what becomes of the worker would happen to them.
        if group.exists, (try? group.events())?.isPopulated ?? true {
            return makeGroupAside(for: hosted, tree)
        }
        do throws(LinuxError) {
            hosted.settle(in: try tree.base.makeChild(name))
        } catch {
            // One of an earlier life: as good as new, once nothing holds it frozen.
            if group.exists, (try? group.clearStaleFreeze()) != nil { hosted.settle(in: group) }
        }
    }

    /// Whether a worker that is hosted, or is being launched, has this group.
    package func hasMade(_ group: Cgroup) -> Bool { workers.values.contains { $0.group?.path == group.path } }

    /// What the group of a worker is called where others live in that of its name.
    static func namesAside(of group: String) -> [CgroupName] {
        (2..<10).compactMap { CgroupName("\(group)~\($0)") }
    }

    /// Makes a group by another name where strangers live in that of the worker.
    private func makeGroupAside(for hosted: HostedWorker, _ tree: CgroupTree) {
        for name in Self.namesAside(of: hosted.blueprint.groupName) {
            guard let group = try? tree.base.makeChild(name) else { continue }
            guard (try? group.events())?.isPopulated == false else { continue }
            facts(
                hosted.id,
                .ignored("others live in \(hosted.blueprint.groupName): it gets group \(name.text)"))
            return hosted.settle(in: group)
        }
    }

    /// Removes the empty groups that others of our kind have left when they were killed.
    package func sweepGroups(prefix: String) {
        guard case .cgroup(let tree) = method else { return }
        tree.base.sweepChildren(prefix: prefix)
    }

    /// Hears of freezes, thaws and the last process's end from the kernel, whoever brought them about.
    func watchGroup(of hosted: HostedWorker) {
        guard let group = hosted.group else { return }
        let id = hosted.id
        if ownsAllDescendants {
            hosted.events = try? GroupEvents(of: group, on: loop) { [unowned self] in groupChanged(id) }
            return
        }
        // Without a watch, others' freezes go unnoticed; everything else works.
        if groupWatches == nil { watchGroups() }
        hosted.groupWatch = groupWatches?.add(group.eventsPath, of: id)
    }

    /// Begins to watch groups, or goes on where a predecessor in this process did.
    func watchGroups(inheriting inherited: Int32? = nil) {
        groupWatches = try? WorkerWatches(on: loop, inheriting: inherited) { [unowned self] id in
            groupChanged(id)
        }
    }

    private func groupChanged(_ id: WorkerID) {
        guard let hosted = workers[id] else { return }
        if hosted.burial != nil { continueBurial(hosted) } else { checkFreezer(hosted) }
    }

    // MARK: the notify socket

    func makeNotifySocket(
        for hosted: HostedWorker, _ user: UInt32?
    ) throws(LaunchError) -> NotifyEndpoint {
        let access = SocketAccess(for: user)
        openNotifySockets()
        for place in places.candidates(for: hosted.blueprint.groupName, "notify") {
            if let endpoint = try? notifySockets?.make(for: hosted.id, at: place, access: access) {
                let name = StoreName.notify(hosted.blueprint.groupName)
                keeper?.keep(endpoint.socket.descriptor, as: name, polled: false)
                endpoint.isKept(by: keeper, as: name)
                return endpoint
            }
        }
        throw LaunchError(stage: .request, errno: 98, subject: "a notify socket for \(hosted.blueprint.name)")
    }

    /// The notify socket of a predecessor, where somebody has kept it open: with what was said while nobody was there.
    func keptNotifySocket(for hosted: HostedWorker) -> NotifyEndpoint? {
        let group = hosted.blueprint.groupName
        let name = StoreName.notify(group)
        guard let address = places.candidates(for: group, "notify").first,
            let descriptor = keeper?.take(name)
        else { return nil }
        openNotifySockets()
        let endpoint = try? notifySockets?.take(descriptor, for: hosted.id, at: address)
        endpoint?.isKept(by: keeper, as: name)
        return endpoint
    }

    func openNotifySockets() {
        if notifySockets == nil {
            notifySockets = try? NotifySockets(on: loop) { [unowned self] id in hear(id) }
        }
    }

    /// Takes what has been said on the notify socket of a worker, as much as its turn and its budget allow.
    func hear(_ id: WorkerID) {
        guard let hosted = workers[id], hosted.notify != nil else { return }
        let granted = hosted.notifyBudget.take(upTo: Int64(NotifySocket.turn), at: now)
        var left = granted
        while left > 0, !DescriptorCloser.isBehind, hearOne(hosted) { left -= 1 }
        hosted.notifyBudget.putBack(left)
        if granted < NotifySocket.turn || DescriptorCloser.isBehind { restHearing(id) }
    }

    /// Takes all that has been said before its end: no more than a full queue, however fast more comes.
    func hearLast(_ hosted: HostedWorker) {
        for _ in 0..<NotifySocket.batch {
            guard workers[hosted.id] === hosted, hearOne(hosted) else { return }
        }
    }

    /// Takes the next message; false when there is none.
    private func hearOne(_ hosted: HostedWorker) -> Bool {
        let id = hosted.id
        guard let endpoint = hosted.notify, let delivery = try? endpoint.socket.receive() else {
            return false
        }
        switch consume delivery {
        case .message(let notification):
            let access = judge(hosted, notification.peer, isOnOwnSocket: true)
            guard access == .isSo else {
                ignore(hosted, "ignoring a notification from stranger \(notification.sender.pid)")
                return workers[id] === hosted
            }
            guard mayNotify(hosted, notification.sender.pid) else {
                ignore(
                    hosted,
                    "ignoring a notification of process \(notification.sender.pid): "
                        + hosted.blueprint.notifyAccess.reason(main: hosted.main))
                return workers[id] === hosted
            }
            var saying = Saying(notification.message)
            if let main = saying.mainProcess, !owns(hosted, main) { saying.mainProcess = nil }
            facts(id, .said(saying))
            if let storage = notification.message.storage {
                stores(id, storage, notification.descriptors.rawValues)
            }
            if notification.message.isCallbackComplete { completeNotified(hosted) }
        case .barrier:
            break
        case .dropped(let reason, from: let sender):
            ignore(hosted, "ignoring a notification of \(sender?.pid ?? 0): \(reason)")
        }
        return workers[id] === hosted
    }

    /// Whether notifications of this process of the worker count, as in systemd.service(5).
    private func mayNotify(_ hosted: HostedWorker, _ pid: Int32) -> Bool {
        switch hosted.blueprint.notifyAccess {
        case .none: false
        case .main: pid == hosted.main
        case .exec: pid == hosted.main || hookProcesses[pid]?.hosted === hosted || isNewHook(pid, of: hosted)
        case .all: true
        }
    }

    /// Whether it is the process of a hook that runs already, and whose thread has not told of it yet.
    private func isNewHook(_ pid: Int32, of hosted: HostedWorker) -> Bool {
        (hosted.hooks.processes + [hosted.startPre?.process].compactMap(\.self)).contains {
            $0.launching?.ticket.pid == pid
        }
    }

    /// Says what was not taken, and not more often than can be read.
    private func ignore(_ hosted: HostedWorker, _ what: String) {
        // A message of a stranger costs as much as several of the worker's own.
        hosted.notifyBudget.take(Self.costOfStranger, at: now)
        if hosted.ignoredBudget.takeOne(at: now) { facts(hosted.id, .ignored(what)) }
    }

    private static let costOfStranger: Int64 = 4

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
        _ hosted: HostedWorker, _ peer: PeerProcess, isOnOwnSocket: Bool = false
    ) -> PeerProcess.Judgement {
        let isInGroup = peer.lastGroup.map { hosted.isGroup($0) } ?? false
        if isInGroup { return .isSo }
        let own = hosted.blueprint.owner?.user ?? ThisProcess.effectiveUser
        switch peer.judge(users: [0, own], { owns(hosted, $0) }) {
        case .isSo: return .isSo
        case .isNot: return .isNot
        case .gone:
            if let last = peer.lastGroup, let group = hosted.group {
                return group.contains(group: last) ? .isSo : .isNot
            }
            return isOnOwnSocket && peer.credentials.uid == own ? .isSo : .gone
        }
    }

    /// Whether a process belongs to the worker; its number must be known to be its own.
    func owns(_ hosted: HostedWorker, _ pid: Int32) -> Bool {
        if pid == hosted.main { return true }
        if let group = hosted.group { return group.contains(process: pid) }
        guard hosted.main > 0 else { return false }
        var ancestor = pid
        for _ in 0..<64 {
            guard let stat = ProcessStat.read(pid: ancestor) else { return false }
            if stat.session == hosted.leader || stat.parent == hosted.main { return true }
            if hosted.hookSessions.contains(stat.session) { return true }
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
        case .none: "NotifyAccess=none takes none"
        case .main:
            "NotifyAccess=main takes those of the main process \(main) only; NotifyAccess=all takes those of every process"
        case .exec:
            "NotifyAccess=exec takes those of the main process \(main) and of hooks only; NotifyAccess=all takes those of every process"
        case .all: "it is none of the worker's"
        }
    }
}
