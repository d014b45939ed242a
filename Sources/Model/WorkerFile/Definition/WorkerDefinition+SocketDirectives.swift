package import ConfigurationSyntax
package import Idleness
internal import Lifecycle

extension WorkerDefinition {
    /// What is held for a worker while it has no process, with the names and meanings of systemd.socket(5).
    static let socketDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Foreground")
        return [
            listen(.stream, "A stream socket that the supervisor holds."),
            listen(.datagram, "A datagram socket that the supervisor holds."),
            listen(.sequentialPacket, "A Unix socket of sequential packets that the supervisor holds."),
            listen(.fifo, "A FIFO that the supervisor holds."),
            section.number(
                "Backlog", \.foreground.sockets.backlog, 1...1_000_000,
                "How many connections may wait; 4096 by default, and at most net.core.somaxconn."),
            section.one(
                "BindIPv6Only", \.foreground.sockets.ipv6Only, "Whether a port of IPv6 takes IPv4 too."),
            section.one(
                "FreeBind", \.foreground.sockets.freeBind, "Take addresses that no interface has yet."),
            section.one(
                "ReusePort", \.foreground.sockets.reusePort, "Share the address with other sockets."),
            section.one("NoDelay", \.foreground.sockets.noDelay, "Send small packets at once."),
            section.one("KeepAlive", \.foreground.sockets.keepAlive, "Probe idle connections."),
            section.span(
                "DeferAcceptSec", \.foreground.sockets.deferAccept, .zero ... .seconds(3600),
                "How long a connection without data is held back; 0 by default."),
            section.one(
                "RemoveOnStop", \.foreground.sockets.removeOnStop,
                "Remove files of sockets and FIFOs that are no longer held."),
            section.one("FileDescriptorName", \.foreground.descriptorName, "The name in LISTEN_FDNAMES."),
            section.one("SocketMode", \.foreground.socketMode, "The mode of sockets in the file system."),
            section.one("SocketUser", \.foreground.socketUser, "The owner of sockets in the file system."),
            section.one("SocketGroup", \.foreground.socketGroup, "The group of sockets in the file system."),
            section.one(
                "DirectoryMode", \.foreground.directoryMode, "The mode of directories that sockets need."),
        ]
    }()

    /// An empty assignment of one of them takes back all, as in systemd.socket(5).
    private static func listen(_ kind: HeldSocket.Kind, _ summary: String) -> Directive<Self> {
        Directive(
            section: "Foreground", key: kind.rawValue, summary: summary, expectation: kind.expectation,
            isList: true, isClosed: true,
            assign: { root, text, context throws(ValueError) in
                let address = try ListenAddress(parsing: text, in: context)
                guard kind.takes(address) else { throw ValueError(text, isNot: kind.expectation) }
                root.foreground.listens.append(HeldSocket(kind, address))
            },
            reset: { $0.foreground.listens = [] },
            isSame: { one, two in
                one.foreground.listens.filter { $0.kind == kind }
                    == two.foreground.listens.filter { $0.kind == kind }
            })
    }

    /// How many sockets one worker may have held: each costs a descriptor.
    private static let mostSockets = 64

    /// Sockets that cannot be held together, and settings of sockets where there are none.
    var socketContradictions: [Contradiction] {
        let listens = foreground.heldSockets()
        var found: [Contradiction] = []
        if listens.count > Self.mostSockets {
            found.append(
                Contradiction(
                    key: listens[Self.mostSockets].kind.rawValue,
                    problem: "more than \(Self.mostSockets) sockets", expected: "fewer"))
        }
        for (index, socket) in listens.enumerated() {
            guard let other = listens[..<index].first(where: { $0.excludes(socket) }) else { continue }
            found.append(
                Contradiction(
                    key: socket.kind.rawValue,
                    problem: "\(socket.addressWords) takes the address of \(other.spelling)",
                    expected: "another address"))
        }
        if foreground.wake == .held, listens.isEmpty {
            found.append(
                Contradiction(
                    .advice, key: "Wake", problem: "the supervisor holds no socket for the worker",
                    expected: "ListenStream= as well"))
        }
        return found
    }
}

extension WorkerDefinition.Foreground {
    /// The sockets that are held, with what is set on them; their files are given to this user and group.
    package func heldSockets(user: UInt32? = nil, group: UInt32? = nil) -> [HeldSocket] {
        var options = sockets
        options.mode = UInt32(socketMode.bits)
        options.directoryMode = UInt32(directoryMode.bits)
        (options.user, options.group) = (user, group)
        return listens.map { HeldSocket($0.kind, $0.address, options) }
    }
}

extension HeldSocket.Kind {
    /// What the directive takes.
    package var expectation: String {
        switch self {
        case .stream, .datagram: ListenAddress.expectation
        case .sequentialPacket: "/PATH or @NAME (both at most 107 bytes)"
        case .fifo: "/PATH (at most 107 bytes)"
        }
    }

    /// Whether such a socket can have this address.
    package func takes(_ address: ListenAddress) -> Bool {
        switch (self, address) {
        case (.stream, _), (.datagram, _), (.sequentialPacket, .path), (.sequentialPacket, .abstract),
            (.fifo, .path):
            true
        case (.sequentialPacket, _), (.fifo, _): false
        }
    }
}
