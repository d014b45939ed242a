internal import Lifecycle
internal import Linux
package import SupervisorPorts
internal import Systemd
package import WorkerIO

/// Processes that a supervisor keeps when it becomes another program: they are its children before and after.
extension LinuxHost {
    /// All that is open for a worker; nil where nothing of it exists.
    package func luggage(of worker: WorkerID, listener: Int32?) -> HostedLuggage? {
        guard let hosted = workers[worker] else { return nil }
        var luggage = HostedLuggage(of: hosted, listener: listener)
        luggage.guests = warningDoor?.luggage(of: worker) ?? []
        return luggage
    }

    /// Goes on with the process of a worker.
    package func take(_ luggage: HostedLuggage, of worker: WorkerID, _ blueprint: Blueprint) {
        let hosted = HostedWorker(worker, blueprint)
        hosted.main = luggage.main
        hosted.leader = luggage.leader
        hosted.isAdopted = luggage.isAdopted
        hosted.isThawing = luggage.isThawing
        hosted.isStopped = luggage.isStopped
        hosted.expectsContinue = luggage.expectsContinue
        hosted.startTime = luggage.startTime
        hosted.burial = luggage.burial
        hosted.freeze =
            switch luggage.freeze {
            case 1: .asked(since: now)
            case 2: .ours
            case 3: .outside
            default: .none
            }
        if let path = luggage.group { hosted.settle(in: Cgroup(path: path)) }
        workers[worker] = hosted
        if hosted.burial == nil { byMainProcess[hosted.main] = worker }
        takeSockets(luggage, hosted)
        reopenStreams(of: hosted)
        for (stream, bytes) in zip(hosted.outputs, luggage.unpassed) where !bytes.isEmpty {
            stream.passOn(bytes)
        }
        if !luggage.tail.isEmpty {
            hosted.tail.take(Array((luggage.tail.joined(separator: "\n") + "\n").utf8)[...], from: 0)
        }
        for hook in luggage.hooks { take(hook, hosted) }
        goOnWatching(hosted, luggage)
    }

    /// The descriptors by which all are watched.
    package var watches: WatchLuggage {
        WatchLuggage(
            groups: groupWatches?.descriptor, memory: memoryWatches?.descriptor,
            door: warningDoor?.descriptor)
    }

    /// Goes on with the watches of all, before any worker is taken: none is made anew, and none of what has changed is missed.
    package func take(_ watches: WatchLuggage) {
        if let groups = watches.groups { watchGroups(inheriting: groups) }
        if let memory = watches.memory { watchMemory(inheriting: memory) }
        guard let door = watches.door else { return }
        keeper?.keepOn(door, as: StoreName.door, polled: false)
        inheritWarningDoor(door)
    }

    private func goOnWatching(_ hosted: HostedWorker, _ luggage: HostedLuggage) {
        if let number = luggage.groupWatch, let groupWatches {
            let watch = FileWatches.Watch(number: number)
            groupWatches.take(watch, of: hosted.id)
            hosted.groupWatch = watch
        } else {
            watchGroup(of: hosted)
            unwatched.insert(hosted.id)
        }
        // What others have counted before we came is nothing that we have seen.
        hosted.launchedAt = now
        guard let memory = luggage.memory else { return }
        hosted.hasMemoryController = true
        (hosted.limits, hosted.memoryEvents) = (memory.limits, memory.events)
        guard let number = memory.watch, let memoryWatches else { return adoptLimits(of: hosted) }
        let watch = FileWatches.Watch(number: number)
        memoryWatches.take(watch, of: hosted.id)
        hosted.memoryWatch = watch
    }

    private func takeSockets(_ luggage: HostedLuggage, _ hosted: HostedWorker) {
        let worker = hosted.id
        if let pidfd = luggage.pidfd {
            _ = OwnedDescriptor(inheriting: pidfd).release()
            hosted.mainWatch = watchEnd(of: hosted.main, Pidfd(owning: pidfd), worker)
        }
        if let notify = luggage.notify, let address = try? UnixSocketAddress(notify.address) {
            openNotifySockets()
            hosted.notify = try? notifySockets?.take(notify.descriptor, for: worker, at: address)
            let name = StoreName.notify(hosted.blueprint.groupName)
            keeper?.keepOn(notify.descriptor, as: name, polled: false)
            hosted.notify?.isKept(by: keeper, as: name)
        }
        for guest in luggage.guests {
            let name = StoreName.guest(hosted.blueprint.groupName, guest.number)
            keeper?.keepOn(guest.descriptor, as: name, polled: true)
            warningDoor?.take(guest.descriptor, guest.number, of: worker, keptAs: name)
        }
        guard let listener = luggage.listener, let workerSockets else { return }
        let address = places.candidates(for: hosted.blueprint.groupName, "worker").first
        do {
            try workerSockets.take(StreamListener(inheriting: listener, at: address), for: worker)
            hosted.workerSocket = address
        } catch {
            facts(worker, .ignored("it cannot connect to the supervisor any more: \(error)"))
        }
    }

    private func take(_ luggage: HostedLuggage.Hook, _ hosted: HostedWorker) {
        let blueprint = hosted.blueprint
        guard
            let hook = luggage.topic.flatMap({ blueprint.notificationHooks[$0] })
                ?? blueprint.hooks[luggage.callback]
        else { return }
        let call = HookCall(
            id: luggage.id, luggage.callback, hook, topic: luggage.topic,
            answerLimit: luggage.callback == .saveState ? SavedState.largest : nil)
        if luggage.isUnderway { goOn(with: call, unwritten: luggage.unwritten, of: hosted) }
        guard let pid = luggage.pid else { return }
        let id = hosted.id
        let process = HookProcess(
            call, of: hosted,
            tell: { [unowned self] line in facts(id, .hookPrinted(call.callback, line)) },
            overflowed: { [unowned self] in answeredTooMuch($0) })
        // Ignoring a failure: what it prints is lost then, and its end is heard of all the same.
        try? process.goOn(
            pid, lines: luggage.lines, answer: luggage.answer, answered: luggage.answered, on: loop)
        hosted.hooks.processes.append(process)
        hookProcesses[pid] = process
    }

    /// Looks at all that may have changed while nobody looked, and of which no watch tells.
    package func lookAround() {
        for hosted in workers.values {
            if hosted.burial != nil {
                checkSoon(hosted)
            } else if unwatched.contains(hosted.id) {
                checkFreezer(hosted)
            }
            if case .asked = hosted.freeze { checkSoon(hosted) }
            if hosted.isThawing { checkSoon(hosted) }
        }
        unwatched = []
        reap()
    }
}
