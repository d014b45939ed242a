package import ConfigurationSyntax
internal import Idleness
package import Lifecycle
package import Relaying

extension WorkerDefinition {
    /// How clients of held sockets come to a worker that does not take the sockets itself, and what browsers see while it is launched.
    package struct Relaying: Hashable, Sendable {
        /// Where the worker listens itself; nil where it takes the sockets that are held for it.
        package var target: ListenAddress?
        /// What stands in front of each connection that is forwarded.
        package var header = ProxyProtocol.no
        /// How many connections are forwarded at a time.
        package var limit = 1024
        /// What browsers see while it is launched.
        package var placeholder = Placeholder.no
        /// How long a launch may take until they see it.
        package var placeholderAfter = TimeSpan.seconds(2)

        /// Nothing is forwarded or shown.
        package init() {}

        /// Whether connections pass through a relay in any state of the worker.
        package var isNeeded: Bool { target != nil || placeholder != .no }
    }
}

/// Which header of HAProxy's PROXY protocol stands in front of a connection.
package enum ProxyProtocol: String, Keyword, Sendable {
    case no, v1, v2

    /// The header; nil for none.
    package var header: ProxyHeader? {
        switch self {
        case .no: nil
        case .v1: .v1
        case .v2: .v2
        }
    }
}

/// What a browser sees while a worker is launched.
package enum Placeholder: Hashable, Sendable, PlainValue {
    /// Nothing: it waits like all other clients.
    case no
    /// The page of Torpor.
    case builtIn
    /// A file of the operator's.
    case file(AbsolutePath)

    /// Reads `no`, `yes` or a path.
    package init(parsing text: String) throws(ValueError) {
        if let isWanted = try? Bool(parsing: text) {
            self = isWanted ? .builtIn : .no
        } else if text.utf8.first == UInt8(ascii: "/") {
            self = .file(try AbsolutePath(parsing: text))
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What it takes.
    package static var expectation: String { "yes, no or the absolute path of an HTML file" }
    /// Files stand beside the worker's own.
    package static var takesSpecifiers: Bool { true }
    /// A path may hold anything.
    package static var isClosed: Bool { false }
}

extension WorkerDefinition {
    static let relayDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Foreground")
        return [
            section.one(
                "ForwardTo", \.foreground.relaying.target,
                "Where the worker listens itself: connections to ListenStream= are forwarded there."),
            section.one(
                "ProxyProtocol", \.foreground.relaying.header,
                "The header that tells the worker the client's address: no, v1 or v2."),
            section.number(
                "ForwardMaxConnections", \.foreground.relaying.limit, 1...100_000,
                "How many connections are forwarded at a time; 1024 by default."),
            section.one(
                "Placeholder", \.foreground.relaying.placeholder,
                "What browsers see while the worker is launched: yes, no or a file."),
            section.span(
                "PlaceholderAfterSec", \.foreground.relaying.placeholderAfter, .zero ... .seconds(3600),
                "How long a launch may take until they see it; 2s by default."),
        ]
    }()

    /// Settings that forward or show nothing, or that would have a connection come back to where it came from.
    var relayContradictions: [Contradiction] {
        let relaying = foreground.relaying
        let plain = Relaying()
        var found: [Contradiction] = []
        func advice(_ key: String, _ problem: String, _ expected: String) {
            found.append(Contradiction(.advice, key: key, problem: problem, expected: expected))
        }
        let streams = foreground.listens.filter { $0.kind == .stream }
        if let target = relaying.target {
            if let own = streams.first(where: { $0.excludes(HeldSocket(.stream, target)) }) {
                found.append(
                    Contradiction(
                        key: "ForwardTo", problem: "\(own.spelling) is the same address",
                        expected: "the address at which the worker listens itself"))
            }
            if streams.isEmpty {
                advice("ForwardTo", "no socket is held from which connections come", "ListenStream= as well")
            }
        } else {
            let keys = [
                ("ProxyProtocol", relaying.header != plain.header),
                ("ForwardMaxConnections", relaying.limit != plain.limit),
            ]
            for (key, isSet) in keys where isSet { advice(key, "has no effect", "ForwardTo= as well") }
        }
        if relaying.placeholder != .no {
            // A Unix client of a socket that the worker takes itself is left to the worker: its identity would be lost.
            if !streams.contains(where: { $0.isInternet || relaying.target != nil }) {
                advice(
                    "Placeholder", "no TCP socket is held at which browsers come", "ListenStream=PORT as well"
                )
            }
        } else if relaying.placeholderAfter != plain.placeholderAfter {
            advice("PlaceholderAfterSec", "has no effect", "Placeholder= as well")
        }
        return found
    }
}

extension ListenAddress {
    /// The address as one that is connected to: a port alone is one of the loopback interface.
    package var relayTarget: RelayAddress {
        switch self {
        case .path(let path): .unix(Array(path.utf8))
        case .abstract(let name): .unix([0] + Array(name.utf8))
        case .port(let port): .ipv4(0x7f00_0001, port: port)
        case .ipv4(let address, let port): .ipv4(address, port: port)
        // The interface is a name: its number is looked up where the connection is made.
        case .ipv6(let address, let port, _): .ipv6(address, port: port)
        }
    }
}
