internal import Glibc
package import Idleness
package import Launching
internal import Lifecycle
internal import Linux
internal import Sockets
package import SupervisorPorts
internal import Systemd
package import WorkerIO

/// The sockets that are held for workers: they belong to a worker's definition, and not to its processes.
///
/// They are opened when the worker is defined, and stay through launches, crashes, evictions, reloads that leave them as they are, another
/// program in this process, and, where the service manager keeps them, the supervisor's own death. While the worker has no process their
/// first client brings it. A file system that does not answer does not keep the loop.
package final class HeldSockets: NoticeObserver, LaunchDescriptors, ChildObserver {
    /// What they ask of the supervisor that they are part of.
    package struct Ports {
        /// How a worker stands; nil of one that is not known.
        package var facts: (WorkerID) -> HeldDoor.Facts?
        /// Tells a fact of a worker.
        package var inform: (WorkerID, Fact) -> Void
        /// The processes of a worker now.
        package var processes: (WorkerID) -> [Int32]

        /// These.
        package init(
            facts: @escaping (WorkerID) -> HeldDoor.Facts?,
            inform: @escaping (WorkerID, Fact) -> Void, processes: @escaping (WorkerID) -> [Int32]
        ) {
            self.facts = facts
            self.inform = inform
            self.processes = processes
        }
    }

    let tools: WakingTools
    let ports: Ports
    /// Keeps what is open while no supervisor runs; nil where nothing does.
    package weak var keeper: (any DescriptorStoring)?
    /// What becomes of connections that a worker does not accept itself, in words; nil where there are none.
    package var passage: ((WorkerID) -> String?)?
    /// Is told of each launch that begins.
    package var launchBegins: ((WorkerID) -> Void)?
    var workers: [WorkerID: HeldWorker] = [:]
    /// What a predecessor in this process has handed over and no worker has claimed yet.
    var inherited: [DescriptorHandover] = []
    /// Whose descriptors have been refused since their launch.
    var refusals: Set<WorkerID> = []
    private let retry = SourceBox<TimeSource>()
    let looks = SourceBox<TimeSource>()
    let files: FileWork
    /// No socket is opened any more: the supervisor is about to end.
    private var isClosed = false

    /// None yet.
    package init(with tools: WakingTools, _ ports: Ports) {
        self.tools = tools
        self.ports = ports
        files = FileWork(on: tools.loop)
    }

    // MARK: definitions

    /// Holds what the definition of a worker asks for from now on, and says what of it cannot be had.
    ///
    /// Sockets that stay the same are not touched, and no client of them notices.
    @discardableResult
    package func define(_ id: WorkerID, _ configuration: WorkerConfiguration) -> [String] {
        let terms = configuration.held
        if workers[id] == nil, terms.isEmpty, !hasInherited(for: configuration) { return [] }
        let worker =
            workers[id]
            ?? HeldWorker(configuration.name, group: configuration.groupName, configuration.wakeRules)
        workers[id] = worker
        worker.rules = configuration.wakeRules
        worker.watch = nil
        worker.terms = terms
        apply(.init(from: worker.sockets.map(\.socket), to: terms.sockets), to: worker)
        claimStored(worker, id)
        stand(id)
        if worker.terms.isEmpty, worker.store == nil { workers[id] = nil }
        return worker.sockets.compactMap { socket in
            socket.problem.map { "\(socket.socket.spelling): \($0)" }
        }
    }

    private func apply(_ change: HeldSocket.Change, to worker: HeldWorker) {
        for old in change.closed {
            guard let index = worker.sockets.firstIndex(where: { $0.socket == old }) else { continue }
            let socket = worker.sockets.remove(at: index)
            socket.close()
            if old.options.removeOnStop { removeFile(of: old) }
        }
        for pair in change.kept {
            guard let socket = worker.sockets.first(where: { $0.socket == pair.old }) else { continue }
            socket.socket = pair.new
            guard pair.isTuned, let descriptor = socket.descriptor else { continue }
            retune(socket, descriptor)
        }
        for new in change.opened {
            let (slot, group) = (worker.freeSlot, worker.group)
            let socket = HeldWorker.Socket(new, slot: slot) { [weak self] descriptor in
                self?.keeper?.drop(descriptor, as: StoreName.socket(group, slot))
            }
            worker.sockets.append(socket)
        }
        claim(worker)
        // In the order of the file, which is that in which they are passed.
        let order = worker.terms.sockets
        worker.sockets.sort { one, two in
            (order.firstIndex(of: one.socket) ?? 0) < (order.firstIndex(of: two.socket) ?? 0)
        }
    }

    /// The worker is not defined any more, and has no process.
    package func forget(_ id: WorkerID) {
        refusals.remove(id)
        guard let worker = workers.removeValue(forKey: id) else { return }
        worker.watch = nil
        for socket in worker.sockets {
            socket.close()
            if socket.socket.options.removeOnStop { removeFile(of: socket.socket) }
        }
        dropStored(worker)
    }

    /// The supervisor ends, and its workers with it: files go that are to go then.
    package func close() {
        isClosed = true
        for id in Array(workers.keys) { forget(id) }
    }

    // MARK: opening

    /// Opens those of a worker that are not open.
    private func open(_ worker: HeldWorker, _ id: WorkerID) {
        guard !isClosed else { return }
        for socket in worker.sockets where socket.descriptor == nil && !socket.isOpening {
            if let other = other(than: id, taking: socket.socket) {
                socket.problem =
                    "worker “\(other.worker)” has this address by \(other.socket.spelling); use another one"
                continue
            }
            let asked = socket.socket
            let late = { [weak self, weak worker, weak socket] (result: HeldSocket.Opened) in
                socket?.isOpening = false
                guard let self, let worker, let socket, !isClosed, workers[id] === worker,
                    socket.descriptor == nil, socket.socket == asked
                else {
                    // It is wanted no more.
                    if case .success(let number) = result { _ = OwnedDescriptor(adopting: number) }
                    return
                }
                take(result, socket, worker)
                stand(id)
            }
            do throws(LinuxError) {
                if let result = try opened(asked, late: late) {
                    take(result, socket, worker)
                } else {
                    socket.isOpening = true
                    socket.problem = Self.noAnswer
                }
            } catch {
                socket.problem = "no thread can be made for it: \(error.reason)"
            }
        }
        if worker.sockets.contains(where: { $0.descriptor == nil }) { retrySoon() }
    }

    /// Why the file of one is not there yet.
    private static let noAnswer = "its file system does not answer; it is opened as soon as that does"

    private func opened(
        _ socket: HeldSocket, late: @escaping (HeldSocket.Opened) -> Void
    ) throws(LinuxError) -> HeldSocket.Opened? {
        guard socket.path != nil else { return socket.opened() }
        return try files.answer(of: { socket.opened() }, late: late)
    }

    private func take(_ result: HeldSocket.Opened, _ socket: HeldWorker.Socket, _ worker: HeldWorker) {
        switch result {
        case .success(let number):
            socket.take(OwnedDescriptor(adopting: number))
            keeper?.keep(number, as: StoreName.socket(worker.group, socket.slot), polled: false)
        case .failure(let error):
            // Once: finding out takes as long as the machine has descriptors.
            if socket.problem == nil || !error.isTaken { socket.problem = problem(error, socket.socket) }
        }
    }

    /// Sets on an open one what may be changed at any time, and remembers why it could not.
    func retune(_ socket: HeldWorker.Socket, _ descriptor: Int32) {
        let asked = socket.socket
        func take(_ result: Result<Void, HeldSocketError>) {
            if case .failure(let error) = result {
                socket.problem = error.problem
            } else {
                socket.problem = nil
            }
        }
        take(Result { () throws(HeldSocketError) in try asked.retune(descriptor) })
        guard asked.path != nil, socket.problem == nil else { return }
        do throws(LinuxError) {
            let given = try files.answer(
                of: { Result { () throws(HeldSocketError) in try asked.giveFile() } },
                late: { result in
                    if socket.socket == asked, socket.descriptor == descriptor { take(result) }
                })
            guard let given else { return socket.problem = Self.notGiven }
            take(given)
        } catch {
            socket.problem = "no thread can be made for it: \(error.reason)"
        }
    }

    /// Why the file of an open one does not have its owner and mode yet.
    private static let notGiven =
        "its file system does not answer; its file gets its owner and mode as soon as that does"

    private func removeFile(of socket: HeldSocket) {
        if socket.path != nil { files.perform { socket.removeFile() } }
    }

    private func problem(_ error: HeldSocketError, _ socket: HeldSocket) -> String {
        guard error.isTaken, let holder = SocketHolder.words(for: socket) else { return error.problem }
        return "\(error.problem) by \(holder)"
    }

    private func other(
        than id: WorkerID, taking socket: HeldSocket
    ) -> (worker: String, socket: HeldSocket)? {
        for (other, worker) in workers where other != id {
            // Of two the one that has it, or the one that was first, keeps it.
            let taken = worker.sockets.first {
                ($0.descriptor != nil || other < id) && $0.socket.excludes(socket)
            }
            if let taken { return (worker.name, taken.socket) }
        }
        return nil
    }

    /// How often what could not be opened is tried again, in microseconds.
    private static let retryInterval: Int64 = 5_000_000

    private func retrySoon() {
        if retry.handle == nil {
            retry.handle = try? TimeSource(on: tools.loop, accuracy: 500_000, priority: .clients) {
                [unowned self] _ in
                standAll()
            }
        }
        guard retry.handle?.isArmed == false else { return }
        retry.handle?.arm(at: KernelClock.monotonic + Self.retryInterval)
    }

    // MARK: how a worker stands

    package var interest: NoticeKinds { [.changes, .ends, .others] }

    package func hear(_ notice: Notice, of id: WorkerID) {
        guard workers[id] != nil else { return }
        switch notice {
        case .changed(let transition):
            if transition.to == .active { lookSoon(id) }
            stand(id)
        case .ended, .launchFailed, .watched, .warned(.startLimitHit, _): stand(id)
        case .warned, .launchCompleted, .said, .refused, .surprised, .hookFailed, .hookPrinted, .woken,
            .opened, .notificationSetAside, .notificationRemoved, .commandFailed, .commandPrinted, .ignored,
            .remarked, .interrupted, .interruptionOver, .completed, .budget, .processing, .handoff:
            break
        }
    }

    /// Does with the sockets of a worker what is right as it stands now.
    package func stand(_ id: WorkerID) {
        guard let worker = workers[id], var facts = ports.facts(id) else { return }
        facts.lacksRelay = worker.terms.isForwarded && tools.relayGap != nil
        if HeldDoor.dropsStored(facts.rest) { dropStored(worker) }
        let door = HeldDoor(facts, worker.rules)
        let isSame = door == worker.door
        worker.door = door
        if door == .closed(.noRelay), !isSame {
            ports.inform(id, .remarked("its sockets are \(HeldDoor.Closed.noRelay.words)"))
        }
        switch door {
        case .closed:
            worker.watch = nil
            for socket in worker.sockets {
                socket.close()
                socket.problem = nil
            }
        case .open:
            worker.watch = nil
            if facts.rest != nil { open(worker, id) } else { recover(worker, id) }
        case .watched:
            let wereOpen = worker.sockets.allSatisfy { $0.descriptor != nil }
            open(worker, id)
            if isSame, wereOpen, worker.watch?.isWatching == true { return }
            watch(worker, id)
        }
    }

    /// The same for all: they were taken over as they stood.
    package func standAll() {
        for id in workers.keys.sorted() { stand(id) }
    }

    private func watch(_ worker: HeldWorker, _ id: WorkerID) {
        let doors = worker.sockets.compactMap { socket in
            socket.descriptor.map { DoorWatch.Door($0, named: socket.socket.words) }
        }
        guard !doors.isEmpty else { return worker.watch = nil }
        worker.watch = DoorWatch(doors, rules: worker.rules, with: tools) { [weak self, weak worker] reason in
            worker?.looksAt = KernelClock.monotonic + Self.patience
            worker?.isWarned = false
            self?.ports.inform(id, .knocked(reason))
        }
    }

    // MARK: launches

    package func passed(to id: WorkerID) throws(LaunchError) -> PassedDescriptors {
        var passed: [LaunchRequest.PassedDescriptor] = []
        if let worker = workers[id] {
            worker.watch = nil
            worker.door = .open
            open(worker, id)
            for socket in worker.sockets {
                guard let descriptor = socket.descriptor else {
                    throw LaunchError(
                        stage: .preparation, errno: 0,
                        subject: "\(socket.socket.spelling): \(socket.problem ?? "it is closed")")
                }
                if worker.terms.isForwarded, socket.socket.kind == .stream { continue }
                passed.append(.init(descriptor, name: worker.terms.name))
            }
            passed += stored(of: worker)
        }
        refusals.remove(id)
        launchBegins?(id)
        do throws(LinuxError) {
            return try PassedDescriptors(passed)
        } catch {
            throw LaunchError(stage: .preparation, errno: error.errno, subject: "sockets that are held")
        }
    }

    /// How long a process may take until it has taken over the socket at which a client waits, in microseconds (section 13).
    static let patience: Int64 = 5_000_000

    // MARK: what operators are told

    /// The sockets of a worker, in their order.
    package func status(of id: WorkerID) -> [HeldSocketStatus] {
        guard let worker = workers[id] else { return [] }
        return worker.sockets.map { socket in
            var standing = HeldSocketStatus.Standing.open
            if case .closed(let why) = worker.door {
                standing = .closed(why)
            } else if let problem = socket.problem {
                standing = .failed(problem)
            } else if worker.watch?.isWatching == true {
                standing = .watched
            }
            let queue = socket.descriptor.flatMap { HeldSocketStatus.Queue(of: $0) }
            var status = HeldSocketStatus(socket.socket, standing, queue: socket.socket.listens ? queue : nil)
            if socket.socket.kind == .stream { status.passage = passage?(id) }
            return status
        }
    }

    /// What is in the way of sockets that are not open, by the names of their workers.
    package var problems: [(worker: String, problem: String)] {
        workers.values.sorted { $0.name < $1.name }.flatMap { worker in
            worker.sockets.compactMap { socket in
                socket.problem.map { (worker.name, "\(socket.socket.spelling): \($0)") }
            }
        }
    }

    /// The inodes of the sockets that are held for a worker.
    package func inodes(of id: WorkerID) -> Set<UInt64> {
        let descriptors = workers[id]?.sockets.compactMap(\.descriptor) ?? []
        return Set(descriptors.compactMap { (try? DoorFacts(of: $0))?.inode })
    }
}
