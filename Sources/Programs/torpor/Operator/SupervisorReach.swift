import ControlAPI
import ControlClient
import Lifecycle
import Linux
import Operator
import Places

/// The way to a supervisor: its socket here, or ssh to another machine.
enum SupervisorReach: Sendable {
    /// One of this machine.
    case local(SupervisorPlace)
    /// One of another.
    case remote(RemoteHost)

    /// The path of its control socket, or `ssh:` and its host.
    var address: String {
        switch self {
        case .local(let place): place.socket
        case .remote(let host): host.address
        }
    }

    /// Which supervisor it is, in words.
    var owner: String {
        guard case .local(let place) = self else { return "the supervisor" }
        return switch place.owner {
        case .machine: "the system's supervisor"
        case .user: "the supervisor of user \(ThisProcess.user)"
        case .named: "the supervisor"
        }
    }

    /// Its process, where that is of this machine.
    var process: Int32? {
        guard case .local(let place) = self else { return nil }
        return place.process
    }

    /// Connects; a call that `mayLaunch` a worker may have a service manager start the supervisor.
    ///
    /// Of another machine's supervisor nothing is heard by that yet: the first call tells whether it was reached.
    func connect(
        timeout: TimeSpan?, mayLaunch: Bool = true, ignoresKeyboard: Bool = false
    ) throws(Failure) -> ControlClient {
        switch self {
        case .local(let place): return try Self.connect(place, timeout, mayLaunch)
        case .remote(let host):
            do throws(ControlClientError) {
                return try ControlClient(
                    through: host.bridge(mayLaunch: mayLaunch), named: host.address, timeout: timeout,
                    ignoresKeyboard: ignoresKeyboard)
            } catch {
                throw host.notStarted(isMissing: error.isMissing, error.description)
            }
        }
    }

    private static func connect(
        _ place: SupervisorPlace, _ timeout: TimeSpan?, _ mayLaunch: Bool
    ) throws(Failure) -> ControlClient {
        // Looking launches nothing, and a daemon that starts launches its boot workers.
        guard mayLaunch || !place.wouldStart() else {
            throw Failure(
                .unavailable,
                "\(SupervisorReach.local(place).owner) is not running, and this verb does not start it; use "
                    + "'systemctl \(place.owner == .user ? "--user " : "")start torpord' or 'torpor launch NAME'",
                isNobodyThere: true)
        }
        do throws(ControlClientError) {
            return try ControlClient(connectingTo: place.socket, timeout: timeout)
        } catch {
            guard error.code == .timedOut else { throw Failure(error, calling: "", at: place.socket) }
            throw Session.silence(of: place.process)
        }
    }
}

extension RemoteHost {
    /// The machine `name`, with what else the options and the environment say.
    static func named(_ name: String, _ options: OperatorOptions) throws(Failure) -> RemoteHost {
        let choice: Choice =
            if let socket = options.socket { .socket(socket) } else if options.system { .system } else {
                options.user ? .user : .usual
            }
        return try RemoteHost(
            name, choice: choice, command: Console.variable("TORPOR_SSH"), asks: Console.hasTerminal)
    }

    /// How long the bridge has to end once its connection has, in microseconds.
    private static let patience: Int64 = 2_000_000

    /// What went wrong on the way, by how `bridge` has ended; nil where the supervisor itself has answered `error`.
    func failure(
        _ error: ControlClientError, of bridge: BridgeProcess, wasAlive: Bool, kind: CallLimit.Kind
    ) -> Failure? {
        switch error.code {
        case .disconnected, .badAnswer, .system:
            let isGarbled = error.code == .badAnswer
            // What sends no answers may go on with that.
            if isGarbled { bridge.end() }
            let status = bridge.status(within: Self.patience)
            return failure(
                status: status, errors: bridge.lastErrors, wasAlive: wasAlive, isGarbled: isGarbled)
        case .timedOut:
            guard !wasAlive || kind == .immediate else { return nil }
            bridge.end()
            return silence(wasAlive: wasAlive)
        case .noSupervisor, .notAllowed, .interrupted, .readerGone, .failed, .refused, .noBridge: return nil
        }
    }
}

extension Session {
    /// Refuses `--host` for a verb that calls no supervisor; `reason` says what it does instead, as a clause.
    func requireHere(_ reason: String) throws(Failure) {
        guard host != nil else { return }
        throw Failure(.usage, "--host makes no sense here: \(reason)")
    }
}
