internal import Cgroups
internal import Lifecycle
internal import Linux
package import SupervisorPorts
internal import Systemd
package import WorkerIO

/// Processes that a supervisor keeps when it becomes another program: they are its children before and after.
extension LinuxHost {
    /// All that is open for a worker; nil where nothing of it exists.
    package func handover(of worker: WorkerID, listener: Int32?) -> RunningWorkerHandover? {
        guard let running = workers[worker] else { return nil }
        others.finish()
        var handover = RunningWorkerHandover(of: running, listener: listener)
        handover.connections =
            pressureSocket?.handover(of: worker).map { .init(number: $0.number, descriptor: $0.descriptor) }
            ?? []
        return handover
    }

    /// Goes on with the process of a worker.
    package func take(
        _ handover: RunningWorkerHandover, of worker: WorkerID, _ configuration: WorkerConfiguration
    ) {
        let running = RunningWorker(worker, configuration)
        running.main = handover.main
        running.leader = handover.leader
        running.isAdopted = handover.isAdopted
        running.isStopped = handover.isStopped
        running.expectsContinue = handover.expectsContinue
        running.startTime = handover.startTime
        if let reaping = handover.reaping { running.stage = .reaping(reaping) }
        running.prioritizedState = handover.prioritizedState
        running.freeze =
            switch handover.freeze {
            case _ where handover.isThawing: .thawing
            case .none: .none
            case .asked: .asked(since: now, nil)
            case .ours: .ours
            case .outside: .outside
            }
        if let path = handover.group { running.settle(in: Cgroup(path: path)) }
        workers[worker] = running
        if running.reaping == nil { byMainProcess[running.main] = worker }
        takeSockets(handover, running)
        reopenStreams(of: running, HandedOutputs(handover.outputs, handover.unpassed))
        running.tail.take(handover.tail)
        running.input?.goOn(withLines: handover.unsent.prefix(1))
        for hook in handover.hooks { take(hook, running) }
        running.input?.goOn(withLines: handover.unsent.dropFirst())
        goOnWatching(running, handover)
    }

    /// The descriptors by which all are watched.
    package var watches: WatchHandover {
        WatchHandover(
            groups: groupWatches?.descriptor, memory: memoryWatches?.descriptor,
            pressureSocket: pressureSocket?.descriptor)
    }

    /// Goes on with the watches of all, before any worker is taken: none is made anew, and none of what has changed is missed.
    package func take(_ watches: WatchHandover) {
        if let groups = watches.groups { watchGroups(inheriting: groups) }
        if let memory = watches.memory { watchMemory(inheriting: memory) }
        guard let pressureSocket = watches.pressureSocket else { return }
        keeper?.keepOn(pressureSocket, as: StoreName.pressureSocket, polled: false)
        inheritPressureSocket(pressureSocket)
    }

    private func goOnWatching(_ running: RunningWorker, _ handover: RunningWorkerHandover) {
        if let number = handover.groupWatch, let groupWatches {
            let watch = FileWatches.Watch(number: number)
            groupWatches.take(watch, of: running.id)
            running.groupWatch = watch
        } else {
            watchGroup(of: running)
            unwatched.insert(running.id)
        }
        // What others have counted before we came is nothing that we have seen.
        running.launchedAt = now
        guard let memory = handover.memory else { return }
        running.hasMemoryController = true
        (running.limits, running.memoryEvents) = (memory.limits, memory.events)
        guard let number = memory.watch, let memoryWatches else { return adoptLimits(of: running) }
        let watch = FileWatches.Watch(number: number)
        memoryWatches.take(watch, of: running.id)
        running.memoryWatch = watch
    }

    private func takeSockets(_ handover: RunningWorkerHandover, _ running: RunningWorker) {
        let worker = running.id
        if let pidfd = handover.pidfd {
            _ = OwnedDescriptor(inheriting: pidfd).release()
            running.mainWatch = watchEnd(of: running.main, Pidfd(owning: pidfd), worker)
        }
        if let notify = handover.notify, let address = try? UnixSocketAddress(notify.address) {
            openNotifySockets()
            running.notify = try? notifySockets?.take(notify.descriptor, for: worker, at: address)
            let name = StoreName.notify(running.configuration.groupName)
            keeper?.keepOn(notify.descriptor, as: name, polled: false)
            running.notify?.isStored(by: keeper, as: name)
        }
        for connection in handover.connections {
            let name = StoreName.connection(running.configuration.groupName, connection.number)
            keeper?.keepOn(connection.descriptor, as: name, polled: true)
            pressureSocket?.take(connection.descriptor, connection.number, of: worker, keptAs: name)
        }
        guard let listener = handover.listener, let workerSockets else { return }
        let address = places.candidates(for: running.configuration.groupName, "worker").first
        do {
            try workerSockets.take(StreamListener(inheriting: listener, at: address), for: worker)
            running.workerSocket = address
        } catch {
            inform(worker, .ignored("it can no longer connect to the supervisor: \(error)"))
        }
    }

    private func take(_ handover: RunningWorkerHandover.Hook, _ running: RunningWorker) {
        let configuration = running.configuration
        guard
            let hook = handover.topic.flatMap({ configuration.notificationHooks[$0] })
                ?? configuration.hooks[handover.callback]
        else { return }
        let call = HookCall(
            id: handover.id, handover.callback, hook, topic: handover.topic,
            answerLimit: handover.callback == .saveState ? SavedState.largest : nil)
        if handover.isUnderway { goOn(with: call, unwritten: handover.unwritten, of: running) }
        guard let pid = handover.pid else { return }
        let id = running.id
        let process = HookProcess(
            call, of: running,
            tell: { [unowned self] line in inform(id, .hookPrinted(call.callback, line)) },
            overflowed: { [unowned self] in answeredTooMuch($0) })
        // Ignoring a failure: what it prints is lost then, and its end is heard of all the same.
        try? process.goOn(
            pid, lines: handover.lines, answer: handover.answer, answered: handover.answered, on: loop)
        running.hooks.processes.append(process)
        hookProcesses[pid] = process
    }

    /// Looks at all that may have changed unobserved, and that no watch reports.
    package func lookAround() {
        for running in workers.values {
            if running.reaping == nil, unwatched.contains(running.id) { checkFreezer(running) }
            if running.reaping != nil || running.freeze.isUnderway { checkSoon(running) }
            watchSoon(running)
            inspectAgain(running)
        }
        unwatched = []
        reap()
    }
}
