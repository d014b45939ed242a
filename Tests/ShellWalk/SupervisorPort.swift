import CallbackService
import HostContract
import Idleness
import Lifecycle
import Linux
import Pressure
import Processes
import Supervisor
import SupervisorPorts
import WorkerIO

/// The machine as one supervisor sees it, until that is killed: each call may be its last.
///
/// The machine knows workers by numbers of its own, which stay when a supervisor follows another and numbers them anew.
final class SupervisorPort: Host, HostObserver, WorkerSocketHost {
    let machine: FakeHost
    /// Whether the supervisor is dead: whatever its last turn still asks for does not happen.
    private(set) var isCut = false
    weak var observer: (any HostObserver)?
    /// Whether the supervisor is killed here and now: asked before and after each thing that it does.
    var isKilledNow: () -> Bool = { false }
    /// Called when it is.
    var whenKilled: () -> Void = {}
    /// What hooks for notifications were given, by their ids.
    var hookPayloads: [UInt32: (worker: WorkerID, topic: String, payload: String, count: Int)] = [:]
    /// A hook for a notification is over, and done.
    var whenHookTook: (_ worker: WorkerID, _ topic: String, _ payload: String, _ count: Int) -> Void =
        { _, _, _, _ in }
    /// Hears of each fact before the supervisor does.
    var whenTold: (WorkerID, Fact) -> Void = { _, _ in }
    /// Hears that nothing of a worker is left, before the supervisor does, as what has its sockets.
    var whenGone: (WorkerID) -> Void = { _ in }
    private var keys: [WorkerID: WorkerID] = [:]
    private var ids: [WorkerID: WorkerID] = [:]

    init(_ machine: FakeHost) { self.machine = machine }

    /// The supervisor's worker `id` is the machine's `key`.
    func define(_ id: WorkerID, as key: WorkerID) { (keys[id], ids[key]) = (key, id) }

    /// The supervisor knows this worker no more.
    func forget(_ id: WorkerID) { if let key = keys.removeValue(forKey: id) { ids[key] = nil } }

    /// The supervisor is killed.
    func cut() {
        guard !isCut else { return }
        isCut = true
        machine.supervisorGone()
        whenKilled()
    }

    /// Another supervisor goes on in the same process: nothing that is underway is lost.
    func handOver() {
        isCut = true
        machine.observer = nil
        machine.setAlarm(nil)
        machine.replaced()
    }

    /// Does something for the supervisor, unless that dies before; it may die after.
    func act(_ body: () -> Void) {
        guard !isCut else { return }
        if isKilledNow() { return cut() }
        body()
        if !isCut, isKilledNow() { cut() }
    }

    private func act(_ worker: WorkerID, _ body: (WorkerID) -> Void) {
        guard let key = keys[worker] else { return }
        act { body(key) }
    }

    // MARK: workers' sockets

    /// Only a process of the worker is given an end of its connection.
    func owns(_ worker: WorkerID, _ peer: PeerProcess) -> Bool { keys[worker] != nil }

    /// Workers are given their connections without listening sockets.
    func use(_ sockets: any WorkerSockets, serves: @escaping ([UInt8]) -> Bool) {}

    // MARK: what the machine tells

    func receive(_ fact: Fact, of key: WorkerID) {
        guard !isCut, let id = ids[key] else { return }
        whenTold(key, fact)
        if case .hookEnded(let hook, let completion, _) = fact,
            let given = hookPayloads.removeValue(forKey: hook),
            completion == .done
        {
            whenHookTook(given.worker, given.topic, given.payload, given.count)
        }
        switch fact {
        case .exited, .launchFailed, .launchAbandoned: whenGone(id)
        default: break
        }
        observer?.receive(fact, of: id)
    }

    func alarmWentOff() { if !isCut { observer?.alarmWentOff() } }

    // MARK: what the supervisor asks

    var now: Instant { machine.now }
    var machineSlept: TimeSpan { machine.machineSlept }
    var freezing: String { machine.freezing }

    func launch(
        _ worker: WorkerID, _ configuration: WorkerConfiguration, _ launch: Launch, _ details: LaunchDetails
    ) {
        act(worker) { machine.launch($0, configuration, launch, details) }
    }

    func freeze(_ worker: WorkerID) { act(worker) { machine.freeze($0) } }
    func thaw(_ worker: WorkerID) { act(worker) { machine.thaw($0) } }
    func signal(_ worker: WorkerID, _ signal: Signal) { act(worker) { machine.signal($0, signal) } }
    func kill(_ worker: WorkerID) { act(worker) { machine.kill($0) } }

    func run(_ hook: HookCall, of worker: WorkerID) {
        act(worker) { key in
            if let topic = hook.topic {
                let payload = hook.variables["TORPOR_NOTIFICATION_PAYLOAD"].map { "\($0)" } ?? ""
                let count = hook.variables["TORPOR_NOTIFICATION_COUNT"].flatMap { Int("\($0)") } ?? 1
                hookPayloads[hook.id] = (key, topic, payload, count)
            }
            machine.run(hook, of: key)
        }
    }

    func cancelHook(_ id: UInt32, of worker: WorkerID) {
        act(worker) {
            hookPayloads[id] = nil
            machine.cancelHook(id, of: $0)
        }
    }

    func inspect(_ worker: WorkerID) { act(worker) { machine.inspect($0) } }
    func readCPU(_ worker: WorkerID) { act(worker) { machine.readCPU($0) } }
    func throttle(_ worker: WorkerID, _ isHeldDown: Bool) { act(worker) { machine.throttle($0, isHeldDown) } }

    func limitMemory(_ worker: WorkerID, to limits: MemoryLimits) {
        act(worker) { machine.limitMemory($0, to: limits) }
    }

    func reclaim(_ worker: WorkerID) { act(worker) { machine.reclaim($0) } }
    func memory(of workers: [WorkerID]) -> [WorkerID: WorkerMemory] { [:] }
    func warnOfMemory(_ worker: WorkerID) { act(worker) { machine.warnOfMemory($0) } }
    func hearsOfMemory(_ worker: WorkerID) -> Bool { keys[worker].map { machine.hearsOfMemory($0) } ?? false }
    func watching(_ worker: WorkerID) -> SleeperSight? { keys[worker].flatMap { machine.watching($0) } }
    func lastOutput(of worker: WorkerID) -> [String] { [] }
    func isTraced(_ worker: WorkerID) -> Bool { keys[worker].map { machine.isTraced($0) } ?? false }
    func setMainProcess(_ worker: WorkerID, pid: Int32) {
        act(worker) { machine.setMainProcess($0, pid: pid) }
    }
    func setAlarm(_ moment: Instant?) { if !isCut { machine.setAlarm(moment) } }
    func look(at worker: WorkerID) { act(worker) { machine.look(at: $0) } }
    func isAdopted(_ worker: WorkerID) -> Bool { keys[worker].map { machine.isAdopted($0) } ?? false }

    func adopt(_ worker: WorkerID, _ configuration: WorkerConfiguration, _ record: AdoptionRecord) -> Adoption
    {
        var adoption = Adoption.missing
        act(worker) { adoption = machine.adopt($0, configuration, record) }
        return adoption
    }
}
