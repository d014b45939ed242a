import CallbackService
import Cgroups
import ConfigurationSyntax
import ControlAPI
import ControlServer
import DaemonCore
import Definitions
import Glibc
import History
import HostContract
import Lifecycle
import Linux
import Notifications
import OperatorService
import Records
import SnapshotCoding
import Store
import Supervisor
import SupervisorPorts
import Systemd
import WorkerFile

/// One supervisor from its start to its death.
final class SupervisorLife: WallAlarm {
    let loop: EventLoop
    let supervisor: Supervisor
    let port: SupervisorPort
    /// What it records, and the store behind that.
    private let store: LifeRecorder
    var recorder: Recorder { store.recorder }
    private(set) var recording: RecordingPort?
    let disk: DiskPort
    let states: StatesPort
    /// What operators call, and the sockets that they call through.
    let service: OperatorService
    let server: ControlServer
    /// What workers call, and attach to.
    let workerService: WorkerService
    /// The workers that files define.
    let definitions: WorkerDefinitions<WalkFiles>
    /// Workers that nothing defines any more and that have ended.
    var departed: [WorkerID] = []
    /// The workers that it knows, by its numbers.
    var workers: [WorkerID: WalkWorker] = [:]
    var ids: [String: WorkerID] = [:]
    private let walk: Walk
    private var alarms = 0

    init(_ walk: Walk) throws {
        self.walk = walk
        loop = try EventLoop()
        port = SupervisorPort(walk.machine)
        supervisor = Supervisor(on: loop, host: port)
        store = LifeRecorder(walk.disk, port, on: loop)
        disk = DiskPort(store.recorder, port)
        states = StatesPort(walk.states, port)
        service = OperatorService(
            supervisor, on: loop, method: .signals(reason: "it is simulated"), version: "0",
            usage: { _ in nil })
        server = try ControlServer(on: loop, service: .torpor(version: "0"), handler: service) {
            [unowned walk, port] in
            if !port.isCut { walk.heard($0) }
        }
        workerService = try WorkerService(supervisor, on: loop, port, version: "0") { [unowned walk, port] in
            if !port.isCut { walk.heard($0) }
        }
        definitions = WorkerDefinitions(
            of: WorkerLoader(directories: [WalkFiles.directory], source: walk.files),
            in: LaunchContext(
                place: .init(), environment: Environment(), isRoot: true,
                supervisor: "/walk/run/io.torpor.Supervisor"),
            for: supervisor, service)
        walk.machine.observer = port
        definitions.follower = self
        supervisor.definitions = definitions
        recording = RecordingPort(walk, self)
    }

    /// What becomes of what the store's thread has in hand when the process ends.
    func killStore(committing: Bool) { store.kill(committing: committing) }

    func id(of worker: WalkWorker) -> WorkerID? { ids[worker.name] }

    func life(of worker: WalkWorker) -> WorkerLifecycle? {
        id(of: worker).flatMap { supervisor.life(of: $0) }
    }

    /// The foreground group that a worker is in; nil where it is in none.
    func group(of worker: WalkWorker) -> String? {
        id(of: worker).flatMap { supervisor.workers[$0]?.configuration.foregroundGroup }
    }

    /// A worker that is defined without a file.
    func add(_ worker: WalkWorker) {
        let id = supervisor.add(worker.configuration)
        let entry = RegisteredWorker(name: worker.name, id: id, loaded: nil, isTransient: true)
        know(entry)
        service.registry.add(entry)
    }

    /// One that a predecessor knew, as `Daemon.entryToAdopt` has it; nil where nothing defines it, and it has no process.
    func adopt(_ worker: WalkWorker, hasProcess: Bool) -> WorkerID? {
        if let id = ids[worker.name] { return id }
        guard worker.file != nil else {
            add(worker)
            return ids[worker.name]
        }
        guard
            let entry = definitions.entryToAdopt(worker.name, hasProcess: hasProcess, transient: { _ in nil })
        else { return nil }
        know(entry)
        return entry.id
    }

