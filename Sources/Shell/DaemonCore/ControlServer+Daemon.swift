internal import ConfigurationSyntax
internal import ControlAPI
internal import ControlServer
internal import History
internal import Linux
internal import OperatorService
internal import Places
internal import Systemd
internal import Varlink
internal import WorkerFile

extension ControlServer {
    /// The daemon's control socket: the one that was passed to it, or its own in the runtime directory.
    convenience init(
        _ options: DaemonOptions, _ definition: DaemonDefinition, on loop: EventLoop,
        _ passed: PassedEnvironment, inheriting listeners: [ListenerHandover], handler: OperatorService,
        version: String,
        log: ChangeLog
    ) throws {
        var limits = ControlLimits()
        limits.operators.connection.message = Int(clamping: definition.maxMessageSize.bytes)
        limits.operators.connection.backlog = Int(clamping: definition.maxBacklog.bytes)
        limits.operators.connection.subscriptions = definition.maxSubscriptionsPerConnection
        limits.operators.connections = definition.maxConnectionsPerUID
        limits.others.connections = min(limits.others.connections, definition.maxConnectionsPerUID)
        try self.init(
            on: loop, service: .torpor(version: version),
            authorization: Authorization(definition),
            limits: limits, handler: handler
        ) { log.log(LogEntry(.refused, .notice, $0.description)) }
        if !listeners.isEmpty {
            let address = try UnixSocketAddress(options.socketPath)
            for listener in listeners {
                try listen(
                    StreamListener(inheriting: listener.descriptor, at: listener.ownsFile ? address : nil))
            }
        } else if let socket = passed.descriptors.first(where: {
            $0.name == "control" || $0.name == "unknown"
        }) {
            try listen(StreamListener(adopting: OwnedDescriptor(adopting: socket.number)))
        } else {
            try listen(
                StreamListener(
                    at: UnixSocketAddress(options.socketPath),
                    access: SocketAccess(mode: UInt32(definition.socketMode.bits)),
                    // We hold the directory's lock.
                    replaces: true))
        }
    }

    /// Judges by the groups of torpord.conf as they are now: one may have been made, or removed, since they were looked up.
    func judge(by definition: DaemonDefinition, _ report: inout SupervisorInterface.Reload.Reply) {
        report.warnings += Authorization.problems(of: definition).map { .init($0, worker: nil) }
        do throws(LinuxError) { judge(by: try Authorization(definition)) } catch {
            let problem = "its groups cannot be looked up, and those before stay: \(error)"
            let diagnostic = Diagnostic(.error, file: "torpord.conf", problem: problem)
            report.failed.append(.init(diagnostic, worker: nil))
        }
    }
}

extension Authorization {
    /// The rule of torpord.conf; a group that does not exist leaves root and our own user.
    init(_ definition: DaemonDefinition) throws(LinuxError) {
        var groups: [Set<UInt32>] = []
        for group in [definition.operatorsGroup, definition.definersGroup] {
            let number = try group.flatMap { (group) throws(LinuxError) in try Self.number(of: group) }
            groups.append(Set(number.map { [$0] } ?? []))
        }
        self.init(operators: groups[0], definers: groups[1])
    }

    /// What is to be said of groups that torpord.conf names and that do not exist.
    static func problems(of definition: DaemonDefinition) -> [Diagnostic] {
        let groups = [
            ("OperatorsGroup", definition.operatorsGroup, "control workers"),
            ("DefinersGroup", definition.definersGroup, "define workers"),
        ]
        return groups.compactMap { key, group, deed in
            // Ignoring why it cannot be looked up: that is told where it is needed.
            guard case .name(let name) = group, case .some(.none) = try? number(of: .name(name))
            else { return nil }
            return Diagnostic(
                .warning, file: "torpord.conf", key: key,
                problem: "there is no group “\(name)”; only root and the supervisor's own user may \(deed)",
                expected: "a group that exists, such as one made by groupadd(8)")
        }
    }

    /// The number of a group; nil where there is no such group.
    private static func number(of account: Account) throws(LinuxError) -> UInt32? {
        switch account {
        case .id(let id): id
        case .name(let name): try GroupAccount.named(name)?.id
        }
    }
}
