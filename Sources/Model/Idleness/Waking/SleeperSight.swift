package import Lifecycle

/// How a sleeper is watched, with what wakes it there: as operators are told.
package struct SleeperSight: Hashable, Sendable {
    package let state: Eyes.State
    /// Where it listens by TCP, in the order of ports; none where a connection does not wake it.
    package let listening: [Endpoint]
    /// How many connections it had open when it fell asleep; nil where they were not counted, or do not wake it.
    package let connections: Int?
    /// How often its sockets are looked at, where they are sampled.
    package let interval: TimeSpan

    /// A sleeper that is watched like this.
    package init(
        _ state: Eyes.State, listening: [Endpoint] = [], connections: Int? = nil, each interval: TimeSpan
    ) {
        self.state = state
        self.listening = listening.sorted {
            ($0.port, $0.address.high, $0.address.low) < ($1.port, $1.address.high, $1.address.low)
        }
        self.connections = connections
        self.interval = interval
    }

    /// How many ports are named.
    private static let mostPorts = 8
    /// How many ports are named where there is little room.
    private static let fewPorts = 3

    private var ports: [UInt16] {
        listening.reduce(into: []) { if $0.last != $1.port { $0.append($1.port) } }
    }

    /// By what it is woken, after `wakes by`: `tcp 6379, 41 connections (its epoll)`.
    package var words: String {
        guard let sockets else { return state.words(samplingEach: interval) }
        return switch state {
        case .closed, .planning, .blind: state.words(samplingEach: interval)
        case .watching(let watching): "\(sockets) (\(watching.hasEventPoll ? "its epoll" : "its sockets"))"
        case .sampling(let shortfall):
            "\(sockets) (sampled every \(interval.microseconds / 1000) ms: \(shortfall.words))"
        }
    }

    private var sockets: String? {
        var parts: [String] = []
        if !ports.isEmpty {
            let more = ports.count - Self.mostPorts
            parts.append(
                "tcp " + ports.prefix(Self.mostPorts).map { "\($0)" }.joined(separator: ", ")
                    + (more > 0 ? " and \(more) more" : ""))
        }
        if let connections, connections > 0 {
            parts.append("\(connections) connection\(connections == 1 ? "" : "s")")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The word of a sleeper that no socket wakes.
    package static let nothing = "nothing"

    /// The same in a word or two; nil where nothing is watched yet, or any more.
    package var word: String? {
        switch state {
        case .closed, .planning: nil
        case .watching:
            ports.isEmpty
                ? "sockets"
                : "tcp " + ports.prefix(Self.fewPorts).map { "\($0)" }.joined(separator: ",")
                    + (ports.count > Self.fewPorts ? ",…" : "")
        case .sampling: "sampled"
        case .blind: Self.nothing
        }
    }
}

extension SocketOwner {
    /// Where it listens, among all `sockets` that do.
    package func listening(among sockets: [InetSocket]) -> [Endpoint] {
        sockets.filter { $0.state == .listen && owns($0) }.map(\.local)
    }

    /// How many connections it has open, among all `sockets`.
    package func connections(among sockets: [InetSocket]) -> Int {
        sockets.count { $0.state != .listen && $0.state != .timeWait && owns($0) }
    }
}
