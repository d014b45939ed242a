extension WakeRules {
    /// What of it counts that comes at the worker's sockets, in clauses that follow them, each with its setting by `name`:
    /// `connections only from 10.0.0.0/8 (WakeFrom=), no connections from 10.0.0.5 (WakeNotFrom=)`; nil where all of it does.
    package func limits(_ name: (_ directive: String) -> String) -> String? {
        guard watching != .no else { return nil }
        var clauses: [String] = []
        if kinds != WakeRules().kinds {
            let told = Kind.allCases.filter(kinds.contains).map(\.words)
            clauses.append("only for \(Self.list(told)) (\(name("WakeOn")))")
        }
        if let from {
            clauses.append(
                "connections only from \(Self.list(from.map(\.description))) (\(name("WakeFrom")))")
        }
        if !notFrom.isEmpty {
            clauses.append(
                "no connections from \(Self.list(notFrom.map(\.description))) (\(name("WakeNotFrom")))")
        }
        return clauses.isEmpty ? nil : clauses.joined(separator: ", ")
    }

    /// How many are named.
    private static let most = 4

    private static func list(_ words: [String]) -> String {
        guard words.count <= most else {
            return words.prefix(most - 1).joined(separator: ", ") + " or \(words.count - most + 1) more"
        }
        return words.count < 2
            ? words.joined() : words.dropLast().joined(separator: ", ") + " or \(words[words.count - 1])"
    }
}

extension WakeRules.Kind {
    fileprivate var words: String {
        switch self {
        case .connection: "a new connection"
        case .data: "data on an open connection"
        case .datagram: "a datagram"
        case .input: "input"
        case .request: "a connection with a request"
        case .timer: "its own timers"
        }
    }
}
