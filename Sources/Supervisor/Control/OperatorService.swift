internal import ControlAPI
internal import Glibc
internal import Lifecycle
internal import Linux
internal import Store
internal import Systemd
internal import Varlink

/// What only a daemon can do, and `torpor run` cannot: workers defined by files, and the daemon itself.
protocol DaemonControl: AnyObject {
    /// The entry for `name`, made from its template if there is none yet.
    func instantiate(_ name: String) throws(MethodError) -> RosterEntry
    /// A worker without a file.
    func defineTransient(
        _ parameters: SupervisorInterface.LaunchTransient.Parameters
    ) throws(MethodError) -> RosterEntry
    /// The files behind a worker.
    func files(of entry: RosterEntry) throws(MethodError) -> [SupervisorInterface.File]
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
    /// What this place allows.
    func findings() -> [SupervisorInterface.Finding]
    /// How much is logged.
    var logLevel: SupervisorInterface.LogLevel { get set }
    /// Whether it is about to end, and starts nothing any more.
    var isShuttingDown: Bool { get }
    /// All workers have been asked to end, and it goes on.
    func allAreEnding()
}

// Unchecked: everything here, the supervisor and the server are on the thread of one loop.

/// `io.torpor.Supervisor`: carries out what operators call, for the daemon and for `torpor run` alike.
final class OperatorService: ControlHandler, PostHandler, @unchecked Sendable {
    typealias API = SupervisorInterface

    let supervisor: Supervisor
    let loop: EventLoop
    let usage: (WorkerID) -> WorkerUsage?
    let method: FreezeMethod
    let version: String
    var roster = Roster()
    weak var daemon: (any DaemonControl)?
    /// How short the machine is of memory, where there is no daemon and somebody looks.
    var pressure: (() -> API.Pressure.Reply)?
    /// Hears of each end that an operator has asked for, and of the signal that stands for it.
    var endWished: (Signal) -> Void = { _ in }
    private var watchers: [ObjectIdentifier: Watcher] = [:]

    private struct Watcher {
        let responder: Responder
        let patterns: [String]?
    }

    init(
        _ supervisor: Supervisor, on loop: EventLoop, method: FreezeMethod, version: String,
        usage: @escaping (WorkerID) -> WorkerUsage?
    ) {
        self.supervisor = supervisor
        self.loop = loop
        self.method = method
        self.version = version
        self.usage = usage
        let observer: @Sendable (WorkerID, Notice) -> Void = { [weak self] id, notice in
            self?.publish(notice, of: id)
        }
        supervisor.assumeIsolated { $0.observe(observer) }
    }

    var now: Instant { Instant(microseconds: EventLoop.clock) }

    // MARK: dispatch

    func perform(_ call: Call, by peer: Peer, _ responder: Responder) {
        do throws(MethodError) {
            try dispatch(call, by: peer, responder)
        } catch {
            responder.fail(error)
        }
    }

    private func dispatch(_ call: Call, by peer: Peer, _ responder: Responder) throws(MethodError) {
        // By the short names: only calls of this one interface come here.
        switch call.member {
        case API.List.member: responder.reply(list(try read(call)))
        case API.Describe.member: responder.reply(try describe(try read(call), by: peer))
        case API.Why.member: responder.reply(try why(try read(call)))
        case API.Cat.member: responder.reply(try cat(try read(call)))
        case API.Open.member: try open(try read(call), by: peer, responder)
        case API.Hold.member: try hold(try read(call), by: peer, responder)
        case API.Post.member: try post(try readPost(call), responder)
        case API.Notifications.member: responder.reply(try notifications(try read(call)))
        case API.Cancel.member: try cancel(try read(call), responder)
        case API.Report.member: try report(try read(call), by: peer, responder)
        case API.History.member: try history(try read(call), by: peer, responder)
        case API.Watch.member: watch(try read(call), responder)
        case API.Launch.member: try launch(try read(call), by: peer, call, responder)
        case API.LaunchTransient.member: try launchTransient(try read(call), by: peer, responder)
        case API.Activate.member: try steer(.goal(.active), try readGoals(call), by: peer, call, responder)
        case API.Resign.member: try steer(.goal(.inactive), try readGoals(call), by: peer, call, responder)
        case API.Background.member:
            try steer(.goal(.background), try readGoals(call), by: peer, call, responder)
        case API.Suspend.member: try steer(.goal(.suspended), try readGoals(call), by: peer, call, responder)
        case API.Resume.member: try steer(.resume, try readGoals(call), by: peer, call, responder)
        case API.Terminate.member:
            try steer(.goal(.notRunning), try readGoals(call), by: peer, call, responder)
        case API.Kill.member: try steer(.kill, try readGoals(call), by: peer, call, responder)
        case API.Shutdown.member: try shutdown(try read(call), by: peer, call, responder)
        case API.Pressure.member:
            if let pressure { return responder.reply(pressure()) }
            let missing = "this torpor run watches no memory; it does with --evictable"
            responder.reply(try daemonOnly(missing).pressure())
        case API.Doctor.member: responder.reply(API.Doctor.Reply(findings: try daemonOnly().findings()))
        case API.Reload.member: responder.reply(try daemonOnly().reload())
        case API.Reexec.member:
            try daemonOnly("torpor run is not replaced").reexec { why in
                responder.fail(API.notReplaced(why: why))
            }
            // Kept until then: the answer comes from a successor of ours.
            responder.onClose { _ = responder }
        case API.SetLogLevel.member:
            let parameters: API.SetLogLevel.Parameters = try read(call)
            try daemonOnly().logLevel = parameters.level
            responder.reply(API.SetLogLevel.Reply())
        case API.GetLogLevel.member:
            responder.reply(API.GetLogLevel.Reply(level: daemon?.logLevel ?? .info))
        case API.Ping.member:
            responder.reply(API.Ping.Reply(pid: Int64(ThisProcess.pid), version: version))
        default:
            throw .methodNotImplemented(call.method)
        }
    }

