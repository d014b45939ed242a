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
internal import Varlink
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

    private let supervisor: Supervisor
    private let loop: EventLoop
    private let setting: Setting
    private var plan = TransferPlan()
    private var store: TransferStore?
    private var held: [UInt32: HeldTransfer] = [:]
    /// The callers that wait for a transfer to begin, and what it is to be launched by.
    private var beginnings:
        [UInt32: (launch: TransferLaunch, answer: (Result<Transfer, TransferFailure>) -> Void)] = [:]
    private let threads: DiskQueue
    private let timer = SourceBox<TimeSource>()
    private var waiting: [TransferEvent] = []
    private var isHandling = false
    private var refusal: TransferRefusal?
    /// The worker of a name.
    private let find: (String) -> WorkerID?
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

    private var now: Instant { Instant(microseconds: KernelClock.monotonic) }

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
            return answer(.failure(.system("\(error)")))
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

    package func hear(_ notice: Notice, of id: WorkerID) {
        guard !plan.tellings.isEmpty, let name = supervisor.workers[id]?.configuration.name,
            plan.tellings[name] != nil
        else { return }
        switch notice {
        case .launchCompleted:
            handle(.launched(name))
            look(name)
        case .changed, .ended, .launchFailed: look(name)
        default: break
        }
    }

    // MARK: taken over

    /// Goes on with what a predecessor has left; when the workers are there.
    package func takeOver() {
        guard let directory = setting.directory else { return }
        do {
            let store = try TransferStore(in: directory)
            self.store = store
            let found = store.found(now: now)
            for problem in found.problems { log(nil, problem) }
            var limits = TransferPlan(lastNumber: found.lastNumber)
            limits.limits = plan.limits
            plan = limits
            take(found.all)
        } catch {
            log(nil, "transfers do not outlive the supervisor: \(error)")
        }
    }

    private func take(_ all: [TransferStore.Found]) {
        var told: [UInt32: String] = [:]
        for worker in supervisor.workers.values {
            let name = worker.configuration.name
            for content in worker.contents.values {
                guard case .transfer(let object) = content.content else { continue }
                for number in TransferEvents.numbers(in: object) { told[number] = name }
                _ = supervisor.awaitOutcome(of: content.content, for: worker.id) { [weak self] in
                    self?.settled($0, of: name)
                }
            }
        }
        for found in all {
            let number = found.entry.transfer.number
            handle(.found(found.entry, isTold: told[number] == found.entry.transfer.worker))
        }
        var alive: Set<String> = []
        for found in all where found.entry.end == nil {
            let number = found.entry.transfer.number
            if let group = groupName(number) { alive.insert(group.text) }
            goOn(with: number, found.sight, since: now)
        }
        for worker in plan.tellings.keys { look(worker) }
        removeStaleGroups(except: alive)
    }

    /// How long a holder may take to say which process it is, which is the first that it does, and how often that is looked for.
    private static let patience = TimeSpan.seconds(10)
    private static let pace: Int64 = 20_000

    /// Watches one that a predecessor has started; one whose holder is gone is over.
    private func goOn(with number: UInt32, _ sight: TransferFile.Sight?, since began: Instant) {
        let group = groupName(number).flatMap { setting.tree?.base.child($0) }
        let path = store?.report(of: number)
        if let sight, sight.isHeld {
            if let pid = sight.report?.holder, let pidfd = try? Pidfd(pid: pid),
                path.flatMap({ TransferFile.look(at: $0) })?.isHeld ?? false
            {
                return watch(number, pidfd, group, path, nil)
            }
            if now - began < Self.patience {
                // It has not got as far as that.
                return later { [weak self] in
                    self?.goOn(with: number, path.flatMap { TransferFile.look(at: $0) }, since: began)
                }
            }
        }
        over(number, sight?.report, group)
    }

    private var laters: [SourceBox<TimeSource>] = []

    private func later(_ body: @escaping () -> Void) {
        let box = SourceBox<TimeSource>()
        box.handle = try? TimeSource(on: loop) { [weak self] _ in
            // It is held until it has run.
            self?.laters.removeAll { $0 === box }
            body()
        }
        box.handle?.arm(at: KernelClock.monotonic + Self.pace)
        laters.append(box)
    }

    // MARK: groups

    private func groupName(_ number: UInt32) -> CgroupName? { CgroupName("\(setting.groupPrefix)\(number)") }

    private func makeGroup(_ number: UInt32) throws -> Cgroup? {
        guard let tree = setting.tree, let name = groupName(number) else { return nil }
        return try tree.base.makeChild(name)
    }

    private func removeStaleGroups(except alive: Set<String>) {
        guard let tree = setting.tree else { return }
        for group in tree.base.children()
        where group.name.hasPrefix(setting.groupPrefix) && !alive.contains(String(group.name)) {
            try? group.kill()
            remove(group)
        }
    }

    /// The kernel lets a group go a moment after its last process.
    private func remove(_ group: Cgroup, tries: Int = 50) {
        guard (try? group.remove(patience: 0)) == nil, tries > 0 else { return }
        later { [weak self] in self?.remove(group, tries: tries - 1) }
    }

    // MARK: the plan

    private func handle(_ event: TransferEvent) {
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
            guard let transfer = plan.entries[number]?.transfer, let pidfd = try? child.pidfd.take() else {
                return
            }
            notice(transfer, "transfer \(number) (\(transfer.purpose)) began")
            watch(number, pidfd, launch.group, launch.path, try? child.memory?.take())
            beginning.answer(.success(transfer))
        }
    }

    private func watch(
        _ number: UInt32, _ pidfd: consuming Pidfd, _ group: Cgroup?, _ path: String?,
        _ memory: consuming TransferFile?
    ) {
        do {
            held[number] = try HeldTransfer(
                pidfd, group: group, path: path, memory: memory, on: loop,
                ended: { [unowned self] in
                    guard let transfer = held[number] else { return }
                    let report = transfer.report
                    if report?.status == nil { transfer.killRest(report) }
                    over(number, report, group, isOutOfMemory: transfer.isOutOfMemory)
                })
            handle(.started(number))
        } catch {
            log(nil, "cannot watch transfer \(number): \(error)")
        }
    }

    private func over(
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

    // MARK: telling

    private func look(_ name: String) {
        var isReachable = false
        if let id = find(name), let worker = supervisor.workers[id] {
            isReachable = worker.life.hearsOfTransfers(wakes: worker.configuration.transfers.wakes)
        }
        handle(.reachable(name, isReachable))
    }

    private func tell(_ name: String, _ numbers: [UInt32]) {
        guard let id = find(name), let worker = supervisor.workers[id] else { return handle(.notTaken(name)) }
        let ends = numbers.compactMap { plan.entries[$0] }
        let object = TransferEvents.object(of: ends, now: now, withOutput: true)
        let isThere = worker.life.currentLaunch != nil && !worker.life.isEnding
        if !isThere {
            worker.nextLaunch.options = TransferEvents.object(of: ends, now: now, withOutput: false)
        }
        let inbound = supervisor.take(.transfer(object), .transfer, for: worker) { [weak self] outcome in
            self?.settled(outcome, of: name)
        }
        let which = numbers.count == 1 ? "transfer \(numbers[0])" : "\(numbers.count) transfers"
        supervisor.rouse(
            worker, Wake(.transfer, intoForeground: false, bringing: inbound),
            WakeOrigin(.transfer, "(\(which))"))
    }

    private func settled(_ outcome: DeliveryOutcome, of name: String) {
        switch outcome {
        case .taken: handle(.taken(name))
        // It has nothing that could take it, and will have nothing: one with a connection of its own may connect.
        case .refused(.noReceiver) where !hasConnection(name): handle(.taken(name))
        case .failed, .refused:
            handle(.notTaken(name))
            look(name)
        }
    }

    private func hasConnection(_ name: String) -> Bool {
        find(name).flatMap { supervisor.workers[$0] }?.configuration.hasWorkerSocket ?? true
    }
}

/// A transfer that a worker or a caller asks for.
package struct TransferRequest: Hashable, Sendable {
    /// The most bytes of a command.
    package static let longestCommand = 64 << 10
    /// The most words of a command.
    package static let mostWords = 4096
    /// The most characters of a purpose that are kept.
    package static let longestPurpose = 256
    /// The program and its arguments: one at least.
    package let command: [String]
    /// What it is for; nil for the name of the program.
    package let purpose: String?
    /// The directory it starts in, absolute; nil for that of the worker.
    package let directory: String?
    /// How long it may take; nil for as long as its worker's file allows.
    package let limit: TimeSpan?

    package init(command: [String], purpose: String? = nil, directory: String? = nil, limit: TimeSpan? = nil)
    {
        (self.command, self.purpose, self.directory, self.limit) = (command, purpose, directory, limit)
    }
}

/// Why a transfer does not begin.
package enum TransferFailure: Error, Hashable, Sendable {
    /// There are too many.
    case refused(TransferRefusal)
    /// Something on this machine is in the way, in words.
    case system(String)
}
