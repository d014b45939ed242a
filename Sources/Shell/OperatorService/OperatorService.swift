package import Budgeting
package import Cgroups
internal import ConfigurationSyntax
package import ControlAPI
package import ControlServer
internal import Glibc
package import Lifecycle
package import Linux
package import MetricsShell
package import Records
package import Supervisor
package import SupervisorPorts
package import Systemd
package import TransferShell
package import Varlink

/// Low-power mode, as operators see and choose it.
package protocol LowPowerControl: AnyObject {
    /// Low-power mode.
    var lowPower: LowPowerMode { get }
    /// Chooses it.
    func chooseLowPower(_ choice: LowPowerMode.Choice)
}

/// What only a daemon can do, and `torpor run` cannot: workers defined by files, and the daemon itself.
package protocol DaemonControl: LowPowerControl {
    /// The entry for `name`, made from its template if there is none yet.
    func instantiate(_ name: String) throws(MethodError) -> RegisteredWorker
    /// A worker without a file.
    func defineTransient(
        _ parameters: SupervisorInterface.LaunchTransient.Parameters
    ) throws(MethodError) -> RegisteredWorker
    /// The files behind a worker.
    func files(of entry: RegisteredWorker) throws(MethodError) -> [SupervisorInterface.File]
    /// The files of that name, whether they hold or not.
    func files(named name: String) throws(MethodError) -> [SupervisorInterface.File]
    /// Reads all definitions anew.
    func reload() -> SupervisorInterface.Reload.Reply
    /// Replaces the daemon by its program as it is installed now; answers `then` with what is in the way.
    func reexec(then refused: @escaping (String) -> Void)
    /// How long nothing was served while the daemon was replaced.
    var interruption: TimeSpan { get }
    /// How processes ended; answered on the loop, later.
    func report(
        _ parameters: SupervisorInterface.Report.Parameters, by asker: Asker,
        then answer: @escaping (SupervisorInterface.Report.Reply?) -> Void)
    /// What happened; answered on the loop, later.
    func history(
        _ parameters: SupervisorInterface.History.Parameters, by asker: Asker,
        then answer: @escaping (SupervisorInterface.History.Reply?) -> Void)
    /// How short the machine is of memory, and what has been done about it.
    func pressure() -> SupervisorInterface.Pressure.Reply
    /// How much is logged.
    var logLevel: SupervisorInterface.LogLevel { get set }
    /// Whether it is about to end, and starts nothing any more.
    var isShuttingDown: Bool { get }
    /// Forgets a worker without a file, if there is nothing that it could come back for, in a turn of its own.
    func depart(_ worker: WorkerID)
    /// All workers have been asked to end, and it goes on.
    func allAreEnding()
    /// A worker was force-quit, whether it ran or not: no event brings it back.
    func isBarred(_ worker: WorkerID)
}