    // MARK: calls that a predecessor has begun

    func resume(_ call: Call, with note: JSON.Object, by peer: Peer, _ responder: Responder) {
        do throws(MethodError) {
            switch call.member {
            case API.Watch.member: watch(try read(call), responder, isNew: false)
            case API.Hold.member: try holdOn(try read(call), note, by: peer, responder)
            case API.Open.member: try openOn(try read(call), note, responder)
            case API.Post.member where !note.members.isEmpty: try postedBefore(note, responder)
            case API.Reexec.member:
                responder.reply(
                    API.Reexec.Reply(
                        pid: Int64(ThisProcess.pid), version: version,
                        interruptedUsec: daemon?.interruption.microseconds ?? 0))
            default:
                if try steerOn(call, note, responder) { return }
                try dispatch(call, by: peer, responder)
            }
        } catch {
            responder.fail(error)
        }
    }

    private func read<Parameters: Decodable>(_ call: Call) throws(MethodError) -> Parameters {
        try call.read()
    }

    private func readPost(_ call: Call) throws(MethodError) -> API.Post.Parameters {
        do throws(JSON.Mismatch) {
            return try API.Post.Parameters(reading: call.parameters)
        } catch {
            throw .invalidParameter(error.path)
        }
    }

    func readGoals(_ call: Call) throws(MethodError) -> API.GoalParameters {
        do throws(JSON.Mismatch) {
            return try API.GoalParameters(reading: call.parameters)
        } catch {
            throw .invalidParameter(error.path)
        }
    }

    /// The daemon; `torpor run` has none, and says so.
    func daemonOnly(
        _ reason: String = "torpor run has one worker and no files"
    ) throws(MethodError) -> any DaemonControl {
        guard let daemon else { throw .methodNotImplemented(reason) }
        return daemon
    }

    // MARK: looking

    func rendering(_ entry: RosterEntry, withUsage: Bool) -> WorkerRendering? {
        let id = entry.id
        guard let view = supervisor.assumeIsolated({ $0.view(of: id) }) else { return nil }
        return WorkerRendering(view: view, entry: entry, now: now, usage: withUsage ? usage(id) : nil)
    }

    /// Hears of what nobody tells by himself, before somebody is told how workers stand.
    private func look(at entries: [RosterEntry]) {
        supervisor.assumeIsolated { supervisor in for entry in entries { supervisor.look(at: entry.id) } }
    }

    /// What each worker uses costs a look at its processes: a longer list goes without.
    private static let mostWithUsage = 256

    private func summaries(_ entries: [RosterEntry]) -> [API.WorkerSummary] {
        let withUsage = entries.count <= Self.mostWithUsage
        return entries.compactMap { rendering($0, withUsage: withUsage)?.summary }
    }

    private func list(_ parameters: API.List.Parameters) -> API.List.Reply {
        look(at: roster.all)
        let asleep = roster.all.compactMap { rendering($0, withUsage: false) }.filter {
            $0.state == .suspended
        }
        return API.List.Reply(
            workers: summaries(roster.matching(anyOf: parameters.names)), asleepCount: Int64(asleep.count),
            givenBackBytes: asleep.reduce(0) { $0 + ($1.view.reclaim?.givenBack ?? 0) })
    }

    /// The one worker of that name; a template's instance is looked up, not made.
    func known(_ name: String) throws(MethodError) -> RosterEntry {
        guard let entry = roster[name] else { throw API.noSuchWorker(name: name) }
        return entry
    }

