internal import Cgroups
internal import Launching
internal import Lifecycle
internal import Linux
internal import Processes
internal import SupervisorPorts
internal import Systemd
internal import Waking
internal import WorkerFile
internal import WorkerIO

/// What a worker's processes say at its notify socket, and whose it is.
extension LinuxHost {
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

    /// The notify socket of a predecessor, where the store has kept it open, with what was sent while no daemon ran.
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
            inform(id, .said(report))
            if report.phase == .ready { doorHouse[id.rawValue]?.becameReady() }
            if let storage = notification.message.storage {
                childObserver?.childStores(id, storage, notification.descriptors.rawValues)
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
        if running.ignoredBudget.takeOne(at: now) { inform(running.id, .ignored(what)) }
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
        if restEnd.handle?.isArmed == false { restEnd.handle?.arm(at: (now + Self.rest).microseconds) }
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
