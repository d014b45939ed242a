/// The sockets of a worker that is gone, as operators are told.
package struct DoorSight: Hashable, Sendable {
    /// One of them.
    package struct Entry: Hashable, Sendable {
        package let place: DoorPlace
        package let choice: DoorChoice
        /// How many connections wait there, and how many may; nil where that is not known.
        package let backlog: Backlog?

        /// A socket, by its parts.
        package init(_ place: DoorPlace, _ choice: DoorChoice, backlog: Backlog? = nil) {
            (self.place, self.choice, self.backlog) = (place, choice, backlog)
        }

        fileprivate var words: String {
            var parts = [choice.reason.map { "\(choice.way.word): \($0)" } ?? choice.way.word]
            if let backlog, backlog.waiting > 0 { parts.append(backlog.words) }
            return "\(place.words) (\(parts.joined(separator: "; ")))"
        }
    }

    /// Connections that wait to be accepted.
    package struct Backlog: Hashable, Sendable {
        package let waiting: UInt32
        package let limit: UInt32

        /// So many of as many as may.
        package init(waiting: UInt32, limit: UInt32) { (self.waiting, self.limit) = (waiting, limit) }

        /// Whether further ones are not let in: the kernel has their clients try again.
        package var isFull: Bool { waiting > limit }

        fileprivate var words: String {
            isFull
                ? "its backlog of \(limit) is full: further connections are dropped, and tried again by their clients"
                : "\(waiting) of \(limit) in its backlog"
        }
    }

    package let entries: [Entry]
    /// How many connections were accepted and wait for the worker.
    package let accepted: Int
    /// Why its processes can bind no further socket; nil where they can.
    package var bindProblem: String?

    /// These.
    package init(_ entries: [Entry], accepted: Int = 0) {
        self.entries = entries.sorted { $0.place.words < $1.place.words }
        self.accepted = accepted
    }

    /// Whether no socket is open.
    package var isEmpty: Bool { entries.isEmpty && accepted == 0 }

    /// How many are named.
    private static let most = 8

    /// The same in a word or two: `tcp 127.0.0.1:6379`, or how many sockets there are.
    package var word: String {
        if let only = entries.first, entries.count == 1 { return only.place.words }
        return entries.isEmpty ? "connections" : "\(entries.count) sockets"
    }

    /// `tcp 127.0.0.1:6379 (migrate), /run/a.sock (no: a Unix socket is bound anew: a connection that waits is closed)`.
    package var words: String {
        var parts = entries.prefix(Self.most).map(\.words)
        if entries.count > Self.most { parts.append("\(entries.count - Self.most) more") }
        if accepted > 0 { parts.append("\(accepted) accepted connection\(accepted == 1 ? "" : "s")") }
        return parts.joined(separator: ", ")
    }
}
