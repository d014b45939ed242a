internal import Records

extension HistoryEntry: Row {
    static let table = "history"
    static let columns = [
        "worker", "kind", "at", "\"from\"", "\"to\"", "reason", "uid", "pid", "suspended_for", "not_told",
        "message",
    ]

    var words: (kind: String, reason: String)? { (kind.rawValue, reason) }

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
        self.init(
            worker: statement.text(column) ?? "",
            // A kind that only a later version writes is told by its words.
            kind: statement.text(column + 1).flatMap(Kind.init) ?? .warned,
            at: statement.number(column + 2) ?? 0,
            from: statement.text(column + 3),
            to: statement.text(column + 4),
            reason: statement.text(column + 5) ?? "",
            uid: statement.number(column + 6),
            pid: statement.number(column + 7),
            suspendedFor: statement.number(column + 8),
            notTold: statement.text(column + 9),
            message: statement.text(column + 10))
    }
}