    private func know(_ entry: RegisteredWorker) {
        guard let worker = walk.byName[entry.name] else { return }
        port.define(entry.id, as: worker.key)
        (workers[entry.id], ids[entry.name]) = (worker, entry.id)
    }

    private func forget(_ id: WorkerID) {
        port.forget(id)
        if let worker = workers.removeValue(forKey: id) { ids[worker.name] = nil }
    }

    /// Those that files do not define any more and that did not run have gone with the reading.
    func forgetTheGone() {
        for id in workers.keys.sorted() where service.registry[id] == nil { forget(id) }
    }

    /// As `Daemon.sweep`.
    private func sweep() {
        let gone = departed
        departed = []
        for id in gone where !port.isCut {
            guard let entry = service.registry[id], entry.isOrphaned else { continue }
            if definitions.drop(entry) { forget(id) }
        }
    }

    /// Serves a client at the other end of a socket.
    func admit(_ descriptor: Int32) {
        do { server.admit(try StreamSocket(inheriting: descriptor)) } catch {
            walk.problems.append("a client cannot be served: \(error)")
        }
    }

    /// Serves a process of a worker at the other end of a socket.
    func admit(_ descriptor: Int32, of id: WorkerID) {
        do { workerService.server.admit(try StreamSocket(inheriting: descriptor), for: id) } catch {
            walk.problems.append("a worker cannot be served: \(error)")
        }
    }

    func remove(_ worker: WalkWorker) {
        guard let id = ids[worker.name], supervisor.remove(id) else { return }
        if let entry = service.registry[worker.name] { service.registry.remove(entry) }
        forget(id)
    }

    /// Lets go of all that is left of it: a process that ends takes its circles along.
    func dismantle() {
        server.close()
        workerService.close()
        for worker in supervisor.workers.values {
            (worker.waiters, worker.contents, worker.taskRequests) = ([], [:], [:])
            (worker.holders, worker.interruptionEnds, worker.handoffCalls) = ([:], [:], [:])
        }
        supervisor.workers = [:]
        (supervisor.storedAnswers, supervisor.unstoredPosts) = ([], [])
        (supervisor.changedInboxes, supervisor.commitsUnderWay) = ([], [])
        (supervisor.records, supervisor.notifications, supervisor.states) = (nil, nil, nil)
        service.watchers = [:]
        for entry in service.registry.all { service.registry.remove(entry) }
        store.dismantle()
        loop.dropCalls()
    }

    /// The end of a turn of the loop.
    ///
    /// All that is ready is served, as the loop of a daemon serves it, until nothing is left.
    func endTurn() {
        do {
            for _ in 0..<256 {
                guard !port.isCut, try loop.turn() || !departed.isEmpty else { break }
                sweep()
            }
        } catch {
            walk.problems.append("the loop: \(error)")
        }
        walk.readReplies()
    }

    func setWallAlarm(_ moment: Int64?) {
        alarms += 1
        guard !port.isCut, let moment else { return }
        let number = alarms
        // The wall clock is the machine's, here.
        let due = max(Instant(microseconds: moment), walk.machine.now)
        walk.machine.schedule(at: due) { [weak self] in
            guard let self, alarms == number, !port.isCut else { return }
            supervisor.schedulesDue(at: walk.machine.now.microseconds)
            endTurn()
        }
    }
}

extension SupervisorLife: DefinitionFollower {
    func defined(
        _ entry: RegisteredWorker, by plan: LaunchPlan, as configuration: WorkerConfiguration, isNew: Bool
    ) {
        if isNew { know(entry) }
        if isNew { walk.reads(entry.name) }
    }

    func undefined(_ worker: WorkerID) {}
    func shortcomings(of entry: RegisteredWorker) -> [SupervisorInterface.Diagnostic] { [] }
    func cameToBe(_ names: [String]) {}
}
