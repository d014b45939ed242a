public import Lifecycle
public import Linux
internal import Systemd

extension LinuxHost {
    /// Starts the main process of a worker in a group of its own, where there are groups.
    public func launch(
        _ worker: WorkerID, _ blueprint: Blueprint, _ launch: Launch
    ) throws(LaunchError) -> Int32 {
        var prepared = try blueprint.prepare(launch)
        let hosted = HostedWorker(worker, blueprint, group: makeGroup(for: blueprint))
        prepared.request.cgroup = hosted.group
        prepared.request.wantsPidfd = false
        if blueprint.hasNotifySocket {
            let endpoint = try makeNotifySocket(for: hosted, prepared.request.credentials?.user)
            hosted.notify = endpoint
            prepared.request.environment["NOTIFY_SOCKET"] = ByteString(endpoint.socket.address.description)
        }
        workers[worker] = hosted
        do throws(LaunchError) {
            hosted.main = try prepared.request.launch().pid
        } catch {
            forget(hosted)
            throw error
        }
        hosted.leader = hosted.main
        byMainProcess[hosted.main] = worker
        watchGroup(of: hosted)
        return hosted.main
    }

    /// A new group for the worker; nil where there are none, or this one cannot be made.
    private func makeGroup(for blueprint: Blueprint) -> Cgroup? {
        guard case .cgroup(let tree) = method, let name = CgroupName(blueprint.groupName) else { return nil }
        do throws(LinuxError) {
            return try tree.base.makeChild(name)
        } catch {
            let group = tree.base.child(name)
            // One of an earlier life: as good as new, once nothing holds it frozen.
            guard group.exists, (try? group.clearStaleFreeze()) != nil else { return nil }
            return group
        }
    }

    /// Hears of freezes, thaws and the last process's end from the kernel, whoever brought them about.
    private func watchGroup(of hosted: HostedWorker) {
        guard let group = hosted.group else { return }
        let id = hosted.id
        // Without a watch, others' freezes go unnoticed; everything else works.
        hosted.eventsWatch.handle = try? InotifySource(
            on: loop, path: group.eventsPath, events: .modified, priority: .exits
        ) { [unowned self] _ in
            guard let hosted = workers[id] else { return }
            if hosted.burial != nil { continueBurial(hosted) } else { checkFreezer(hosted) }
        }
    }

    // MARK: the notify socket

    private func makeNotifySocket(
        for hosted: HostedWorker, _ user: UInt32?
    ) throws(LaunchError) -> NotifyEndpoint {
        let id = hosted.id
        // A worker of another user has to be able to write to it; who writes is judged by credentials.
        let mode: UInt32 = user == nil ? 0o600 : 0o622
        for place in places.candidates(for: hosted.blueprint.groupName) {
            if let endpoint = try? NotifyEndpoint(
                at: place, mode: mode, on: loop, handler: { [unowned self] in hear(id) })
            {
                return endpoint
            }
        }
        throw LaunchError(stage: .request, errno: 98, subject: "a notify socket for \(hosted.blueprint.name)")
    }

    func hear(_ id: WorkerID) {
        while let hosted = workers[id], let endpoint = hosted.notify {
            guard let delivery = try? endpoint.socket.receive() else { return }
            switch consume delivery {
            case .message(let notification):
                guard owns(hosted, notification.sender.pid) else {
                    facts(id, .ignored("ignoring a notification from stranger \(notification.sender.pid)"))
                    continue
                }
                var saying = Saying(notification.message)
                if let main = saying.mainProcess, !owns(hosted, main) { saying.mainProcess = nil }
                facts(id, .said(saying))
            case .barrier:
                break
            case .dropped(let reason, from: let sender):
                facts(id, .ignored("ignoring a notification of \(sender?.pid ?? 0): \(reason)"))
            }
        }
    }

    /// Whether a process belongs to the worker.
    func owns(_ hosted: HostedWorker, _ pid: Int32) -> Bool {
        if pid == hosted.main { return true }
        if let group = hosted.group { return group.contains(process: pid) }
        var ancestor = pid
        for _ in 0..<64 {
            guard let stat = ProcessStat.read(pid: ancestor) else { return false }
            if stat.session == hosted.leader || stat.parent == hosted.main { return true }
            if stat.parent == ThisProcess.pid { return ownsAllDescendants }
            ancestor = stat.parent
        }
        return false
    }
}
