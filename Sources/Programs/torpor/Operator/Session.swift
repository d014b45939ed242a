import ArgumentParser
internal import ConfigurationSyntax
import ControlAPI
import ControlClient
import Glibc
import Lifecycle
import Linux
import Operator
import Places
internal import Processes
import Supervisor
import Varlink

/// One run of a verb: where it says things, and the supervisor, connected to on the first call.
struct Session: ControlTransport {
    let console: Console
    /// The supervisor; where there is no place for one, why: verbs that call none need none.
    private let found: Result<SupervisorReach, Failure>
    /// Whether no supervisor was named.
    let isUsual: Bool
    private let limit: CallLimit
    private var client: ControlClient?
    /// The supervisor has answered on this connection.
    private var isAlive = false
    /// The last call was sent, and it is not known what became of it: no answer came.
    private(set) var mayHaveBeenDone = false

    init(_ options: OperatorOptions, _ console: Console) throws(Failure) {
        self.console = console
        limit = CallLimit(given: options.timeout)
        let named = Console.variable("TORPOR_SUPERVISOR").flatMap { $0.isEmpty ? nil : $0 }
        isUsual =
            options.host == nil && options.socket == nil && !options.system && !options.user && named == nil
        found = Result { () throws(Failure) in
            if let host = options.host { return .remote(try .named(host, options)) }
            return .local(try Self.find(options, named))
        }
    }

    /// The supervisor that is meant: by an option, by the environment, or by default.
    private static func find(_ options: OperatorOptions, _ named: String?) throws(Failure) -> SupervisorPlace
    {
        if let path = options.socket { return try place(path) }
        if options.system { return .machine }
        do throws(NoRuntimeDirectory) {
            if options.user { return try .user() }
            switch named {
            case nil: return try .usual()
            case "system": return .machine
            case "user": return try .user()
            default: break
            }
        } catch {
            throw Failure(
                .unavailable,
                "no supervisor found: \(error.reason); start torpord, or specify its socket with --socket PATH or "
                    + "TORPOR_SUPERVISOR", isNobodyThere: true)
        }
        return try place(named ?? "")
    }

    /// The supervisor at `path`; an abstract name is one everywhere.
    private static func place(_ path: String) throws(Failure) -> SupervisorPlace {
        SupervisorPlace(path.hasPrefix("@") ? path : try AbsolutePath(path).text)
    }

    /// The way to the supervisor.
    var reach: SupervisorReach {
        get throws(Failure) { try found.get() }
    }

    /// The path of the control socket, or `ssh:` and a host; empty where there is none.
    var socket: String { (try? found.get().address) ?? "" }

    /// Which supervisor it is, in words.
    var owner: String { (try? found.get().owner) ?? "the supervisor" }

    /// The machine of the supervisor, where it is another one.
    var host: RemoteHost? {
        guard case .remote(let host)? = try? found.get() else { return nil }
        return host
    }