/// `io.torpor.Supervisor`: carries out what operators call, for the daemon and for `torpor run` alike.
package final class OperatorService: ControlHandler, MessageHandler, NoticeObserver {
    package typealias API = SupervisorInterface

    package let supervisor: Supervisor
    package let loop: EventLoop
    package let usage: (WorkerID) -> WorkerUsage?
    package let method: FreezeMethod
    package let version: String
    /// What is counted of workers, and what gives it to those that read it.
    package let meters: Meters
    package let metrics: MetricsService
    package var registry = WorkerRegistry()
    package weak var daemon: (any DaemonControl)?
    /// Low-power mode where there is no daemon; nil where there is nothing that it would reduce.
    package weak var lowPower: (any LowPowerControl)?
    /// Commands beside workers; nil where there is no place for them.
    package weak var transfers: TransferHouse?
    /// How short the machine is of memory, where there is no daemon.
    package var pressure: (() -> API.Pressure.Reply)?
    /// Looks at what this place allows, and answers on the loop, later.
    package typealias Findings = (_ answer: @escaping ([API.Finding]) -> Void) -> Void
    /// What this place allows; nil where nothing looks.
    package var findings: Findings?
    /// Hears of each end that an operator has asked for, and of the signal that stands for it.
    package var endRequested: (Signal) -> Void = { _ in }
    package var watchers: [ObjectIdentifier: Watcher] = [:]
    /// Files of workers that do not hold, by the worker's name, where nothing that held has been read of it.
    package var badSettings: [String: BadSetting] = [:]
    /// Callers that follow what workers print.
    package var followers: [WorkerID: [ObjectIdentifier: Responder]] = [:]
    /// What many workers use of the memory.
    var manyMemories: ManyMemories
    /// What is kept for callers that are no operators.
    package var forOthers = AnswersForOthers()
    /// Callers that wait to hear what this place allows.
    package var examination = SharedRound<Responder>()
    /// Questions of operators to the store, and those of others.
    package var questions: [ControlLane: QuestionLine<Peer.Account, StoreQuestion>] = [
        .operators: QuestionLine(mostPerAccount: 16, most: 64),
        .others: QuestionLine(mostPerAccount: 1, most: 4),
    ]

    package init(
        _ supervisor: Supervisor, on loop: EventLoop, method: FreezeMethod, version: String,
        usage: @escaping (WorkerID) -> WorkerUsage?, problem: @escaping (String) -> Void = { _ in }
    ) {
        manyMemories = ManyMemories(on: loop)
        meters = Meters(supervisor, version: version)
        metrics = MetricsService(meters, on: loop, problem: problem)
        self.supervisor = supervisor
        self.loop = loop
        self.method = method
        self.version = version
        self.usage = usage
        meters.pause = { loop.pauses.recent(at: KernelClock.monotonic)?.length }
        supervisor.observe(as: .clients, self)
    }

    package var now: Instant { Instant(microseconds: KernelClock.monotonic) }

    // MARK: dispatch

    package func perform(_ call: Call, by peer: Peer, _ responder: Responder) {
        do throws(MethodError) {
            try dispatch(call, responder)
        } catch {
            responder.fail(error)
        }
    }

    private func dispatch(_ call: Call, _ responder: Responder) throws(MethodError) {
        // By the short names: only calls of this one interface come here.
        guard let handler = Self.handlers[call.member] else { throw .methodNotImplemented(call.method) }
        try handler.perform(self, call, responder)
    }

    /// What carries out each method, by its short name; a test holds it against the interface.
    static let handlers = Dictionary(
        uniqueKeysWithValues: [
            queryMethods, outputMethods, handingMethods, activityMethods, interruptionMethods,
            transferMethods, postingMethods,
            pastMethods,
            steeringMethods, lowPowerMethods,
            daemonMethods,
        ].joined().map { ($0.member, $0) })

    private static let daemonMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.Reload.self, returning: OperatorService.reload),
        MethodHandler(API.Reexec.self, OperatorService.reexec),
        MethodHandler(API.SetLogLevel.self, returning: OperatorService.setLogLevel),
        MethodHandler(API.GetLogLevel.self, returning: OperatorService.getLogLevel),
        MethodHandler(API.Ping.self, returning: OperatorService.ping),
    ]

    private func reload(_: API.Nothing, by peer: Peer) throws(MethodError) -> API.Reload.Reply {
        try daemonOnly().reload()
    }

    private func reexec(_: API.Nothing, _ responder: Responder) throws(MethodError) {
        try daemonOnly("torpor run cannot be replaced").reexec { responder.fail(API.notReplaced(why: $0)) }
        // Kept until then: the answer comes from the supervisor that follows.
        responder.onClose { _ = responder }
    }

    private func setLogLevel(
        _ parameters: API.SetLogLevel.Parameters, by peer: Peer
    ) throws(MethodError) -> API.SetLogLevel.Reply {
        try daemonOnly().logLevel = parameters.level
        return API.SetLogLevel.Reply()
    }

    private func getLogLevel(_: API.Nothing, by peer: Peer) -> API.GetLogLevel.Reply {
        API.GetLogLevel.Reply(level: daemon?.logLevel ?? .info)
    }

    private func ping(_: API.Nothing, by peer: Peer) -> API.Ping.Reply {
        API.Ping.Reply(pid: Int64(ThisProcess.pid), version: version)
    }

    // MARK: calls that a predecessor has begun

    package func resume(_ call: Call, with note: JSON.Object, by peer: Peer, _ responder: Responder) {
        do throws(MethodError) {
            switch call.member {
            case API.Watch.member: try watch(try read(call), responder, isNew: false)
            case API.Logs.member where call.mode == .more: try logsOn(try read(call), responder)
            case API.Hold.member: try holdOn(try read(call), note, by: peer, responder)
            case API.Interrupt.member: try interruptOn(try read(call), note, responder)
            case API.Open.member: try openOn(try read(call), note, responder)
            case API.GiveActivity.member: try giveActivityOn(try read(call), note, responder)
            case API.TakeActivity.member where !note.members.isEmpty:
                try takeActivityOn(try read(call), note, responder)
            case API.Post.member where !note.members.isEmpty: try postedBefore(note, responder)
            case API.Reexec.member:
                responder.reply(
                    API.Reexec.Reply(
                        pid: Int64(ThisProcess.pid), version: version,
                        interruptedUsec: daemon?.interruption.microseconds ?? 0))
            default:
                if try steerOn(call, note, responder) { return }
                try dispatch(call, responder)
            }
        } catch {
            responder.fail(error)
        }
    }

    private func read<Parameters: JSONConvertible>(_ call: Call) throws(MethodError) -> Parameters {
        try call.read()
    }

    /// The daemon; `torpor run` has none, and says so.
    package func daemonOnly(
        _ reason: String = "torpor run has one worker and no files"
    ) throws(MethodError) -> any DaemonControl {
        guard let daemon else { throw .methodNotImplemented(reason) }
        return daemon
    }
}
