/// A socket that is held for a worker, as operators are told.
package struct HeldSocketStatus: Hashable, Sendable {
    /// How it stands.
    package enum Standing: Hashable, Sendable {
        /// Its first client brings the worker.
        case watched
        /// It is open, and the worker sees to its clients.
        case open
        case closed(HeldDoor.Closed)
        /// It could not be opened, for this reason.
        case failed(String)
    }

    /// How full the queue of a listening socket is.
    package struct Queue: Hashable, Sendable {
        /// How many connections wait to be accepted.
        package let waiting: UInt32
        /// How many may wait: the backlog, and no more than net.core.somaxconn.
        package let most: UInt32

        /// A queue, by its parts.
        package init(waiting: UInt32, most: UInt32) { (self.waiting, self.most) = (waiting, most) }
    }

    package let socket: HeldSocket
    package let standing: Standing
    /// Nil where that is not known.
    package let queue: Queue?
    /// What becomes of its connections where the worker does not accept them itself.
    package var passage: String?

    /// A socket that stands like this.
    package init(_ socket: HeldSocket, _ standing: Standing, queue: Queue? = nil) {
        (self.socket, self.standing, self.queue) = (socket, standing, queue)
    }

    /// How it stands, in words.
    package var words: String {
        switch standing {
        case .watched, .open: "open" + queued + (passage.map { "; " + $0 } ?? "")
        case .closed(let why): why.words
        case .failed(let problem): "not open: " + problem
        }
    }

    private var queued: String {
        guard let queue, queue.waiting > 0 else { return "" }
        let full = queue.waiting >= queue.most ? "; the queue is full, and further clients retry" : ""
        return ", \(queue.waiting) of at most \(queue.most) connections waiting\(full)"
    }
}

extension [HeldSocketStatus] {
    /// How many are named where there is little room.
    private static let few = 3

    /// Those whose first client brings the worker.
    private var watched: [HeldSocketStatus] { filter { $0.standing == .watched } }

    /// By which of them a worker is woken or launched, after `wakes by`; nil where by none.
    package var wakesBy: String? {
        let watched = watched
        return watched.isEmpty
            ? nil : watched.map(\.socket.words).joined(separator: ", ") + " (held by the supervisor)"
    }

    /// The same in a word or two: its ports.
    package var word: String? {
        let watched = watched
        guard !watched.isEmpty else { return nil }
        let ports = watched.filter { $0.socket.kind == .stream }.compactMap(\.socket.port)
        guard !ports.isEmpty else {
            let datagrams = watched.compactMap(\.socket.port)
            return datagrams.isEmpty
                ? "sockets" : "udp " + datagrams.prefix(Self.few).map { "\($0)" }.joined(separator: ",")
        }
        return "tcp " + ports.prefix(Self.few).map { "\($0)" }.joined(separator: ",")
            + (ports.count > Self.few ? ",…" : "")
    }
}