    mutating func call<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters
    ) throws(Failure) -> M.Reply {
        mayHaveBeenDone = false
        let client = try connected(for: M.self)
        do throws(ControlClientError) {
            let reply = try client.call(method, parameters)
            isAlive = true
            return reply
        } catch {
            if case .failed = error.code {} else { mayHaveBeenDone = true }
            throw failure(error, calling: M.self)
        }
    }

    /// Begins to connect to another machine for a call of `method` that is to come, and waits for nothing: ssh takes its time.
    ///
    /// What fails fails again when that is called, and is told then.
    mutating func reachOut<M: SupervisorInterface.Method>(for method: M.Type) {
        guard host != nil, client == nil, let reach = try? found.get() else { return }
        client = try? reach.connect(
            timeout: limit.connection(for: CallLimit.kind(M.self), across: true),
            mayLaunch: Self.launching.contains(M.member))
    }

    /// Forgets the connection: the next call makes another.
    mutating func startAnew() {
        client?.bridge?.end()
        client = nil
        isAlive = false
    }

    mutating func stream<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters, _ receive: (M.Reply) throws(Failure) -> Void
    ) throws(Failure) {
        try follow(method, parameters) { reply throws(Failure) in
            try receive(reply)
            return true
        }
    }

    /// Calls `method` with `more` and returns its first reply; the call goes on as long as we do.
    mutating func first<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters
    ) throws(Failure) -> M.Reply? {
        var first: M.Reply?
        try follow(method, parameters) { reply throws(Failure) in
            first = reply
            return false
        }
        return first
    }

    /// Calls `method` with `more`, until `receive` answers false or the last reply is there.
    mutating func follow<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters, _ receive: (M.Reply) throws(Failure) -> Bool
    ) throws(Failure) {
        let client = try connected(for: M.self)
        let isFollowing = CallLimit.kind(M.self) == .following
        // A held worker's command runs on, whether its output is read or not.
        client.reader = isFollowing && M.member != SupervisorInterface.Hold.member ? Console.output : nil
        defer { client.reader = nil }
        do {
            try client.call(more: method, parameters) { reply in
                // From its first reply on there is nothing that would have to come.
                if isFollowing { client.limit(to: nil) }
                return try receive(reply)
            }
        } catch let error as Failure {
            throw error
        } catch let error as ControlClientError {
            if error.code == .readerGone { console.endWithoutReader() }
            throw failure(error, calling: M.self)
        } catch {
            throw Failure(.unavailable, "\(M.member) failed: \(error)")
        }
        isAlive = true
    }

    // MARK: the connection

    /// The connection, made on the first call, for a call of `method`: the supervisor at its other end lives.
    ///
    /// What the supervisor says is made printable here, once for all that is shown: a supervisor may be another user's, and its
    /// texts are those of workers. What is shown as JSON is spelled out there, and a file, or the text of the metrics, when it is shown.
    private mutating func connected<M: SupervisorInterface.Method>(
        for method: M.Type
    ) throws(Failure) -> ControlClient {
        let client: ControlClient
        if let known = self.client { client = known } else { client = try connect(for: M.self) }
        self.client = client
        // The connection counts as made with the first answer: what comes later has the limits of the call.
        if host != nil {
            try ping(client, within: limit.connection(for: CallLimit.kind(M.self), across: true))
        }
        let kind = CallLimit.kind(M.self)
        if kind == .working || kind == .waiting || kind == .taking {
            try ping(client, within: mayBeStarting(for: M.self) ? CallLimit.start : CallLimit.signOfLife)
        }
        client.limit(to: limit.answer(to: kind))
        let isAsItIs = console.json != .off || Self.ofLines.contains(M.member)
        client.rewrite = isAsItIs ? { $0 } : { $0.printable }
        return client
    }

    /// Whether the supervisor may have been started for this call a moment ago, and is not stopped.
    private func mayBeStarting<M: SupervisorInterface.Method>(for method: M.Type) -> Bool {
        guard host == nil, Self.launching.contains(M.member) else { return false }
        let place = SupervisorPlace(socket)
        if place.wouldStart() { return true }
        guard let process = place.process, let stat = ProcessStat.read(pid: process) else { return false }
        return stat.state != .stopped && stat.state != .traced
            && stat.hasStarted(since: KernelClock.monotonic - CallLimit.start.microseconds)
    }

    /// The methods whose answers are texts of many lines, which are made printable line by line.
    private static let ofLines: Set<String> = [
        SupervisorInterface.Cat.member, SupervisorInterface.Metrics.member,
    ]

    /// Hears a first sign of life: what a supervisor has not read by then, it is not asked for.
    private mutating func ping(_ client: ControlClient, within limit: TimeSpan?) throws(Failure) {
        guard !isAlive else { return }
        client.limit(to: limit)
        do throws(ControlClientError) {
            _ = try client.call(SupervisorInterface.Ping.self, .init())
        } catch {
            // An error of the method is an answer too: one of another version.
            guard case .failed = error.code else {
                throw failure(error, calling: SupervisorInterface.Ping.self, over: client)
            }
        }
        isAlive = true
    }

    private mutating func connect<M: SupervisorInterface.Method>(
        for method: M.Type
    ) throws(Failure) -> ControlClient {
        let reach = try found.get()
        let isHold = M.member == SupervisorInterface.Hold.member
        return try reach.connect(
            timeout: limit.connection(for: CallLimit.kind(M.self), across: host != nil),
            mayLaunch: Self.launching.contains(M.member), ignoresKeyboard: isHold)
    }

    /// The methods that want a worker to run, and so may start a daemon whose socket a service manager holds.
    private static let launching = [
        SupervisorInterface.Launch.member, SupervisorInterface.LaunchTransient.member,
        SupervisorInterface.Activate.member, SupervisorInterface.Background.member,
        SupervisorInterface.Restart.member,
        SupervisorInterface.Post.member, SupervisorInterface.Open.member,
        SupervisorInterface.TakeActivity.member,
    ]

    private func failure<M: SupervisorInterface.Method>(
        _ error: ControlClientError, calling method: M.Type, over used: ControlClient? = nil
    ) -> Failure {
        if let host, let bridge = (used ?? client)?.bridge {
            if let failure = host.failure(error, of: bridge, wasAlive: isAlive, kind: CallLimit.kind(M.self))
            {
                return failure
            }
        }
        guard error.code == .timedOut else {
            return Failure(error, calling: M.name, at: socket).naming(isUsual ? ownBesideMachine : nil)
        }
        let process = client?.supervisor ?? (try? found.get())?.process
        let state = process.flatMap(ProcessStat.read(pid:))?.state
        let kind = CallLimit.kind(M.self)
        if host == nil, state == .stopped || state == .traced || !isAlive || kind == .immediate {
            return Self.silence(of: process)
        }
        return Failure(
            .tryAgain,
            "no answer in time; the requested operation continues, use --timeout to wait longer")
    }

    /// The socket of the caller's own supervisor, where that listens beside the system's, which was called since none was named.
    private var ownBesideMachine: String? {
        guard case .local(let place)? = try? found.get(), place.owner == .machine,
            let own = try? SupervisorPlace.user(), own.socket != place.socket, access(own.socket, W_OK) == 0
        else { return nil }
        return own.socket
    }

    /// A supervisor that says nothing, with what the kernel says of it.
    static func silence(of process: Int32?) -> Failure {
        guard let process, let stat = ProcessStat.read(pid: process) else {
            return Failure(.tryAgain, "the supervisor does not answer")
        }
        let advice =
            stat.state == .stopped ? "; it is stopped, use 'kill -CONT \(process)' to continue it" : ""
        return Failure(
            .tryAgain,
            "the supervisor (pid \(process)) does not answer (state \(stat.stateCharacter))\(advice)")
    }

    /// Prints `reply`: as JSON where that is wanted, else as `text` makes it.
    func show(_ reply: some Encodable, as text: () -> String) throws(Failure) {
        guard console.json != .off else { return console.print(text()) }
        do throws(JSON.Mismatch) {
            console.print(try JSON(encoding: reply).document(console.json))
        } catch {
            throw Failure(.unavailable, "cannot print the reply as JSON: \(error)")
        }
    }
}

/// A verb of the operator's: arguments, and what to do with a session.
protocol OperatorCommand: ParsableCommand {
    var options: OperatorOptions { get }
    /// Does it; what is thrown is reported, what is returned is the exit code.
    func operate(_ session: inout Session) throws(Failure) -> OperatorExit
}

extension OperatorCommand {
    func run() throws {
        let console = Console(options)
        let status: OperatorExit
        do throws(Failure) {
            var session = try Session(options, console)
            status = try operate(&session)
        } catch {
            console.report(error)
            throw ExitCode(error.status.rawValue)
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
