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
        let operators = try definition.operatorsGroup.flatMap { try Self.group($0) }
        let definers = try definition.definersGroup.flatMap { try Self.group($0) }
        try self.init(
            on: loop, service: .torpor(version: version),
            authorization: Authorization(
                operators: Set([operators].compactMap(\.self)), definers: Set([definers].compactMap(\.self))),
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

    /// The number of a group; nil, which leaves root and our own user, when there is no such group.
    private static func group(_ account: Account) throws(LinuxError) -> UInt32? {
        switch account {
        case .id(let id): id
        case .name(let name): try GroupAccount.named(name)?.id
        }
    }
}
