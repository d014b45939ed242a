internal import CallbackService
internal import ConfigurationSyntax
internal import ControlAPI
internal import ControlServer
internal import Definitions
internal import History
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import MetricsShell
internal import OperatorService
internal import Places
internal import Scheduling
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import TransferShell
internal import Waking
internal import WorkerIO

/// Becoming another program: a new version of the daemon goes on with everything, in the same process.
extension Daemon {
    /// How long the daemon waits at most until no caller waits for a disk, while no calls are read.
    private static let settlingTime = TimeSpan.milliseconds(100)

    /// Asks the program that is installed whether it can take over, and becomes it.
    func reexec(then refused: @escaping (String) -> Void) {
        if let endProblem { return refused(endProblem) }
        guard takeoverCheck == nil else { return refused("it is already being replaced") }
        guard let program else {
            return refused("cannot determine the path of its program")
        }
        let losses = workers.losses()
        if let first = losses.first {
            let count = losses.count - 1
            let others =
                count > 0
                ? " (and \(count == 1 ? "that of one other worker" : "those of \(count) others"))" : ""
            return refused(
                "the definition of \(first.worker ?? "a worker")\(others) would be lost, since its file is invalid: \(first.oneLine); correct the file and try again"
            )
        }
        let judged: (String?) -> Void = { [unowned self] problem in
            if let problem = problem ?? endProblem {
                giveUp(problem, refused)
            } else {
                settle(program, since: host.now, refused)
            }
        }
        do {
            takeoverCheck = try TakeoverCheck(program, on: loop, then: judged)
        } catch {
            refused("cannot execute \(program): \(error)")
        }
    }

    /// Why the supervisor is not to be replaced while it ends; nil where it does not.
    private var endProblem: String? {
        isShuttingDown || isLeaving ? "the supervisor is shutting down" : nil
    }

    private func giveUp(_ problem: String, _ refused: (String) -> Void) {
        takeoverCheck = nil
        log.log(LogEntry(.warned, .warning, "not replaced: \(problem)"))
        refused(problem)
    }

    /// Waits until all is on the disk that a caller waits for, but not for a disk that does not answer; no more calls are read
    /// meanwhile.
    private func settle(_ program: String, since began: Instant, _ refused: @escaping (String) -> Void) {
        pauseClients(true)
        let go: () -> Void = { [unowned self] in
            guard settlingEnd.handle != nil else { return }
            settlingEnd.handle = nil
            become(program, began, refused)
        }
        settlingEnd.handle = try? TimeSource(on: loop) { _ in go() }
        guard settlingEnd.handle != nil else { return become(program, began, refused) }
        settlingEnd.handle?.arm(at: KernelClock.monotonic + Self.settlingTime.microseconds)
        awaitRest(then: go)
    }

    private func awaitRest(then go: @escaping () -> Void) {
        let kept: () -> Void = { [unowned self] in
            guard settlingEnd.handle != nil else { return }
            // What has happened while the disk was waited for is kept too: the next program does not know of it.
            let isAtRest = supervisor.isAtRest
            let isKept = self.recorder.isSettled
            if isAtRest, isKept { go() } else { awaitRest(then: go) }
        }
        let recorder = recorder
        supervisor.releaseHeldEnds()
        supervisor.keepAllChanges()
        states.settle { recorder.settle { kept() } }
    }

    private func become(_ program: String, _ began: Instant, _ refused: (String) -> Void) {
        // A signal that the kernel still has goes to the next program; one that was taken from it is for this one.
        let hasSignal = signals.contains { $0.handle?.isPending ?? false }
        if let problem = endProblem ?? (hasSignal ? "a signal is being handled; try again" : nil) {
            pauseClients(false)
            return giveUp(problem, refused)
        }
        guard !host.isLaunching, !transfers.isStarting else {
            // Its thread would be gone, and what became of the child would never be known.
            pauseClients(false)
            return giveUp("a process is being launched; try again", refused)
        }
        guard !supervisor.runsCommands else {
            pauseClients(false)
            return giveUp(
                "a command of a worker is running (ExecStartPost= or ExecReload=); try again", refused)
        }
        // The thread that removes them would be gone.
        host.lingering.finish(patience: 0)
        let handover = pack(began)
        let path = "\(options.runtimeDirectory)/takeover"
        manager?.tell([.reloading(since: KernelClock.monotonic)])
        do {
            try AtomicFile.write(handover.text, to: path)
            log.log(LogEntry(.stopping, .notice, "replaced by \(program) in the same process"))
            try ThisProcess.become(
                program, Takeover.arguments + [Takeover.option, path], keeping: handover.descriptors)
        } catch {
            try? AtomicFile.remove(path)
            manager?.tell([.ready])
            pauseClients(false)
            giveUp("\(error)", refused)
        }
    }

    private func pauseClients(_ isPaused: Bool) {
        server.pause(isPaused)
        workerService.server.pause(isPaused)
    }

