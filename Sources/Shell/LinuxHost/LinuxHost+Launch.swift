package import Cgroups
internal import DequeModule
internal import Launching
package import Lifecycle
internal import Linux
package import SupervisorPorts
internal import Systemd
internal import Waking
internal import WorkerIO

extension LinuxHost {
    /// Starts the main process of a worker in a group of its own, where there are groups.
    ///
    /// What may block happens on a thread: preparing the launch reads files, and the child asks file systems for its
    /// directory and its program, as a user that can stop it.
    package func launch(
        _ worker: WorkerID, _ configuration: WorkerConfiguration, _ launch: Launch, _ details: LaunchDetails
    ) {
        let running = RunningWorker(worker, configuration)
        watchForReadiness(of: running)
        workers[worker] = running
        childObserver?.childLaunches(worker)
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
            running.launchedAt = now
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
    /// No more launches than this at once are few.
    private static let few = 2

    /// Makes all that a worker has around it, and says what its process has to know of that.
    private func setting(of running: RunningWorker, _ launch: Launch) throws(LaunchError) -> LaunchSetting {
        if launchesNoMore {
            throw LaunchError(
                stage: .preparation, errno: 0, subject: "the supervisor is shutting down")
        }
        let configuration = running.configuration
        let user = configuration.owner?.user
        makeGroup(for: running)
        launchBehindDoors(running)
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
        setting.passed = try descriptors?.passed(to: running.id)
        setting.noticesBinds = doorHouse.noticesBinds(of: running.id.rawValue, configuration)
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
        let configuration = running.configuration
        let (prepare, relays) = (configuration.prepare, configuration.relaysOutput)
        let connects = configuration.holdsInput || configuration.capturesOutput
        // One that comes alone is sooner if its thread makes the pipe, many if the loop does that while the threads wait for others.
        let makesPipe = relays && !connects && launches.count <= Self.few
        let output = makesPipe ? OutputPlace(of: configuration, in: places) : nil
        perform(underway) { ticket throws(LaunchError) -> LaunchProgress in
            var prepared = try prepare(launch, details)
            setting.apply(to: &prepared.request)
            if let output { return .launched(try setting.launch(prepared, ticket, outputTo: output)) }
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

    /// Goes on with a launch that is prepared: with the streams that pass through the supervisor.
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
        pressureSocket?.launchWasTold()
    }

    private func launched(_ running: RunningWorker, _ child: LaunchedChild, _ news: [ChildEvent]) {
        running.stage = .running
        if let output = child.output { relay(output, of: running, child.pid) }
        if let problem = child.groupProblem {
            inform(running.id, .ignored("launching it without a cgroup: \(problem)"))
            running.removeGroup(by: lingering)
        }
        if running.configuration.prepareHook != nil { running.environment = child.environment }
        (running.main, running.leader, running.startTime) = (child.pid, child.pid, child.startTime)
        byMainProcess[child.pid] = running.id
        doorHouse.launched(running.id.rawValue, child, group: running.configuration.groupName)
        watchGroup(of: running)
        watchRecentLaunch(running)
        if child.program != LaunchedProgram() { inform(running.id, .program(child.program)) }
        inform(running.id, .launched(pid: child.pid))
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
        doorHouse[running.id.rawValue]?.launchEnded(hadProcess: false)
        // What its commands have printed is told with it.
        ended = running
        inform(running.id, .launchFailed(error))
        ended = nil
    }

    /// Makes a new group for the worker, where there are groups and this one can be made.
    private func makeGroup(for running: RunningWorker) {
        guard case .cgroup(let tree) = method else { return }
        let groupName = running.configuration.groupName
        if ownsAllDescendants {
            // It lasts as long as this process: one that is killed leaves a group that the next one sweeps away.
            // What one command has left may live on in the group of that name.
            var names = ([CgroupName(groupName)].compactMap(\.self) + CgroupName.aside(of: groupName))[...]
            lingering.finish()
            let claim = try? tree.base.makeClaimedChild { names.popFirst() }
            if let claim { running.settle(in: claim) }
            return
        }
        guard let group = CgroupName(groupName).map(tree.base.child) else { return }
        lingering.keep(group)
        if group.make() { return running.settle(in: group) }
        guard group.exists else { return }
        // Not a group that other processes live in: what is done to the worker would be done to them.
        guard (try? group.events())?.isPopulated == false else { return makeGroupAside(for: running, tree) }
        // One of an earlier life: as good as new, once nothing holds it frozen.
        if (try? group.clearStaleFreeze()) != nil { running.settle(in: group) }
    }

    /// Gives its group the limit of processes that it is to begin with, where that has the pids controller.
    func limitTasks(of running: RunningWorker) {
        guard let group = running.group, let limit = running.configuration.taskLimit, group.hasTaskController
        else { return }
        do throws(LinuxError) {
            // One of an earlier life may have another.
            try group.setTaskMaximum(limit.maximum)
        } catch {
            inform(running.id, .ignored("ignoring TasksMax=: \(error)"))
        }
    }

    /// Whether a worker that is running, or is being launched, has this group.
    package func hasMade(_ group: Cgroup) -> Bool { workers.values.contains { $0.group?.path == group.path } }

    /// Makes a group by another name where foreign processes live in that of the worker.
    private func makeGroupAside(for running: RunningWorker, _ tree: CgroupTree) {
        let name = running.configuration.groupName
        guard let group = tree.base.makeEmptyChild(CgroupName.aside(of: name)) else { return }
        inform(running.id, .ignored("cgroup \(name) contains other processes: using \(group.name)"))
        running.settle(in: group)
    }

    /// Removes the empty groups that others of our kind have left when they were killed.
    package func sweepGroups(prefix: String) {
        guard case .cgroup(let tree) = method else { return }
        tree.base.sweepChildren(prefix: prefix)
    }

    /// Hears of freezes, thaws and the last process's end from the kernel, whatever caused them.
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
}

/// A launch that waits until a thread can be given it.
struct UnbegunLaunch {
    let running: RunningWorker
    let underway: LaunchUnderway
    let launch: Launch
    let details: LaunchDetails
}
