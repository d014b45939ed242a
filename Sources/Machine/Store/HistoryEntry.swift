/// One thing that happened to a worker, as the history keeps it.
package struct HistoryEntry: Hashable, Sendable {
    /// What kind of thing it is.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Its state changed.
        case changed
        /// Its launch was complete.
        case launched
        /// A launch did not happen.
        case launchFailed
        /// Its process ended.
        case ended
        /// Something went wrong that supervision went on without.
        case warned
        /// An event woke or launched it.
        case woken
        /// A caller opened a URL with it.
        case opened
        /// The supervisor began or ended, or took a worker over.
        case supervisor
        /// Memory was short, or is no longer, and what was done about it.
        case memory
        /// Entries that could not be written in time, and are not here.
        case lost
    }

    /// The worker; empty where it concerns them all.
    package var worker: String
    /// What kind of thing it is.
    package var kind: Kind
    /// When: microseconds since 1970.
    package var at: Int64
    package var from: String?
    package var to: String?
    /// Why, in a word.
    package var reason: String
    /// The user who asked, when somebody did.
    package var uid: Int64?
    /// The process that asked.
    package var pid: Int64?
    /// How long it had been asleep, in microseconds, on the way out of sleep.
    package var suspendedFor: Int64?
    /// The callbacks that it was not given, separated by blanks; nil is none.
    package var notTold: String?
    /// What there is to say besides.
    package var message: String?

    /// An entry, by its parts; what may be missing is missing when left out.
    package init(
        worker: String, kind: Kind, at: Int64, from: String? = nil, to: String? = nil, reason: String,
        uid: Int64? = nil, pid: Int64? = nil, suspendedFor: Int64? = nil, notTold: String? = nil,
        message: String? = nil
    ) {
        self.worker = worker
        self.kind = kind
        self.at = at
        self.from = from
        self.to = to
        self.reason = reason
        self.uid = uid
        self.pid = pid
        self.suspendedFor = suspendedFor
        self.notTold = notTold
        self.message = message
    }
}

extension HistoryEntry: Row {
    static let table = "history"
    static let columns = [
        "worker", "kind", "at", "\"from\"", "\"to\"", "reason", "uid", "pid", "suspended_for", "not_told",
        "message",
    ]

    func bind(to statement: Statement) {
        statement.bind(worker)
        statement.bind(kind.rawValue)
        statement.bind(at)
        statement.bind(from)
        statement.bind(to)
        statement.bind(reason)
        statement.bind(uid)
        statement.bind(pid)
        statement.bind(suspendedFor)
        statement.bind(notTold)
        statement.bind(message)
    }

    init(_ statement: Statement, from column: Int32) {
        worker = statement.text(column) ?? ""
        // A kind that only a later version writes is told by its words.
        kind = statement.text(column + 1).flatMap(Kind.init) ?? .warned
        at = statement.number(column + 2) ?? 0
        from = statement.text(column + 3)
        to = statement.text(column + 4)
        reason = statement.text(column + 5) ?? ""
        uid = statement.number(column + 6)
        pid = statement.number(column + 7)
        suspendedFor = statement.number(column + 8)
        notTold = statement.text(column + 9)
        message = statement.text(column + 10)
    }
}
