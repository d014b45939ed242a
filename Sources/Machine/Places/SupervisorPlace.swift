internal import Glibc
package import Linux
internal import Processes

/// Where a supervisor listens, and whether one is there: without a connection, which would start one where a service manager holds the
/// socket.
package struct SupervisorPlace: Hashable, Sendable {
    /// Which supervisor it is.
    package enum Owner: Hashable, Sendable {
        /// The machine's: root's daemon.
        case machine
        /// That of the calling user.
        case user
        /// One that was named by its socket.
        case named
    }

    /// The path of the control socket, or `@` and an abstract name.
    package let socket: String
    /// Which supervisor it is.
    package let owner: Owner

    /// The supervisor whose control socket is at `socket`.
    package init(_ socket: String, of owner: Owner = .named) {
        self.socket = socket
        self.owner = owner
    }

    /// The machine's supervisor.
    package static let machine = SupervisorPlace("/run/torpor/\(DaemonOptions.socketName)", of: .machine)

    /// The supervisor of the calling user: where that user's daemon would listen.
    ///
    /// - Throws: ``NoRuntimeDirectory`` where such a daemon would not start either.
    package static func user(_ environment: Environment = .current) throws(NoRuntimeDirectory)
        -> SupervisorPlace
    {
        let options = try DaemonOptions(environment: environment, isRoot: false)
        return SupervisorPlace(options.socketPath, of: .user)
    }

    /// The supervisor that is meant when none is named: root's for root; for another user the machine's where it runs and takes
    /// that user's calls, else that user's own.
    package static func usual(
        machine: SupervisorPlace = .machine, environment: Environment = .current,
        isRoot: Bool = ThisProcess.isRoot
    ) throws(NoRuntimeDirectory) -> SupervisorPlace {
        if isRoot || (machine.isRunning && machine.isOpen) { return machine }
        return try user(environment)
    }

    /// Whether a daemon is there: it holds the lock beside its socket for as long as it lives.
    package var isRunning: Bool {
        guard let lock, let holder = LockTable.holder(of: lock) else { return access(socket, F_OK) == 0 }
        return holder != .nothing
    }

    /// Whether a connection would start a daemon, since none is there and a service manager listens for it.
    ///
    /// Where systemd is not the first process, the lock may be one of another pid namespace, and nothing can be said.
    package func wouldStart(underSystemd: Bool = Machine.isUnderSystemd) -> Bool {
        guard underSystemd, let lock, access(socket, F_OK) == 0 else { return false }
        return LockTable.holder(of: lock) == LockTable.Holder.nothing
    }

    /// The process that holds the lock beside the socket.
    package var process: Int32? {
        guard let lock, case .process(let pid)? = LockTable.holder(of: lock) else { return nil }
        return pid
    }

    /// Whether the caller may connect.
    private var isOpen: Bool { access(socket, R_OK | W_OK) == 0 }

    /// The lock of the daemon whose socket it is; nil for the socket of `torpor run`, which has none.
    private var lock: String? {
        let suffix = "/\(DaemonOptions.socketName)"
        guard socket.hasPrefix("/"), socket.hasSuffix(suffix) else { return nil }
        return "\(socket.dropLast(suffix.count))/\(InstanceLock.fileName)"
    }
}
