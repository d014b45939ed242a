package import Cgroups
internal import Glibc
internal import Launching
package import Lifecycle
internal import Linux
package import Supervisor
package import SupervisorPorts
package import Systemd
package import Transferring
internal import Transfers
internal import WorkerIO

/// Carries out what ``TransferPlan`` decides: commands beside workers, that outlive them, and the ends that workers are told.
package final class TransferHouse: NoticeObserver {
    /// What is needed of the place.
    package struct Setting {
        /// torpor-transfer(8); nil where it is nowhere.
        package var program: String?
        /// Where records are kept; nil for transfers that end with the supervisor.
        package var directory: String?
        /// Below which tree of groups they live; nil for none.
        package var tree: CgroupTree?
        /// With what the names of their groups begin there.
        package var groupPrefix: String

        package init(
            program: String?, directory: String?, tree: CgroupTree?, groupPrefix: String = "transfer-"
        ) {
            (self.program, self.directory, self.tree) = (program, directory, tree)
            self.groupPrefix = groupPrefix
        }
    }

    let supervisor: Supervisor
    let loop: EventLoop
    let setting: Setting
    var plan = TransferPlan()
    var store: TransferStore?
    var held: [UInt32: HeldTransfer] = [:]
    /// The callers that wait for a transfer to begin, and what it is to be launched by.
    private var beginnings:
        [UInt32: (launch: TransferLaunch, answer: (Result<Transfer, TransferFailure>) -> Void)] = [:]
    private let threads: DiskQueue
    /// What is looked at again in a moment.
    var laters: [SourceBox<TimeSource>] = []
    private let timer = SourceBox<TimeSource>()
    private var waiting: [TransferEvent] = []
    private var isHandling = false
    private var refusal: TransferRefusal?
    /// The worker of a name.
    let find: (String) -> WorkerID?
    /// Hears of what an operator should know, of the worker of this name, if of one.
    package var log: (String?, String) -> Void = { _, _ in }
    /// Called when a transfer is over, for those that wait until none runs.
    package var changed: () -> Void = {}

    /// Where torpor-transfer(8) is: beside the supervisor's program, or where the package has it; nil where it is nowhere.
    package static let program: String? = {
        let own = ThisProcess.program.flatMap { path in path.lastIndex(of: "/").map { path[..<$0] } } ?? ""
        return ["\(own)/torpor-transfer", "/usr/lib/torpor/torpor-transfer"].first { access($0, X_OK) == 0 }
    }()

    package init(
        _ supervisor: Supervisor, on loop: EventLoop, _ setting: Setting,
        find: @escaping (String) -> WorkerID?
    ) {
        self.supervisor = supervisor
        self.loop = loop
        self.setting = setting
        self.find = find
        threads = DiskQueue(on: loop)
    }

    var now: Instant { Instant(microseconds: KernelClock.monotonic) }

    /// How many of all workers may run at one time.
    package func setMost(_ most: Int) { plan.limits.mostInAll = most }

    // MARK: asked by others

    /// All that run, or whose end no worker has taken: of one worker, or of all.
    package func all(of worker: String? = nil) -> [(entry: TransferPlan.Entry, report: TransferReport?)] {
        plan.all(of: worker).map { ($0, held[$0.transfer.number]?.report) }
    }

    /// Whether one runs.
    package var isRunning: Bool { plan.entries.values.contains { $0.end == nil } }

    /// Whether this one of a worker runs.
    package func runs(_ number: UInt32, of worker: String) -> Bool {
        plan.entries[number].map { $0.transfer.worker == worker && $0.end == nil } ?? false
    }

    /// Whether one is being started: its thread would be gone with this program.
    package var isStarting: Bool { !beginnings.isEmpty }

    /// Begins a transfer of a worker; answers it when its process is there, or why it does not begin.
    package func begin(
        _ request: TransferRequest, of id: WorkerID, by requester: Requester,
        then answer: @escaping (Result<Transfer, TransferFailure>) -> Void
    ) {
        let command = request.command
        guard let configuration = supervisor.workers[id]?.configuration else {
            return answer(.failure(.system("the worker no longer exists")))
        }
        let settings = configuration.transfers
        if let refusal = plan.refusal(of: configuration.name, most: settings.most) {
            return answer(.failure(.refused(refusal)))
        }
        guard let program = setting.program else {
            return answer(
                .failure(
                    .system("torpor-transfer is not installed, neither beside torpord nor in /usr/lib/torpor")
                ))
        }
        guard let prepare = configuration.prepareTransfer else {
            return answer(.failure(.system("its definition is gone")))
        }
        let number = plan.lastNumber &+ 1
        let group: Cgroup?
        do {
            group = try makeGroup(number)
            try store?.writeLast(number)
        } catch {
            let isShort = [ENOSPC, EDQUOT, ENOMEM, EMFILE, ENFILE, EAGAIN].contains(
                (error as? LinuxError)?.errno)
            return answer(.failure(isShort ? .short("\(error)") : .system("\(error)")))
        }
        // What a caller wants may be less than what the worker's file allows, and not more.
        let longest = [request.limit, settings.limit].compactMap(\.self).min()
        let transfer = Transfer(
            number: number, worker: configuration.name, command: command,
            purpose: request.purpose ?? command[0].split(separator: "/").last.map(String.init) ?? command[0],
            by: requester, began: now, due: longest.map { now + $0 })
        let launch = TransferLaunch(
            program: program,
            call: TransferCall(number: number, command: command, directory: request.directory),
            group: group, path: store?.report(of: number), memoryMaximum: settings.memoryMaximum,
            prepare: prepare)
        beginnings[number] = (launch, answer)
        handle(.began(transfer))
    }

    /// Ends a transfer of a worker, or drops one that has ended and that the worker has not taken; answers what is in the way.
    package func cancel(_ number: UInt32, of worker: String) -> TransferRefusal? {
        guard let entry = plan.entries[number], entry.transfer.worker == worker else {
            return .noSuch(number)
        }
        guard entry.end == nil else {
            guard plan.tellings[worker]?.inFlight.contains(number) != true else { return .ended(number) }
            perform(plan.drop(number))
            return nil
        }
        refusal = nil
        handle(.stopRequested(number, .cancelled))
        return refusal
    }

    /// Ends all of them.
    package func stopAll() {
        for entry in plan.all() where entry.end == nil {
            handle(.stopRequested(entry.transfer.number, .shutdown))
        }
    }

    /// How long transfers may take to end with a supervisor that ends itself, in microseconds.
    private static let farewell: Int64 = 2_000_000

    /// Ends all of them and waits for that: the supervisor has nothing more to do.
    package func close() {
        stopAll()
        let deadline = KernelClock.monotonic + Self.farewell
        while held.values.contains(where: { !$0.hasEnded }), KernelClock.monotonic < deadline { usleep(5000) }
        for transfer in held.values {
            transfer.kill()
            // Ignoring a failure: the next run removes it.
            try? transfer.group?.remove(patience: 100_000)
        }
        held = [:]
    }

    /// A worker of this name has been defined, or its definition has changed.
    package func defined(_ id: WorkerID) {
        guard let worker = supervisor.workers[id], plan.tellings[worker.configuration.name] != nil else {
            return
        }
        look(worker.configuration.name)
    }

    package var interest: NoticeKinds { [.changes, .ends, .others] }

    package func hear(_ notice: Notice, of id: WorkerID) {
        guard !plan.tellings.isEmpty, let name = supervisor.workers[id]?.configuration.name,
            plan.tellings[name] != nil
        else { return }
        switch notice {
        case .launchCompleted:
            handle(.launched(name))
            look(name)
        case .changed, .ended, .launchFailed: look(name)
        case .completed, .processing, .said, .refused, .surprised, .warned, .hookFailed, .hookPrinted, .woken,
            .watched,
            .opened, .interrupted, .interruptionOver, .budget, .handoff, .notificationSetAside,
            .notificationRemoved, .commandFailed, .commandPrinted, .ignored, .remarked:
            break
        }
    }

    // MARK: the plan

    func handle(_ event: TransferEvent) {
        waiting.append(event)
        guard !isHandling else { return }
        isHandling = true
        defer { isHandling = false }
        var next = 0
        while next < waiting.count {
            let event = waiting[next]
            next += 1
            perform(plan.handle(event, at: now))
        }
        waiting = []
        arm()
    }

    private func arm() {
        guard let due = plan.nextDue else { return timer.handle = nil }
        if timer.handle == nil {
            timer.handle = try? TimeSource(on: loop, accuracy: 10_000, priority: .deadlines) {
                [unowned self] _ in
                handle(.due)
            }
        }
        timer.handle?.arm(at: due.microseconds)
    }

    private func perform(_ effects: [TransferEffect]) {
        for effect in effects {
            switch effect {
            case .store(let number): record(number)
            case .remove(let number):
                store?.remove(number)
                held[number] = nil
            case .start(let number): start(number)
            case .stop(let number): held[number]?.stop()
            case .kill(let number): held[number]?.kill()
            case .over(let number): tellEnd(number)
            case .look(let worker): look(worker)
            case .tell(let worker, let numbers): tell(worker, numbers)
            case .refused(let refusal): self.refusal = refusal
            }
        }
    }

    private func record(_ number: UInt32) {
        guard let store, let entry = plan.entries[number] else { return }
        do {
            try store.write(entry)
        } catch {
            log(entry.transfer.worker, "cannot record transfer \(number): \(error)")
        }
    }

    // MARK: processes

    private func start(_ number: UInt32) {
        guard let launch = beginnings[number]?.launch else { return }
        threads.perform {
            launch.launch()
        } then: { [weak self] result in
            self?.launched(number, launch, result)
        } refused: { [weak self] error in
            let failure = LaunchError(error, preparing: "cannot create a thread for the launch")
            self?.launched(number, launch, .failure(failure))
        }
    }

    private func launched(
        _ number: UInt32, _ launch: TransferLaunch, _ result: Result<LaunchedTransfer, LaunchError>
    ) {
        guard let beginning = beginnings.removeValue(forKey: number) else { return }
        switch result {
        case .failure(let error):
            if let group = launch.group { remove(group) }
            handle(.notStarted(number))
            beginning.answer(.failure(.system("\(error)")))
        case .success(let child):
            guard let pidfd = try? child.pidfd.take() else { return }
            guard let transfer = plan.entries[number]?.transfer else {
                HeldTransfer(pidfd, group: launch.group, path: launch.path).kill()
                if let group = launch.group { remove(group) }
                return beginning.answer(.failure(.system("the transfer was given up before it began")))
            }
            notice(transfer, "transfer \(number) (\(transfer.purpose)) began")
            watch(number, pidfd, launch.group, launch.path, try? child.memory?.take())
            beginning.answer(.success(transfer))
        }
    }

    func watch(
        _ number: UInt32, _ pidfd: consuming Pidfd, _ group: Cgroup?, _ path: String?,
        _ memory: consuming TransferFile?
    ) {
        let transfer = HeldTransfer(pidfd, group: group, path: path, memory: memory)
        held[number] = transfer
        handle(.started(number))
        do {
            try transfer.watch(on: loop) { [unowned self] in
                guard let transfer = held[number] else { return }
                let report = transfer.report
                if report?.status == nil { transfer.killRest(report) }
                over(number, report, group, isOutOfMemory: transfer.isOutOfMemory)
            }
        } catch {
            log(
                plan.entries[number]?.transfer.worker,
                "transfer \(number) is ended: its end cannot be watched for: \(error)")
            transfer.kill()
            over(number, nil, group)
        }
    }

    func over(
        _ number: UInt32, _ report: TransferReport?, _ group: Cgroup?, isOutOfMemory: Bool = false
    ) {
        if let group {
            try? group.kill()
            remove(group)
        }
        let status = report?.status ?? .unknown
        let isKilled = status == .killed(signal: SIGKILL) || status == .unknown
        handle(
            .ended(
                number,
                TransferEnd(
                    status, at: now, isOutOfMemory: isOutOfMemory && isKilled,
                    progress: report?.progress ?? .init(),
                    lines: report?.lines ?? [], leftovers: report?.leftovers ?? 0)))
        held[number] = nil
        changed()
    }

    private func tellEnd(_ number: UInt32) {
        guard let entry = plan.entries[number], let end = entry.end else { return }
        notice(entry.transfer, "transfer \(number) (\(entry.transfer.purpose)) \(end.words)")
    }

    private func notice(_ transfer: Transfer, _ sentence: String) {
        guard let id = find(transfer.worker), let worker = supervisor.workers[id] else {
            return log(transfer.worker, sentence)
        }
        supervisor.notify(worker, .remarked(sentence))
    }
}