    /// The descriptor of the lock of the state directory, borrowed.
    private var stateLockDescriptor: Int32? {
        switch stateLock {
        case .some(let lock): lock.rawValue
        case .none: nil
        }
    }

    private func pack(_ began: Instant) -> DaemonHandover {
        let listeners = server.handedListeners.own
        let workerListeners = workerService.server.handedListeners.workers
        let workers = service.registry.all.compactMap { entry in
            let id = entry.id
            return supervisor.handover(of: id).map {
                DaemonHandover.WorkerHandover(
                    name: entry.name, id: id, isOrphaned: entry.isOrphaned, life: .success($0),
                    running: host.handover(of: id, listener: workerListeners[id]),
                    awaitsPriorities: priorities.awaits(id),
                    doors: (host.doorHouse[id.rawValue]?.descriptors ?? []).map { .init(descriptor: $0) },
                    binds: host.doorHouse.binds(of: id.rawValue),
                    sharing: (host.doorHouse[id.rawValue]?.sharingDescriptors ?? []).map {
                        .init(descriptor: $0)
                    })
            }
        }
        return DaemonHandover(
            began: began, lock: lock.rawValue, stateLock: stateLockDescriptor, listeners: listeners,
            isReady: isReady, logLevel: log.level.rawValue, watches: host.watches,
            stored: kept?.stored.sorted() ?? [], held: held.handover,
            workers: workers,
            parked: supervisor.parkedHandover.sorted { $0.key < $1.key }.map {
                .init(name: $0.key, inbox: $0.value)
            },
            operators: server.handover,
            attachments: workerService.server.handover, metrics: service.metrics.activated)
    }

    // MARK: the other side

    /// Goes on with everything; returns the workers that are not to be started because of that.
    func unpack(_ handover: DaemonHandover) -> Set<WorkerID> {
        let bootID = Machine.bootID
        let names = Set(handover.workers.map(\.name))
        // They are written anew: what is found only tells where.
        _ = records?.found(bootID: bootID)
        records?.begin(bootID: bootID, keeping: names)
        records?.complain = { [unowned self] in log.log(LogEntry(.warned, .warning, $0)) }
        let records = records
        supervisor.records = records
        host.take(handover.watches)
        var ids: [WorkerID: WorkerID] = [:]
        supervisor.beginInheritance()
        for worker in handover.workers {
            guard let entry = entryToAdopt(worker.name, hasProcess: worker.running != nil) else {
                if let inbox = (try? worker.life.get())?.inbox {
                    supervisor.take(inbox, parkedFor: worker.name)
                }
                leave(worker)
                continue
            }
            if unpack(worker, as: entry) { ids[worker.id] = entry.id } else { leave(worker) }
        }
        for parked in handover.parked { supervisor.take(parked.inbox, parkedFor: parked.name) }
        for var connection in handover.attachments {
            connection.worker = connection.worker.flatMap { ids[$0] }
            if connection.worker != nil { workerService.server.resume(connection) }
        }
        interruption = host.now - handover.began
        for connection in handover.operators { server.resume(connection) }
        let taken = Set(ids.values)
        for id in taken.sorted() { supervisor.resumeLife(of: id) }
        supervisor.rearmSchedules()
        supervisor.settleInheritance(lastRan: nil)
        host.lookAround()
        finish(taken)
        return taken
    }

    /// Closes what came along for a worker that is not taken over: its clients are refused, instead of waiting for nothing.
    private func leave(_ worker: DaemonHandover.WorkerHandover) {
        guard let group = (try? WorkerName(worker.name))?.groupName else { return }
        host.doorHouse.refuse(worker.doors.map(\.descriptor), ofGroup: group)
        host.doorHouse.refuse(worker.binds, ofGroup: group)
        DescriptorCloser.close(worker.sharing.map(\.descriptor))
        DescriptorCloser.close(worker.running?.descriptors ?? [])
    }

    private func unpack(_ worker: DaemonHandover.WorkerHandover, as entry: RegisteredWorker) -> Bool {
        let id = entry.id
        guard let configuration = supervisor.workers[id]?.configuration else { return false }
        switch worker.life {
        case .success(let life): supervisor.take(life, as: id)
        case .failure(let error):
            let problem = "its serialized state is damaged: \(error)"
            log.log(LogEntry(.warned, .err, worker: entry.name, problem))
            return false
        }
        if let running = worker.running { host.take(running, of: id, configuration) }
        host.takeBinds(worker.binds, of: id)
        let doors = worker.doors.map(\.descriptor)
        if supervisor.inheritsDoors(of: id) {
            host.takeDoors(doors, of: id, configuration)
        } else {
            host.doorHouse.refuse(doors, ofGroup: configuration.groupName)
        }
        host.doorHouse.resumeBinds(of: id.rawValue)
        DescriptorCloser.close(worker.sharing.map(\.descriptor))
        if worker.isOrphaned { entry.isOrphaned = true }
        if worker.awaitsPriorities { awaitBackgroundPriorities(of: id) }
        return true
    }
}