    private func describe(
        _ parameters: API.Describe.Parameters, by peer: Peer
    ) throws(MethodError) -> API.Describe.Reply {
        let entry = try known(parameters.name)
        look(at: [entry])
        guard let rendering = rendering(entry, withUsage: true) else {
            throw API.noSuchWorker(name: entry.name)
        }
        let status = rendering.status(freezing: method)
        return API.Describe.Reply(worker: peer.isOperator ? status : status.redacted)
    }

    private func why(_ parameters: API.Why.Parameters) throws(MethodError) -> API.Why.Reply {
        let entry = try known(parameters.name)
        look(at: [entry])
        guard let rendering = rendering(entry, withUsage: false) else {
            throw API.noSuchWorker(name: entry.name)
        }
        return Explanation(rendering).reply
    }

    private func cat(_ parameters: API.Cat.Parameters) throws(MethodError) -> API.Cat.Reply {
        API.Cat.Reply(files: try daemonOnly().files(of: try known(parameters.name)))
    }

    // MARK: watching

    private func watch(_ parameters: API.Watch.Parameters, _ responder: Responder, isNew: Bool = true) {
        // Before: what that brings is part of the present.
        if isNew { look(at: roster.matching(anyOf: parameters.names)) }
        let watcher = Watcher(responder: responder, patterns: parameters.names)
        watchers[ObjectIdentifier(responder)] = watcher
        let key = ObjectIdentifier(responder)
        responder.onClose { [weak self] in self?.watchers[key] = nil }
        // Who has watched in the life of a predecessor knows it, and has missed nothing.
        if isNew {
            responder.more(API.Watch.Reply(present: summaries(roster.matching(anyOf: parameters.names))))
        }
    }

    /// Whether a worker is one of those that are watched.
    private func concerns(_ watcher: Watcher, _ name: String) -> Bool {
        watcher.patterns?.contains { $0 == name || fnmatch($0, name, 0) == 0 } ?? true
    }

    private func publish(_ notice: Notice, of id: WorkerID) {
        guard case .changed(let transition) = notice, !watchers.isEmpty, let entry = roster[id] else {
            return
        }
        let concerned = watchers.values.filter { concerns($0, entry.name) }
        guard !concerned.isEmpty else { return }
        let reply = API.Watch.Reply(change: change(transition, of: entry))
        guard case .object(let parameters) = try? JSON(encoding: reply) else { return }
        // Encoded once, however many watch.
        let message = EncodedMessage(reply: parameters, continues: true)
        for watcher in concerned { watcher.responder.more(message) }
    }

    private func change(_ transition: Transition, of entry: RosterEntry) -> API.Change {
        let id = entry.id
        let goal = supervisor.assumeIsolated { $0.life(of: id)?.goal } ?? .notRunning
        var caller: API.Caller?
        if case .goal(let requester) = transition.cause { caller = API.Caller(requester) }
        return API.Change(
            worker: entry.name, from: .init(transition.from), to: .init(transition.to), goal: .init(goal),
            reason: transition.cause.word, at: WallClock.microseconds(of: transition.at, now: now),
            monotonic: transition.at.microseconds, uid: caller?.uid, pid: caller?.pid,
            notTold: Callback.allCases.filter(transition.notTold.contains).map(\.rawValue))
    }

    /// Tells those who watch that a worker was defined, or is no longer.
    func announce(_ entry: RosterEntry, isDefined: Bool) {
        let state = rendering(entry, withUsage: false)?.state ?? .notRunning
        let moment = now
        let reply = API.Watch.Reply(
            change: API.Change(
                worker: entry.name, from: isDefined ? nil : state, to: isDefined ? state : nil,
                goal: .notRunning, reason: isDefined ? "defined" : "removed",
                at: WallClock.microseconds(of: moment, now: moment), monotonic: moment.microseconds,
                notTold: []))
        for watcher in watchers.values where concerns(watcher, entry.name) { watcher.responder.more(reply) }
    }
}

extension Transition.Cause {
    /// The cause in a word, for programs.
    var word: String {
        switch self {
        case .launched(let reason): reason.rawValue
        case .goal(let requester): requester.word
        case .woken: "woken"
        case .interruption: "interruption"
        case .reload: "reload"
        case .outside: "outside"
        case .ended(let cause): cause.rawValue
        }
    }
}

extension Requester {
    /// Who, in a word, for programs.
    var word: String {
        switch self {
        case .operator: "operator"
        case .worker: "worker"
        case .idle: "idle"
        case .handOver: "handOver"
        case .machine: "machine"
        case .memoryPressure: "memoryPressure"
        case .memoryLimit: "memoryLimit"
        case .wakeSource: "wakeSource"
        case .supervisor: "supervisor"
        }
    }
}
