public import Lifecycle
public import Linux
internal import Systemd

extension LinuxHost {
    /// Starts the main process of a worker in a group of its own, where there are groups.
    public func launch(
        _ worker: WorkerID, _ blueprint: Blueprint, _ launch: Launch, _ details: LaunchDetails
    ) throws(LaunchError) -> Int32 {
        let hosted = HostedWorker(worker, blueprint)
        hosted.launchedAt = now
        var prepared = try blueprint.prepare(launch, details)
        makeGroup(for: hosted)
        setFirstLimits(of: hosted, launch)
        prepared.request.cgroup = hosted.group
        prepared.request.wantsPidfd = false
        if blueprint.hasNotifySocket {
            let endpoint = try makeNotifySocket(for: hosted, prepared.request.credentials?.user)
            hosted.notify = endpoint
            prepared.request.environment["NOTIFY_SOCKET"] = ByteString(endpoint.socket.address.description)
        }
        if blueprint.hasWorkerSocket, let workerSockets {
            let places = places.candidates(for: blueprint.groupName, "worker")
            let user = prepared.request.credentials?.user
            let address = try workerSockets.open(for: worker, blueprint.name, at: places, user: user)
            prepared.request.environment["TORPOR_SOCKET"] = ByteString(address.description)
            hosted.hasWorkerSocket = true
        }
        setPressureProtocol(
            of: hosted, user: prepared.request.credentials?.user, in: &prepared.request.environment)
        workers[worker] = hosted
        do throws(LaunchError) {
            try connectStreams(of: hosted, &prepared)
            if blueprint.prepareHook != nil { hosted.environment = prepared.request.environment }
            hosted.main = try start(&prepared.request, hosted)
        } catch {
            forget(hosted)
            throw error
        }
        hosted.leader = hosted.main
        if hosted.group == nil { hosted.startTime = ProcessIdentity(pid: hosted.main)?.startTime }
        byMainProcess[hosted.main] = worker
        watchGroup(of: hosted)
        watchNewcomer(hosted)
        return hosted.main
    }

    /// Starts it in its group, or without one where the kernel will not have it there but it is the only worker.
    private func start(
        _ request: inout LaunchRequest, _ hosted: HostedWorker
    ) throws(LaunchError) -> Int32 {
        do throws(LaunchError) {
            return try request.launch().pid
        } catch {
            guard error.stage == .cgroup, ownsAllDescendants else { throw error }
            facts(hosted.id, .ignored("starting it without a cgroup: \(error)"))
            hosted.removeGroup()
            request.cgroup = nil
            return try request.launch().pid
        }
    }

    /// Makes a new group for the worker, where there are groups and this one can be made.
    private func makeGroup(for hosted: HostedWorker) {
        guard case .cgroup(let tree) = method else { return }
        let groupName = hosted.blueprint.groupName
        if ownsAllDescendants {
            // It lasts as long as we do: who is killed leaves a group that the next one sweeps away.
            let claim = try? tree.base.makeClaimedChild { CgroupName(groupName) }
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
    func sweepGroups(prefix: String) {
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
        // A worker of another user has to be able to write to it; who writes is judged by credentials.
        // Root's worker may become somebody else by itself.
        let mode: UInt32 = user == nil && !ThisProcess.isPrivileged ? 0o600 : 0o622
        openNotifySockets()
        for place in places.candidates(for: hosted.blueprint.groupName, "notify") {
            if let endpoint = try? notifySockets?.make(for: hosted.id, at: place, mode: mode) {
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

    func hear(_ id: WorkerID) {
        while let hosted = workers[id], let endpoint = hosted.notify {
            guard let delivery = try? endpoint.socket.receive() else { return }
            switch consume delivery {
            case .message(let notification):
                guard owns(hosted, notification.sender) else {
                    facts(id, .ignored("ignoring a notification from stranger \(notification.sender.pid)"))
                    continue
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
                facts(id, .ignored("ignoring a notification of \(sender?.pid ?? 0): \(reason)"))
            }
        }
    }

    /// Whether who has sent to the worker's own socket belongs to it.
    ///
    /// A short-lived helper may be reaped already and cannot be asked; its user then has to do, as the socket is known to
    /// the worker alone.
    private func owns(_ hosted: HostedWorker, _ sender: PeerCredentials) -> Bool {
        if owns(hosted, sender.pid) { return true }
        guard ProcessStat.read(pid: sender.pid) == nil else { return false }
        return sender.uid == ThisProcess.effectiveUser
    }

    /// Whether a process belongs to the worker.
    func owns(_ hosted: HostedWorker, _ pid: Int32) -> Bool {
        if pid == hosted.main { return true }
        if let group = hosted.group { return group.contains(process: pid) }
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
